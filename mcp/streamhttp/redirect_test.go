package streamhttp_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestRedirectWithinTheOrigin: with 307 and 308 the request goes on as it was.
func TestRedirectWithinTheOrigin(t *testing.T) {
	for _, status := range []int{307, 308} {
		s := &server{session: "s"}
		s.post = func(w http.ResponseWriter, r *request) bool {
			if r.HTTP.URL.Path == "/" {
				http.Redirect(w, r.HTTP, "/elsewhere", status)
				return true
			}
			if r.HTTP.Header.Get("X-Key") != "1" || r.HTTP.Header.Get("Accept") == "" {
				t.Errorf("%s with %v", r.HTTP.URL, r.HTTP.Header)
			}
			return false
		}
		callTool(t, s.open(t, &streamhttp.Options{Header: http.Header{"X-Key": {"1"}}}, nil), "x")
	}
}

// TestRedirectRefused: the call fails, nothing is sent, and other calls go on.
func TestRedirectRefused(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		status       int
		says         string
	}{
		{"another host", "http://localhost:$port/", 307, "another origin"},
		{"another port", "http://127.0.0.1:1/", 308, "another origin"},
		{"another scheme", "https://127.0.0.1:$port/", 307, "another origin"},
		{"no host", "file:///etc/passwd", 307, "another origin"},
		{"script", "javascript:alert(1)", 307, "another origin"},
		{"301 would be a GET", "/x", 301, "only 307 and 308"},
		{"302 would be a GET", "/x", 302, "only 307 and 308"},
		{"303 would be a GET", "/x", 303, "only 307 and 308"},
		{"nowhere", "", 307, "missing or invalid"},
		{"nonsense", "http://[::1/", 307, "missing or invalid"},
		{"in circles", "/", 307, "too many redirects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, s *server) {
				s.call = func(w http.ResponseWriter, r *request) {
					if r.Params.Name != "x" {
						r.answer(w, done)
						return
					}
					if r.HTTP.Method != "POST" || r.HTTP.URL.Path != "/" {
						t.Errorf("%s %s came", r.HTTP.Method, r.HTTP.URL)
					}
					_, port, _ := strings.Cut(r.HTTP.Host, ":")
					w.Header().Set("Location", strings.ReplaceAll(tt.target, "$port", port))
					w.WriteHeader(tt.status)
				}
				c := s.open(t, &streamhttp.Options{Header: http.Header{"Authorization": {"Bearer topsecret"}}}, nil)
				_, err := c.CallTool(t.Context(), "x", nil)
				wantError(t, err, nil, tt.says)
				var e *streamhttp.RedirectError
				if !errors.As(err, &e) || e.Status != tt.status {
					t.Errorf("error is %v, want a *RedirectError", err)
				}
				if strings.Contains(err.Error(), "topsecret") {
					t.Error(err)
				}
				callTool(t, c, "y")
			})
		})
	}
}
