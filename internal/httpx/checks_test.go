package httpx

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestUserOfURL: a header of the program takes precedence, and a redirect keeps the user.
func TestUserOfURL(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	})
	u.User = url.UserPassword("u", "p")
	u.Path = "/moved"
	for _, tt := range []struct {
		header http.Header
		want   string
	}{{nil, "Basic dTpw"}, {http.Header{"Authorization": {"Bearer own"}}, "Bearer own"}} {
		resp, err := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u, Header: tt.header})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := io.ReadAll(resp.Body); string(got) != tt.want {
			t.Errorf("sent %s, want %s", got, tt.want)
		}
		_ = resp.Body.Close()
	}
}

func TestErrorOfRoundTripperHasNoSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	fails := roundTripper(func(r *http.Request) (*http.Response, error) {
		return nil, errors.New("cannot send " + r.Header.Get("X-Api-Key"))
	})
	u, _ := Parse("http://example.com")
	_, err := newClient(t, &http.Client{Transport: fails}, http.Header{"X-Api-Key": {secret}}).Do(t.Context(), &Request{Method: "GET", URL: u})
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

// TestMachineIsAtItsLimit: the network and its proxy are not what to check.
func TestMachineIsAtItsLimit(t *testing.T) {
	for problem, want := range map[string]string{
		"too many open files":             "close clients",
		"cannot assign requested address": "no free port",
	} {
		fails := roundTripper(func(r *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(problem)}
		})
		u, _ := Parse("http://example.com")
		_, err := newClient(t, &http.Client{Transport: fails}, nil).Do(t.Context(), &Request{Method: "GET", URL: u})
		if err == nil || !strings.Contains(err.Error(), problem+"; ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "proxy") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestControlCharactersInHeaders(t *testing.T) {
	for value, want := range map[string]bool{"a\tb c": true, "a\x7fb": false, "a\x01": false, "a\x1f": false, "\n": false, "\xff": true} {
		if ValidValue(value) != want {
			t.Errorf("%q: valid is %v", value, !want)
		}
	}
}

// TestOutcomeOfOtherErrors adds to TestOutcome what is rarer.
func TestOutcomeOfOtherErrors(t *testing.T) {
	for _, tt := range []struct {
		err                  error
		unknown, unreachable bool
	}{
		{&httperr.StatusError{Status: 500}, true, false},
		{&httperr.StatusError{Status: 504}, true, true},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, true, false},
		{&net.OpError{Op: "local error", Err: errors.New("tls: bad record MAC")}, true, false},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, true, true},
		{io.ErrUnexpectedEOF, true, true},
		{errors.New("other"), true, false},
	} {
		if got := errors.Is(Outcome(tt.err), jsonrpc.ErrOutcomeUnknown); got != tt.unknown {
			t.Errorf("%v: unknown is %v", tt.err, got)
		}
		if got := Unreachable(tt.err); got != tt.unreachable {
			t.Errorf("%v: unreachable is %v", tt.err, got)
		}
	}
}

func TestLongestRetryAfter(t *testing.T) {
	for _, field := range []string{"9300000000", "9223372036854775807"} { // more nanoseconds than an int64 holds
		if got := retryAfter(field); got != maxRetryAfter {
			t.Errorf("%s: %v", field, got)
		}
	}
}

// TestDialThatCloseOvertakes: a connection that opens after close does not stay open.
func TestDialThatCloseOvertakes(t *testing.T) {
	ours, theirs := net.Pipe()
	var s sockets
	s.base = func(context.Context, string, string) (net.Conn, error) {
		s.close()
		return ours, nil
	}
	if _, err := s.dial(t.Context(), "tcp", "example.com:80"); !errors.Is(err, net.ErrClosed) || len(s.open) != 0 {
		t.Errorf("%d connections are open, %v", len(s.open), err)
	}
	if _, err := theirs.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the other end: %v", err)
	}
	ours, theirs = net.Pipe()
	s = sockets{base: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
	c, err := s.dial(t.Context(), "tcp", "example.com:80")
	if err != nil || len(s.open) != 1 {
		t.Fatalf("%d connections are open, %v", len(s.open), err)
	}
	if _ = c.Close(); len(s.open) != 0 {
		t.Errorf("%d connections are open after Close", len(s.open))
	}
	if _, err := theirs.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the other end: %v", err)
	}
}
