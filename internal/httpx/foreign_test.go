package httpx

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// foreign is a RoundTripper that fails requests with errors, and then responds with
// their bodies.
type foreign struct {
	errs []error
	sent int
}

func (f *foreign) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}
	f.sent++
	if f.sent <= len(f.errs) {
		return nil, f.errs[f.sent-1]
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestCauseOfAnotherRequest: net/http may fail a request with the error that has
// ended another one. It is sent again if the server may receive it twice, and else
// has an unknown outcome.
func TestCauseOfAnotherRequest(t *testing.T) {
	u, err := url.Parse("http://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	repeatable := http.Header{}
	AllowRepeat(repeatable)
	errOther := errors.New("other")
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded, jsonrpc.ErrClosed, jsonrpc.Closed(errOther), &httperr.TimeoutError{What: "no response", After: time.Second}} {
		for _, test := range []struct {
			name string
			req  *Request
			errs []error
			sent int
			ok   bool
		}{
			{"GET", &Request{Method: "GET", URL: u}, []error{cause}, 2, true},
			{"repeatable", &Request{Method: "POST", URL: u, Header: repeatable, Body: []byte("text")}, []error{cause}, 2, true},
			{"twice", &Request{Method: "GET", URL: u}, []error{cause, cause}, 2, false},
			{"POST", &Request{Method: "POST", URL: u, Body: []byte("text")}, []error{cause}, 1, false},
		} {
			rt := &foreign{errs: test.errs}
			c, err := New("", &http.Client{Transport: rt}, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(t.Context(), test.req)
			if rt.sent != test.sent || (err == nil) != test.ok {
				t.Errorf("%s after %v: sent %d times, %v", test.name, cause, rt.sent, err)
			}
			if err != nil {
				if !errors.Is(Outcome(err), jsonrpc.ErrOutcomeUnknown) || !Unreachable(err) || errors.Is(err, cause) {
					t.Errorf("%s after %v: the error is %v", test.name, cause, err)
				}
				continue
			}
			if body, err := io.ReadAll(resp.Body); string(body) != string(test.req.Body) || err != nil {
				t.Errorf("%s after %v: sent %q, %v", test.name, cause, body, err)
			}
			_ = resp.Body.Close()
		}
	}
	rt := &foreign{errs: []error{errOther}}
	c, err := New("", &http.Client{Transport: rt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), &Request{Method: "GET", URL: u}); !errors.Is(err, errOther) || rt.sent != 1 {
		t.Errorf("another error: sent %d times, %v", rt.sent, err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errOther)
	rt = &foreign{errs: []error{errOther, errOther}}
	if c, err = New("", &http.Client{Transport: rt}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(ended, &Request{Method: "GET", URL: u}); !errors.Is(err, errOther) || rt.sent > 1 {
		t.Errorf("an ended context: sent %d times, %v", rt.sent, err)
	}
}
