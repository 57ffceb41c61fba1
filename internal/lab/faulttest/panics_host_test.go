package faulttest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	hostskills "github.com/stdmcp/stdmcp/mcp/host/skillset"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/typed"
)

// hosting has a host of the servers bad and good call what set sets, which panics
// for bad. The other server works, and the panic is reported.
func hosting(set func(o *host.Options, bad *config.Server)) panicCase {
	return func(t *testing.T, p *panicLog) {
		synctest.Test(t, func(t *testing.T) {
			p := &panicLog{t: t}
			o := &host.Options{
				Client: &mcp.Options{Trace: p.trace()},
				Dialers: host.Dialers{config.Stdio: func(context.Context, *host.DialParams) (mcp.Transport, error) {
					return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(nil).Pipe(), nil }), nil
				}},
			}
			bad := &config.Server{Name: "bad", Type: config.Stdio, Command: "bad"}
			set(o, bad)
			h := host.New(o)
			_ = h.AddServer(t.Context(), bad)
			_ = h.AddServer(t.Context(), &config.Server{Name: "good", Type: config.Stdio, Command: "good"})
			time.Sleep(time.Minute) // in which the host tries again
			if _, err := h.Tool("mcp__good__echo").Call(t.Context(), map[string]any{"message": "hi"}); err != nil {
				t.Error(err)
			}
			_ = h.Shutdown(t.Context())
			p.reported()
		})
	}
}

// dialing replaces the dialer of the server bad.
func dialing(dial func(context.Context, *host.DialParams) (mcp.Transport, error)) panicCase {
	return hosting(func(o *host.Options, _ *config.Server) {
		good := o.Dialers[config.Stdio]
		o.Dialers = host.Dialers{config.Stdio: func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			if d.Name == "bad" {
				return dial(context.Background(), d)
			}
			return good(context.Background(), d)
		}}
	})
}

// host returns a host of one server, s, until the end of the test.
func (p *panicLog) host(server *mcptest.Server, o host.Options) *host.Host {
	p.t.Helper()
	o.Client, o.Dialers = &mcp.Options{Trace: p.trace()}, host.Dialers{config.SDK: server.Dialer()}
	h := host.New(&o)
	testutil.Must(p.t, h.AddServer(p.t.Context(), &config.Server{Name: "s", Type: config.SDK, ID: "s"}))
	p.t.Cleanup(func() { testutil.Check(p.t, h.Shutdown(context.Background())) })
	return h
}

// until returns an approver that calls approve until calm is set, and then allows
// everything.
func until(calm *atomic.Bool, approve host.Approver) host.Approver {
	return func(ctx context.Context, c *host.Call) (host.Decision, error) {
		if calm.Load() {
			return host.Allow, nil
		}
		return approve(ctx, c)
	}
}

// approving has an approver panic, on the goroutine of the call.
func approving(approve host.Approver) panicCase {
	return func(t *testing.T, p *panicLog) {
		for _, inView := range []bool{false, true} {
			var calm atomic.Bool
			var view *host.View
			if inView {
				view = p.host(p.serve(), host.Options{}).View("s").With(until(&calm, approve))
			} else {
				view = p.host(p.serve(), host.Options{Approve: until(&calm, approve)}).View("s")
			}
			tool := view.Tool("mcp__s__echo")
			p.passes(func() { _, _ = tool.Execute(t.Context(), nil) })
			calm.Store(true)
			_, err := tool.Execute(t.Context(), mcp.RawMessage(`{"message":"hi"}`))
			testutil.Check(t, err)
		}
	}
}

func panickingApprover(context.Context, *host.Call) (host.Decision, error) { panic(oh()) }

func onlyBad(server string) {
	if server == "bad" {
		panic(oh())
	}
}

type failing struct{}

func (failing) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (failing) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) {
	return nil, io.ErrUnexpectedEOF
}

