package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"syscall"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// exampleHost returns a host with an in-process server, called echo. A real
// program reads its servers from files; see package config.
func exampleHost(ctx context.Context, opts *host.Options) *host.Host {
	open := func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(nil).Pipe(), nil }
	if opts == nil {
		opts = &host.Options{}
	}
	opts.Dialers = host.Dialers{config.SDK: host.InProcess(map[string]mcp.Transport{"echo": stdio.Dial(open)})}
	h := host.New(opts)
	diff := h.SetServers(ctx, []*host.Server{{Name: "echo", Type: config.SDK}})
	if err := diff.Err(); err != nil {
		log.Fatal(err)
	}
	return h
}

func ExampleInProcess() {
	// The server runs at the other end of the pipe.
	open := func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(nil).Pipe(), nil }
	ctx := context.Background()
	h := host.New(&host.Options{Dialers: host.Dialers{
		config.Stdio: host.Stdio, // for child processes
		config.SDK:   host.InProcess(map[string]mcp.Transport{"echo": stdio.Dial(open)}),
	}})
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, []*host.Server{{Name: "echo", Type: config.SDK}})
	fmt.Println(diff.Added, diff.Err())
	text, err := h.Tool("mcp__echo__echo").Execute(ctx, []byte(`{"message":"hi"}`))
	fmt.Println(text, err)
	// Output:
	// [echo] <nil>
	// hi <nil>
}

func ExampleNaming() {
	for _, naming := range []host.Naming{host.MCPServerTool, host.ServerTool, host.MCPUnderscore, host.Underscore} {
		fmt.Println(naming("github", "create_issue"))
	}
	own := &host.Options{Naming: func(server, tool string) string {
		if server == "github" {
			return tool // without the name of the server
		}
		return host.ServerTool(server, tool)
	}}
	fmt.Println(own.Naming("github", "create_issue"))
	// Output:
	// mcp__github__create_issue
	// github__create_issue
	// mcp_github_create_issue
	// github_create_issue
	// create_issue
}

func ExampleDialParams_SetUnreachable() {
	dial := func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
		d.SetUnreachable(func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) })
		return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
			return nil, syscall.ECONNREFUSED // a real dialer connects to d.URL
		}), nil
	}
	ctx := context.Background()
	h := host.New(&host.Options{Dialers: host.Dialers{"unix": dial}})
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "files", Type: "unix", URL: "unix:///run/files"}})
	s, _ := h.ServerStatus("files") // the only error is an unknown name
	fmt.Println(s.State)            // not "failed": the host checks until the server is reachable
	// Output: reconnecting
}

func ExampleHost_Status() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for _, s := range h.Status() {
		fmt.Println(s.Name, s.Word(), s.Info.ProtocolVersion, len(s.Tools), "tools")
	}
	if err := h.SetEnabled("echo", false); err != nil {
		log.Fatal(err)
	}
	s, err := h.ServerStatus("echo")
	fmt.Println(s.Word(), err, len(h.Tools()), "tools")
	// Output:
	// echo connected 2026-07-28 17 tools
	// disabled <nil> 0 tools
}

func ExampleHost_Events() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	events := h.Events(ctx)
	if _, err := h.CallTool(ctx, "echo", "add_tool", nil); err != nil {
		log.Fatal(err)
	}
	for e := range events {
		if e.Kind == host.ToolsChanged {
			fmt.Println("new:", e.Added)
			break
		}
	}
	// Output: new: [mcp__echo__tool_001]
}

func ExampleHost_View() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	helper := h.View("echo", "files").Can(host.Capabilities{"mcp_echo_add", "mcp_echo_echo"})
	for _, t := range helper.Tools() {
		fmt.Println(t.Name())
	}
	fmt.Println("unknown:", helper.Unknown())
	// Output:
	// mcp__echo__echo
	// mcp__echo__add
	// unknown: [files]
}

// decide prints the decisions about calls.
func decide(approve host.Approver, calls ...*host.Call) {
	for _, c := range calls {
		decision, err := approve(context.Background(), c)
		fmt.Printf("%s: %q %v\n", c.Name, decision, err)
	}
}

