package host_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// uses are what a program does with the server x after it has failed. Only the
// first two are attempts that the program asks for.
var uses = []struct {
	name string
	do   func(context.Context, *host.Host) error
}{
	{"Connect", func(ctx context.Context, h *host.Host) error { return h.Connect(ctx, "x") }},
	{"Reconnect", func(ctx context.Context, h *host.Host) error { return h.Reconnect(ctx, "x") }},
	{"RefreshTools", func(ctx context.Context, h *host.Host) error { return h.Refresh(ctx, "x").Errors["x"] }},
	{"CallTool", func(ctx context.Context, h *host.Host) error {
		_, err := h.CallTool(ctx, "x", "echo", map[string]any{"message": "hi"})
		return err
	}},
}

// TestUseOfAFailedServerTriesAgain: the error of an older attempt is not returned
// without another one, whatever it was.
func TestUseOfAFailedServerTriesAgain(t *testing.T) {
	for _, failure := range []error{
		fmt.Errorf("no such program: %w", fs.ErrNotExist), errors.New("connection refused"),
		fmt.Errorf("odd response: %w", mcp.ErrMalformed), fmt.Errorf("flood: %w", mcp.ErrTooLarge),
	} {
		for _, use := range uses {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(nil)
				f.failWith(failure)
				fs := fakes{"x": f}
				h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: 1}}))
				if d := h.SetServers(t.Context(), fs.servers()); !errors.Is(d.Errors["x"], failure) {
					t.Fatalf("%+v", d.Errors)
				}
				synctest.Wait()
				before, other := f.opened(), errors.New("another reason")
				f.failWith(other)
				if err := use.do(t.Context(), h); !errors.Is(err, other) || f.opened() == before {
					t.Errorf("%v, %s: %v after %d attempts", failure, use.name, err, f.opened()-before)
				}
				f.failWith(nil)
				if err := use.do(t.Context(), h); err != nil {
					t.Errorf("%v, %s when the server is back: %v", failure, use.name, err)
				}
			})
		}
	}
}

// TestServerThatNeedsAuthorizationIsTriedOnRequest: a call of a model must not send
// the user to a login page again and again.
func TestServerThatNeedsAuthorizationIsTriedOnRequest(t *testing.T) {
	for i, use := range uses {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(nil)
			denied := errors.New("denied")
			f.failWith(denied)
			h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
				d.Classify = func(error) host.Category { return host.CategoryAuthentication }
				return pipe(f.open), nil
			}}})
			h.SetServers(t.Context(), fakes{"x": f}.servers())
			if got := state(t, h, "x"); got != host.NeedsAuth {
				t.Fatalf("the server is %v", got)
			}
			before := f.opened()
			f.failWith(nil)
			err := use.do(t.Context(), h)
			if tried := f.opened() > before; tried != (i < 2) || (err == nil) != tried || err != nil && !errors.Is(err, denied) {
				t.Errorf("%s: tried again: %v, %v", use.name, tried, err)
			}
		})
	}
}