var hostPanics = map[string]panicCase{
	"host.Options.Filter": hosting(func(o *host.Options, _ *config.Server) {
		o.Filter = func(server string, _ *mcp.Tool) bool { onlyBad(server); return true }
	}),
	"host.Options.Describe": hosting(func(o *host.Options, _ *config.Server) {
		o.Describe = func(server string, _ *mcp.Tool) string { onlyBad(server); return "" }
	}),
	"host.Naming host.Options.Naming": hosting(func(o *host.Options, _ *config.Server) {
		o.Naming = func(server, tool string) string { onlyBad(server); return "" }
	}),
	"host.Options.Expand": hosting(func(o *host.Options, _ *config.Server) {
		o.Expand = func(_ context.Context, s *config.Server) (*config.Server, error) { onlyBad(s.Name); return nil, nil }
	}),
	"host.Options.Client~Interceptors": hosting(func(o *host.Options, _ *config.Server) {
		o.Client.Interceptors = []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			onlyBad(host.ServerOf(ctx))
			return call.Send(ctx)
		}}
	}),
	"host.Options.Client~Interceptors-of-lists": hosting(func(o *host.Options, _ *config.Server) {
		o.Client.Interceptors = []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Method == "tools/list" {
				onlyBad(host.ServerOf(ctx))
			}
			return call.Send(ctx)
		}}
	}),
	"host.Dialer host.Dialers host.Options.Dialers": dialing(func(context.Context, *host.DialParams) (mcp.Transport, error) { panic(oh()) }),
	"host.InProcess(servers) dialers.Options.InProcess": func(t *testing.T, p *panicLog) {
		dialing(dialers.All(&dialers.Options{InProcess: map[string]mcp.Transport{"bad": hookedTransport{failing{}, panicsIn("Open"), nil}}})[config.SDK])(t, p)
		dialing(host.InProcess(map[string]mcp.Transport{"bad": hookedTransport{failing{}, panicsIn("Features"), nil}}))(t, p)
	},
	"host.DialParams.Cleanup": dialing(func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
		d.Cleanup = func() { panic(oh()) }
		return failing{}, nil
	}),
	"host.DialParams.Classify": dialing(func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
		d.Classify = func(error) host.Category { panic(oh()) }
		return failing{}, nil
	}),
	"host.DialParams.SetUnreachable(f)": hosting(func(o *host.Options, bad *config.Server) {
		o.Dialers[config.HTTP] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			d.SetUnreachable(func(error) bool { panic(oh()) })
			return failing{}, nil
		}
		bad.Type, bad.Command, bad.URL = config.HTTP, "", "http://bad.example"
	}),
	"dialers.Options.Client mcptest.HTTPServer.Client": hosting(func(o *host.Options, bad *config.Server) {
		client := &http.Client{Transport: panickingTripper{nil, "RoundTrip", func(*http.Request) bool { return true }}}
		o.Dialers[config.HTTP] = dialers.All(&dialers.Options{Client: client})[config.HTTP]
		bad.Type, bad.Command, bad.URL = config.HTTP, "", "http://bad.example"
	}),
	"host.Approver host.Options.Approve host.View.With(approve)": approving(panickingApprover),
	"host.Options.Called": func(t *testing.T, p *panicLog) {
		var calm bool // the goroutine of the call reads it
		h := p.host(p.serve(), host.Options{Called: func(context.Context, *host.CallReport) {
			if !calm {
				panic(oh())
			}
		}})
		tool, args := h.Tool("mcp__s__echo"), mcp.RawMessage(`{"message":"hi"}`)
		p.passes(func() { _, _ = tool.Execute(t.Context(), args) })
		calm = true
		_, err := tool.Execute(t.Context(), args)
		testutil.Check(t, err)
	},
	"host.First(approvers)": approving(host.First(host.Listed(true), panickingApprover)),
	"host.Asking(policy)":   approving(host.Asking(panickingApprover, nil)),
	"host.Asking(ask)":      approving(host.Asking(nil, panickingApprover)),
	"host.SearchOptions.Match": func(t *testing.T, p *panicLog) {
		tools := p.host(p.serve(), host.Options{}).ToolSearch(&host.SearchOptions{Threshold: -1, Match: func(context.Context, string, []*host.Tool, int) ([]*host.Tool, error) { panic(oh()) }}).Tools()
		_, err := tools[0].Execute(t.Context(), mcp.RawMessage(`{"query":"x"}`))
		testutil.Check(t, err)
		p.reported()
	},
	"host.Options.Start host.DialParams.Start": hosting(func(o *host.Options, bad *config.Server) {
		good := o.Dialers[config.Stdio]
		o.Start = func(string, *exec.Cmd) error { panic(oh()) }
		o.Dialers = host.Dialers{config.Stdio: func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			if d.Name == "bad" {
				return host.Stdio(context.Background(), d)
			}
			return good(context.Background(), d)
		}}
		bad.Command, _ = os.Executable()
	}),
	"host.Host.Follow(apply) host.View.Follow(apply)": func(t *testing.T, p *panicLog) {
		h := p.host(p.serve(), host.Options{})
		panics := true // only Sync reads it
		tools := h.View("s").Follow(t.Context(), func(*host.ToolsUpdate) {
			if panics {
				panic(oh())
			}
		})
		p.reported()
		panics = false
		testutil.Check(t, tools.Sync(t.Context()))
		_, err := h.Tool("mcp__s__echo").Execute(t.Context(), mcp.RawMessage(`{"message":"hi"}`))
		testutil.Check(t, err)
	},
	"host.Host.NewTool(run)": func(t *testing.T, p *panicLog) {
		tool := p.host(p.serve(), host.Options{}).NewTool(&mcp.Tool{Name: "t"}, func(context.Context, mcp.RawMessage) (string, error) { panic(oh()) })
		outcome(t, "run", p, func() error { _, err := tool.Execute(t.Context(), nil); return err })
	},
	"config.Config.Trust(ask)": func(t *testing.T, p *panicLog) {
		c := config.Parse([]byte(`{"mcpServers":{"s":{"command":"s"}}}`), ".mcp.json", "project")
		p.passes(func() { c.Trust(func(*config.Server) bool { panic(oh()) }) })
		if c.Trust(func(*config.Server) bool { return true }); !c.Servers[0].Trusted() {
			t.Error("the server is not trusted")
		}
	},
	"config.Vars.Lookup": func(t *testing.T, p *panicLog) {
		lookup := func(name string) (string, bool) {
			if name == "BAD" {
				panic(oh())
			}
			return "", false
		}
		s := &config.Server{Name: "bad", Type: config.Stdio, Command: "bad", Args: []string{"${BAD}"}}
		p.passes(func() { _, _ = s.Expand(t.Context(), &config.Vars{Lookup: lookup}) })
		hosting(func(o *host.Options, bad *config.Server) { o.Vars.Lookup, bad.Args = lookup, s.Args })(t, p)
	},
	"config.Vars.Input": func(t *testing.T, p *panicLog) {
		input := func(context.Context, string) (string, error) { panic(oh()) }
		s := &config.Server{Name: "bad", Type: config.Stdio, Command: "bad", Args: []string{"${input:x}"}}
		p.passes(func() { _, _ = s.Expand(t.Context(), &config.Vars{Input: input}) })
		hosting(func(o *host.Options, bad *config.Server) { o.Vars.Input, bad.Args = input, s.Args })(t, p)
	},
}

