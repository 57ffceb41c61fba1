package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func Example_capabilities() {
	ctx := context.Background()
	h := host.New(fakes{"github": newFake(nil)}.with(host.Options{Naming: host.MCPUnderscore}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "github", Type: config.SDK, Lazy: true}})
	if err := h.Connect(ctx, "github"); err != nil {
		fmt.Println(err)
	}

	// The agent has capabilities. Its execute function never returns an error.
	agent := h.View().Can(host.Capabilities{"mcp_github_echo"})
	execute := func(name string, params map[string]any) (success bool, result any) {
		t := agent.Tool(name)
		if t == nil {
			return false, "tool not found"
		}
		res, err := t.Call(ctx, params)
		if err != nil {
			return false, err.Error()
		}
		if data := host.Structured(res); data != nil {
			v, err := mcp.DecodeValue(data)
			return err == nil && !res.IsError, v
		}
		return !res.IsError, res.Text()
	}
	fmt.Println(execute("mcp_github_echo", map[string]any{"message": `{"issue": 42}`}))
	fmt.Println(execute("mcp_github_add_tool", nil))
	// Output:
	// true map[issue:42]
	// false tool not found
}

func Example_toolErrors() {
	ctx := context.Background()
	servers := fakes{"sqlite": newFake(nil)}
	h := host.New(servers.with(host.Options{Naming: host.ServerTool}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, servers.servers())

	// The agent expects a string for each call.
	call := func(name, arguments string) string {
		text, err := h.Execute(ctx, name, mcp.RawMessage(arguments))
		if err != nil {
			return "Error: " + err.Error()
		}
		return text
	}
	fmt.Println(call("sqlite__echo", `{"message":"3 rows"}`))
	fmt.Println(call("sqlite__fail", `{"message":"no such table"}`))
	// Output:
	// 3 rows
	// Error: [MCP:sqlite] tool failed: no such table
}

func Example_toolInterface() {
	ctx := context.Background()
	h := host.New(fakes{"github": newFake(nil)}.with(host.Options{}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "github", Type: config.SDK}})

	// The agent's registry holds tools of its own interface.
	registry := make(map[string]registryTool)
	for _, t := range append(h.Tools(), h.ResourceTools()...) {
		registry[t.Name()] = t
	}
	ask := func(tool string) bool { return strings.HasPrefix(tool, "mcp__github__") }

	// The agent executes the calls of the model.
	execute := func(name, input string) string {
		t := registry[name]
		if t.RequiresPermission(json.RawMessage(input)) && !ask(name) {
			return "permission denied"
		}
		text, err := t.Execute(ctx, json.RawMessage(input))
		if err != nil {
			return err.Error()
		}
		return text
	}
	fmt.Println(execute("mcp__github__echo", `{"message":"Issue #42 created successfully"}`))
	fmt.Println(execute("ListMcpResources", `{"server":"nobody"}`))
	// Output:
	// Issue #42 created successfully
	// [MCP:nobody] not found: unknown server
}

func Example_registry() {
	ctx := context.Background()
	servers := fakes{"filesystem": newFake(nil)}
	h := host.New(servers.with(host.Options{}))
	defer h.Shutdown(ctx)
	d := h.SetServers(ctx, servers.servers())
	for name, err := range d.Errors {
		fmt.Println("warning:", name, err)
	}

	// The agent's registry, and a call of the model.
	registry := make(map[string]*host.Tool)
	for _, t := range h.View("filesystem").Tools() {
		registry[t.Name()] = t
	}
	text, err := registry["mcp__filesystem__echo"].Execute(ctx, mcp.RawMessage(`{"message":"Hello"}`))
	fmt.Println(text, err)
	// Output: Hello <nil>
}

func Example_toolUse() {
	ctx := context.Background()
	h := host.New(fakes{"calc": newFake(nil)}.with(host.Options{}))
	defer h.Shutdown(ctx)
	d := h.SetServers(ctx, []*host.Server{{Name: "calc", Type: config.SDK, Scope: "project"}})
	fmt.Println(d.Added, d.Removed, d.Errors)

	// A tool_use block of the model becomes a tool_result block.
	toolUse := func(name, input string) (content string, isError bool) {
		res, err := h.Call(ctx, name, mcp.RawMessage(input))
		if err != nil {
			return err.Error(), true
		}
		return host.Text(res), res.IsError
	}
	fmt.Println(toolUse("mcp__calc__add", `{"a":20,"b":22}`))
	for _, s := range h.Status() {
		fmt.Println(s.Name, s.Word(), s.Scope)
	}
	// Output:
	// [calc] [] map[]
	// 42 false
	// calc connected project
}
