package host_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestPanicsOfTheProgram makes each function panic that a program passes to a
// host: the process lives, the panic is reported, and another server works.
func TestPanicsOfTheProgram(t *testing.T) {
	oops := func() { panic("oh no") }
	only := func(server string, f func()) {
		if server == "bad" {
			f()
		}
	}
	for name, set := range map[string]func(*host.Options){
		"Event":    func(o *host.Options) { o.Event = func(host.Event) { oops() } },
		"Filter":   func(o *host.Options) { o.Filter = func(s string, _ *mcp.Tool) bool { only(s, oops); return true } },
		"Describe": func(o *host.Options) { o.Describe = func(s string, _ *mcp.Tool) string { only(s, oops); return "" } },
		"Vars.Input": func(o *host.Options) {
			o.Vars.Input = func(context.Context, string) (string, error) { oops(); return "", nil }
		},
		"Vars.Lookup": func(o *host.Options) {
			o.Vars.Lookup = func(name string) (string, bool) {
				if name == "BAD" {
					oops()
				}
				return "", false
			}
		},
		"Dialers": func(o *host.Options) {
			good := o.Dialers[config.Stdio]
			o.Dialers = host.Dialers{config.Stdio: func(p *host.DialParams) (mcp.Transport, error) {
				only(p.Name, oops)
				return good(p)
			}}
		},
		"Transport.Open": func(o *host.Options) {
			good := o.Dialers[config.Stdio]
			o.Dialers = host.Dialers{config.Stdio: func(p *host.DialParams) (mcp.Transport, error) {
				if p.Name == "bad" {
					return panicking{}, nil
				}
				return good(p)
			}}
		},
		"Intercept": func(o *host.Options) {
			o.Client.Intercept = func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				only(host.ServerOf(ctx), oops)
				return call.Send(ctx)
			}
		},
		"Intercept of the list": func(o *host.Options) {
			o.Client.Intercept = func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				if call.Method == "tools/list" {
					only(host.ServerOf(ctx), oops)
				}
				return call.Send(ctx)
			}
		},
		"Log": func(o *host.Options) { o.Client.Log = func(context.Context, *mcp.LogMessage) { oops() } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reported := make(chan any, 1000)
				o := &host.Options{
					Client: &mcp.Options{Trace: &mcp.Trace{HandlerPanic: func(v any, stack []byte) { reported <- v }}},
					Dialers: host.Dialers{config.Stdio: func(*host.DialParams) (mcp.Transport, error) {
						return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(nil).Pipe(), nil }), nil
					}},
				}
				set(o)
				h := host.New(o)
				bad := &config.Server{Name: "bad", Type: config.Stdio, Command: "bad"}
				if name == "Vars.Input" {
					bad.Args = []string{"${input:x}"}
				}
				if name == "Vars.Lookup" {
					bad.Args = []string{"${BAD}"}
				}
				_ = h.AddServer(t.Context(), bad)
				_ = h.AddServer(t.Context(), &config.Server{Name: "good", Type: config.Stdio, Command: "good"})
				time.Sleep(time.Minute)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if tool := h.Tool("mcp__good__echo"); tool == nil {
					t.Errorf("the other server has no tools; there are %d", len(h.Tools()))
				} else if _, err := tool.Call(ctx, map[string]any{"message": "hi"}); err != nil {
					t.Error(err)
				}
				if name == "Log" {
					if tool := h.Tool("mcp__good__log"); tool != nil {
						_, _ = tool.Call(ctx, map[string]any{})
					}
				}
				_ = h.Shutdown(ctx)
				synctest.Wait()
				if len(reported) == 0 && name != "Log" {
					t.Error("no panic is reported")
				}
				for range len(reported) {
					if v := <-reported; v != "oh no" {
						t.Errorf("reported %v", v)
					}
				}
			})
		})
	}
}

// panicking is a transport whose Open panics.
type panicking struct{}

func (panicking) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { panic("oh no") }
