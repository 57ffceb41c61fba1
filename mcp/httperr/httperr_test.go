package httperr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func ExampleStatusError() {
	err := fmt.Errorf("connect: %w", &httperr.StatusError{
		Method: "POST", URL: "https://example.com/mcp", Status: http.StatusTooManyRequests, RetryAfter: 5 * time.Second,
	})
	var status *httperr.StatusError
	if errors.As(err, &status) && status.Temporary() {
		fmt.Println("wait for", status.RetryAfter)
	}
	fmt.Println(status)
	// Output:
	// wait for 5s
	// POST https://example.com/mcp: 429 Too Many Requests, the server asks for fewer requests, try again in 5s
}

// TestStatusDecides: FirstOf of package mcp tries the next transport if the error is an
// OtherTransportError.
func TestStatusDecides(t *testing.T) {
	for status, want := range map[int]struct{ other, unauthorized bool }{
		400: {true, false}, 401: {false, true}, 403: {false, false}, 404: {true, false}, 405: {true, false},
		406: {true, false}, 415: {true, false}, 429: {false, false}, 500: {false, false},
	} {
		err := &httperr.StatusError{Status: status}
		var other mcp.OtherTransportError = err
		if other.OtherTransport() != want.other || err.Unauthorized() != want.unauthorized {
			t.Errorf("%d: %v, %v", status, other.OtherTransport(), err.Unauthorized())
		}
	}
}

func TestErrorsMatch(t *testing.T) {
	if err := error(&httperr.TimeoutError{What: "no response", After: time.Second}); !errors.Is(err, context.DeadlineExceeded) || err.Error() != "no response within 1s" {
		t.Error(err)
	}
	page := &httperr.StatusError{Method: "GET", URL: "u", Status: 200, ContentType: "text/html", Want: "application/json"}
	if !errors.Is(page, jsonrpc.ErrMalformed) || page.Error() != "GET u: 200 OK with text/html instead of application/json (a web page)" {
		t.Error(page)
	}
	encoded := &httperr.StatusError{Method: "GET", URL: "u", Status: 200, ContentType: "application/json", ContentEncoding: "br", Want: "application/json"}
	if encoded.Error() != "GET u: 200 OK with application/json encoded in br instead of application/json" || !encoded.Permanent() {
		t.Error(encoded)
	}
	if err := (&httperr.RedirectError{Status: 302, From: "a", To: "b", Reason: "no"}); err.Error() != "302 Found from a to b: no" {
		t.Error(err)
	}
	if err := (&httperr.OriginError{From: "a", To: "b"}); err.Error() != "a refers to another origin, b, which is not trusted" {
		t.Error(err)
	}
}