type panickingTool struct{ method string }

func (d panickingTool) Name() string        { panicIn(d.method, "Name"); return "t" }
func (d panickingTool) Description() string { panicIn(d.method, "Description"); return "d" }
func (d panickingTool) InputSchema() mcp.RawMessage {
	panicIn(d.method, "InputSchema")
	return mcp.RawMessage(`{"type":"object"}`)
}

type panickingValue struct{}

func (panickingValue) MarshalJSON() ([]byte, error) { panic(oh()) }

func panickingFunc(*mcptest.Call) (any, error) { panic(oh()) }

// otherPanics are those of conveniences, on the caller's goroutine, and of servers
// in tests, whose clients get an error.
var otherPanics = map[string]panicCase{
	"schema.Tool schema.List(tools)": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Name", "Description", "InputSchema"} {
			for _, define := range []schema.Definer{schema.Anthropic, schema.Gemini, schema.OpenAI, schema.OpenAIResponses} {
				p.passes(func() { _, _ = schema.List(define, []panickingTool{{method}}) })
			}
		}
	},
	"schema.Definer schema.List(define)": func(t *testing.T, p *panicLog) {
		p.passes(func() {
			_, _ = schema.List(func(schema.Tool) (mcp.RawMessage, error) { panic(oh()) }, []panickingTool{{}})
		})
	},
	"schema.DeferLoading(define)": func(t *testing.T, p *panicLog) {
		p.passes(func() {
			_, _ = schema.DeferLoading(func(schema.Tool) (mcp.RawMessage, error) { panic(oh()) }, nil)(panickingTool{})
		})
	},
	"schema.DeferLoading(deferred)": func(t *testing.T, p *panicLog) {
		p.passes(func() {
			_, _ = schema.DeferLoading(schema.Anthropic, func(schema.Tool) bool { panic(oh()) })(panickingTool{})
		})
	},
	"mcp.ToolCall~Arguments": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, nil)
		p.passes(func() { _, _ = c.CallTool(t.Context(), "echo", map[string]any{"message": panickingValue{}}) })
		p.passes(func() { _, _ = typed.Call[panickingValue, any](t.Context(), c, "echo", panickingValue{}) })
		p.alive(c)
	},
	"mcp.Client~range mcp.Client.CallList(f)": func(t *testing.T, p *panicLog) {
		c := p.connect(nil, nil)
		p.passes(func() {
			for range c.Tools(t.Context()) {
				panic(oh())
			}
		})
		p.passes(func() {
			_ = c.CallList(t.Context(), "tools/list", "", "tools", func(mcp.RawMessage) bool { panic(oh()) })
		})
		p.alive(c)
	},
	"skills.Options.Frontmatter": func(t *testing.T, p *panicLog) {
		const text = "---\nname: s\ndescription: d\n---\n"
		c := p.open(stdio.Stream(testserver.Replies(map[string]string{
			"server/discover": result(`{"resultType":"complete","supportedVersions":["` + modern + `"],"capabilities":{"resources":{},"extensions":{"` + skills.Extension + `":{}}}}`),
			"skills/list": result(`{"resultType":"complete","skills":[{"uri":"skill://s/SKILL.md","frontmatter":{"name":"s","description":"d"},"resources":[{"uri":"skill://s/SKILL.md","size":` +
				strconv.Itoa(len(text)) + `,"digest":"sha256:` + fmt.Sprintf("%x", sha256.Sum256([]byte(text))) + `"}]}]}`),
			"resources/read": result(`{"resultType":"complete","contents":[{"uri":"skill://s/SKILL.md","text":` + strconv.Quote(text) + `}]}`),
		}).Pipe()), &mcp.Options{ProtocolVersions: []string{modern}})
		list, err := skills.NewReader(c, &skills.Options{Frontmatter: func([]byte) (map[string]any, error) { panic(oh()) }}).List(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		p.passes(func() { _, _ = list[0].Read(t.Context(), "SKILL.md") })
		if list, err := skills.NewReader(c, nil).List(t.Context()); err != nil || len(list) != 1 {
			t.Error(list, err)
		}
	},
	"skillset.Options.Approve": func(t *testing.T, p *panicLog) {
		server := p.serve()
		server.Skill("skill://s/refunds", nil)
		var calm atomic.Bool
		set := hostskills.New(p.host(server, host.Options{}), &hostskills.Options{Approve: until(&calm, panickingApprover)})
		read := set.Tools()[1]
		p.passes(func() { _, _ = set.Open(t.Context(), "s__refunds") })
		outcome(t, "read_skill", p, func() error {
			_, err := read.Execute(t.Context(), mcp.RawMessage(`{"skill":"s__refunds"}`))
			return err
		})
		calm.Store(true)
		if text, err := read.Execute(t.Context(), mcp.RawMessage(`{"skill":"s__refunds"}`)); err != nil || !strings.Contains(text, "Nothing to do.") {
			t.Error(text, err)
		}
	},
	"mcptest.Func mcptest.Server.Tool(f) mcptest.Server.SetTool(f) mcptest.Server.Template(f) mcptest.Server.Prompt(f) mcptest.Server.Complete(values)": func(t *testing.T, p *panicLog) {
		s := p.serve()
		s.Tool("bad", `{"type":"object"}`, panickingFunc)
		s.SetTool(&mcp.Tool{Name: "worse", InputSchema: mcp.RawMessage(`{"type":"object"}`)}, panickingFunc)
		s.Template("file:///{name}", "text/plain", panickingFunc)
		s.Prompt("ask", panickingFunc, "name")
		s.Complete(mcp.PromptRef("ask"), "name", func(string) []string { panic(oh()) })
		c := p.open(s, nil)
		for what, f := range map[string]func() error{
			"tool":       func() error { _, err := c.CallTool(t.Context(), "bad", nil); return err },
			"other tool": func() error { _, err := c.CallTool(t.Context(), "worse", nil); return err },
			"resource":   func() error { _, err := c.ReadResource(t.Context(), "file:///a"); return err },
			"prompt":     func() error { _, err := c.GetPrompt(t.Context(), "ask", nil); return err },
			"completion": func() error {
				_, err := c.Complete(t.Context(), mcp.PromptRef("ask"), "name", "", nil)
				return err
			},
		} {
			if err := f(); err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		p.alive(c)
	},
}
