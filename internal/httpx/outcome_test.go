package httpx

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestOutcome(t *testing.T) {
	s := httptest.NewServer(nil)
	u, _ := Parse(s.URL)
	s.Close()
	_, refused := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u})
	for _, v := range []struct {
		err     error
		unknown bool
	}{
		{refused, false},
		{&RedirectError{}, false},
		{&StatusError{Status: 404}, false},
		{&StatusError{Status: 503}, false},
		{&StatusError{Status: 502}, true},
		{&StatusError{Status: 200}, true},
		{&requestError{err: io.ErrUnexpectedEOF}, true},
		{&net.OpError{Op: "read", Err: io.EOF}, true},
		{&TimeoutError{}, true},
	} {
		err := Outcome(v.err)
		if !errors.Is(err, v.err) || err.Error() != v.err.Error() || errors.Is(err, jsonrpc.ErrOutcomeUnknown) != v.unknown {
			t.Errorf("%v: unknown must be %v", err, v.unknown)
		}
	}
}

func TestBestEffort(t *testing.T) {
	if ctx := context.Background(); IsBestEffort(ctx) || !IsBestEffort(BestEffort(ctx)) {
		t.Error("quiet is not told from loud")
	}
}