func ExampleRules() {
	yes := true
	approve := host.First(
		host.Rules(
			host.Rule{Tool: "mcp__files__delete_*", Action: host.Deny},
			host.Rule{Tool: "mcp__files__*", Action: host.Ask},
		),
		host.ReadOnly, // decides if no rule matches
	)
	decide(approve,
		&host.Call{Name: "mcp__files__delete_all"},
		&host.Call{Name: "mcp__files__write"},
		&host.Call{Name: "mcp__web__search", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &yes}},
		&host.Call{Name: "mcp__web__post"},
	)
	// Output:
	// mcp__files__delete_all: "deny" <nil>
	// mcp__files__write: "ask" <nil>
	// mcp__web__search: "allow" <nil>
	// mcp__web__post: "" <nil>
}

func ExampleAsking() {
	user := func(_ context.Context, c *host.Call) (host.Decision, error) {
		fmt.Println("Allow", c.Tool, "to be called?") // and wait for the answer
		return host.Allow, nil
	}
	trustProjects := false
	approve := host.Asking(host.Listed(trustProjects), user)
	decide(approve,
		&host.Call{Name: "mcp__files__list", Tool: "list", Scope: "user", Listed: true},
		&host.Call{Name: "mcp__build__list", Tool: "list", Scope: "project", Listed: true},
	)
	// Output:
	// mcp__files__list: "allow" <nil>
	// Allow list to be called?
	// mcp__build__list: "allow" <nil>
}

func ExampleCapabilities() {
	c := host.Capabilities{"mcp_files", "mcp_web_search"}
	fmt.Println(c.Allow("files", "write"), c.Allow("web", "search"), c.Allow("web", "post"))
	// Output: true true false
}

// The tools that write need a capability of the agent's own.
func ExampleCapabilities_Requiring() {
	required := map[string][]string{"mcp__files__write*": {"file_editing"}}
	for _, c := range []host.Capabilities{{"mcp_files"}, {"mcp_files", "file_editing"}} {
		approve := host.First(c.Approve, c.Requiring(required), host.Rules(host.Rule{Tool: "*", Action: host.Allow}))
		for _, tool := range []string{"read", "write_all"} {
			decision, err := approve(context.Background(), &host.Call{Server: "files", Tool: tool, Name: "mcp__files__" + tool})
			fmt.Println(tool, decision, err)
		}
	}
	// Output:
	// read allow <nil>
	// write_all deny <nil>
	// read allow <nil>
	// write_all allow <nil>
}

func ExampleText() {
	res := &mcp.CallToolResult{Content: []mcp.Content{
		mcp.TextContent(`{"temperature": 21}`),
		{Type: mcp.ContentImage, MIMEType: "image/png", Data: "iVBORw0KGgo="},
	}}
	fmt.Println(host.Text(res))
	fmt.Println(host.Text(&mcp.CallToolResult{Content: res.Content[:1]}))
	res.Content = res.Content[:1]
	fmt.Println(mcp.DecodeValue(host.Structured(res)))
	// Output:
	// {"temperature": 21}
	// [image content: image/png, 8 bytes]
	// {"temperature": 21}
	// map[temperature:21] <nil>
}

func ExampleDescribe() {
	tool := &mcp.Tool{Name: "search", Description: "Searches the web."}
	fmt.Println(host.Describe("web", tool))         // the default of Options.Describe
	fmt.Println(host.PlainDescription("web", tool)) // an alternative
	// Output:
	// [MCP:web] Searches the web.
	// Searches the web.
}

func ExampleHost_AddServer() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	// The same server under another name counts as a second server.
	err := h.AddServer(ctx, &host.Server{Name: "again", Type: config.SDK, ID: "echo"})
	fmt.Print(err, "\n", h.View("again").Tools()[0].Name(), "\n")
	fmt.Println(h.RemoveServer(ctx, "again"), len(h.View("again").Tools()))
	// Output:
	// <nil>
	// mcp__again__echo
	// <nil> 0
}

func ExampleServerOf() {
	ctx := context.Background()
	h := exampleHost(ctx, &host.Options{Client: &mcp.Options{Handlers: []mcp.Handler{
		mcp.Elicitation{Form: func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			fmt.Println(host.ServerOf(ctx), "asks:", p.Message)
			return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
		}},
	}}})
	defer h.Shutdown(ctx)
	if _, err := h.CallTool(ctx, "echo", "ask_elicitation", nil); err != nil {
		log.Fatal(err)
	}
	// Output: echo asks: What is your name?
}
