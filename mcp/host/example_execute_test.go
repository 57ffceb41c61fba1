package host_test

import (
	"context"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp/host"
)

func ExampleHost_Execute() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for _, name := range []string{"mcp__echo__echo", "mcp__echo__ehco"} { // as the model wrote them
		text, err := h.Execute(ctx, name, []byte(`{"message":"hi"}`))
		if err != nil {
			text = err.Error() // goes to the model, too
		}
		fmt.Println(text)
	}
	// Output:
	// hi
	// [MCP] tool "mcp__echo__ehco" was not called: unknown tool; did you mean "mcp__echo__echo"?
}

func ExampleHost_Call() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	res, err := h.Call(ctx, "mcp__echo__echo", []byte(`{"message":"hi"}`))
	fmt.Println(res.Content[0].Text, err)
	// Output: hi <nil>
}

func ExampleView_Execute() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	agent := h.View("echo").Can(host.Capabilities{"mcp_echo_add"})
	fmt.Println(agent.Execute(ctx, "mcp__echo__add", []byte(`{"a":1,"b":2}`)))
	_, err := agent.Call(ctx, "mcp__echo__echo", nil)
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// [MCP] tool "mcp__echo__echo" was not called: unknown tool; none of the 1 tools has a similar name
}

func ExampleHost_UnmatchedRules() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	rules := []host.Rule{{Tool: "mcp__echo__*", Action: host.Allow}, {Tool: "mcp__echo__delte", Action: host.Deny}}
	for _, rule := range h.UnmatchedRules(rules...) {
		fmt.Println("no tool is named", rule.Tool)
	}
	// Output: no tool is named mcp__echo__delte
}
