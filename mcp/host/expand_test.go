package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A program replaces templates of its own, such as $(command), for each attempt.
// Only the connection gets the values, and no text contains them.
func TestProgramExpandsSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, attempts, locked := newFake(nil), 0, errors.New("the keychain is locked")
		o := fakes{"x": f}.with(host.Options{Retry: host.Retry{Max: -1}})
		o.Expand = func(_ context.Context, s *host.Server) (*host.Server, error) {
			if attempts++; attempts == 3 {
				return nil, locked
			}
			expanded := *s
			expanded.Env = []string{strings.ReplaceAll(s.Env[0], "$(pass)", fmt.Sprint("s3cret-", attempts))}
			return &expanded, nil
		}
		dial, dialed, fail := o.Dialers[config.SDK], []string(nil), false
		o.Dialers[config.SDK] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			if dialed = append(dialed, d.Env...); fail {
				return nil, errors.New("refused " + d.Env[0])
			}
			return dial(context.Background(), d)
		}
		h := newHost(t, o)
		s := &host.Server{Name: "x", Type: config.SDK, Env: []string{"KEY=$(pass)${V}"}, Literal: true}
		if err := h.AddServer(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		fail = true
		if err := h.Reconnect(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "refused KEY=***") {
			t.Errorf("a dialer that fails: %v", err)
		}
		var e *host.Error
		if err := h.Reconnect(t.Context(), "x"); !errors.Is(err, locked) || !errors.As(err, &e) || e.Category != host.CategoryConfiguration {
			t.Errorf("Expand that fails: %v", err)
		}
		if want := []string{"KEY=s3cret-1${V}", "KEY=s3cret-2${V}"}; !slices.Equal(dialed, want) || attempts != 3 {
			t.Errorf("dialed with %q in %d attempts, want %q", dialed, attempts, want)
		}
		if status := fmt.Sprintf("%+v", *h.Status()[0].Config); strings.Contains(status, "s3cret") || s.Env[0] != "KEY=$(pass)${V}" {
			t.Errorf("status: %s, settings: %q", status, s.Env)
		}
	})
}

// Without settings of its own, Expand leaves those of the server unchanged.
func TestProgramExpandsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{
			Expand: func(context.Context, *host.Server) (*host.Server, error) { return nil, nil },
		})
		if got := state(t, h, "x"); got != host.Connected {
			t.Errorf("state: %v", got)
		}
	})
}

func ExampleOptions_expand() {
	commands := map[string]string{"github-token": "ghp_1234"} // what a program would run or look up
	h := host.New(&host.Options{
		Expand: func(_ context.Context, s *host.Server) (*host.Server, error) {
			expanded := *s
			expanded.Env = nil
			for _, v := range s.Env {
				for name, output := range commands {
					v = strings.ReplaceAll(v, "$("+name+")", output)
				}
				expanded.Env = append(expanded.Env, v)
			}
			return &expanded, nil
		},
	})
	defer h.Shutdown(context.Background())
	diff := h.SetServers(context.Background(), []*host.Server{{
		Name: "github", Command: "no-such-program", Env: []string{"TOKEN=$(github-token)"}, Literal: true,
	}})
	fmt.Println(len(diff.Errors), "server failed:", h.Status()[0].Config.Env)
	// Output: 1 server failed: [TOKEN=***]
}
