package oauth

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// The page of a program may have styles and scripts. What the server writes about a
// refusal reaches it without control characters.
func TestLoopbackPage(t *testing.T) {
	own := func(refused *ServerError) string {
		if refused == nil {
			return "<style>p{color:green}</style><p>done"
		}
		return refused.Code + ": " + refused.Description
	}
	for _, tt := range []struct {
		page        func(*ServerError) string
		query, want string
		policy      string
	}{
		{nil, "code=x", "close this page", "default-src 'none'; frame-ancestors 'none'"},
		{nil, "error=access_denied", "was not authorized", "default-src 'none'; frame-ancestors 'none'"},
		{own, "code=x", "<p>done", "frame-ancestors 'none'"},
		{own, "error=access_denied&error_description=no%1B%5B2J", "access_denied: no", "frame-ancestors 'none'"},
		{func(*ServerError) string { panic("page") }, "code=x", "close this page", "default-src 'none'; frame-ancestors 'none'"},
	} {
		e := newEnv(t)
		var resp *http.Response
		l := &Loopback{Page: tt.page}
		var in Receiver
		l.Open = func(ctx context.Context, _ string) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.RedirectURI()+"?state=abc&"+tt.query, nil)
			if err != nil {
				return err
			}
			resp, err = e.base.RoundTrip(req)
			return err
		}
		var err error
		if in, err = l.Listen(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc"); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), tt.want) || strings.Contains(string(body), "\x1b") || resp.Header.Get("Content-Security-Policy") != tt.policy {
			t.Errorf("%s: %s, %v, %v", tt.query, body, resp.Header, err)
		}
	}
}
