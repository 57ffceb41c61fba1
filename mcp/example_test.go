package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// exampleServer returns a transport to a server in memory. A program usually has
// stdio.Command instead.
func exampleServer() mcp.Transport {
	return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(nil).Pipe(), nil })
}

// exampleClient returns a client of that server.
func exampleClient(ctx context.Context) *mcp.Client {
	client, err := mcp.Connect(ctx, exampleServer(), nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleConnect() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// Usually: stdio.Command("npx", "-y", "@modelcontextprotocol/server-everything", "stdio")
	client, err := mcp.Connect(ctx, exampleServer(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	server := client.Server()
	fmt.Println(server.Name, server.Version, "speaks", server.ProtocolVersion)
	// Output: stdmcp-echo 1.0.0 speaks 2026-07-28
}

// A server in the same program needs no process: a pipe connects it.
func ExampleConnect_inProcess() {
	serve := func(theirs net.Conn) { // any server that reads and writes lines; it ends when the pipe is closed
		for lines := bufio.NewScanner(theirs); lines.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				return
			}
			switch m.Method {
			case "server/discover":
				fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],`+
					`"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`+"\n", m.ID)
			case "tools/call":
				fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"hi"}]}}`+"\n", m.ID)
			}
		}
	}
	transport := stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go serve(theirs)
		return ours, nil
	})

	ctx := context.Background()
	client, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "hello", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output: hi
}

func ExampleOptions() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{
		Info:             mcp.Implementation{Name: "my-program", Version: "1.2.3"},
		ProtocolVersions: []string{mcp.ProtocolVersion20250618}, // only initialize, without server/discover
		Timeout:          10 * time.Second,
		Trace:            &mcp.Trace{Discarded: func(_ context.Context, reason error, _ []byte) { log.Print(reason) }},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(client.Server().ProtocolVersion)
	// Output: 2025-06-18
}

func ExampleProtocolVersions() {
	fmt.Println(mcp.ProtocolVersions())
	// Output: [2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05]
}

func ExampleClient_CallTool() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	res, err := client.CallTool(ctx, "add", map[string]any{"a": 1, "b": 2})
	if err != nil {
		log.Fatal(err)
	}
	if res.IsError {
		log.Fatal("the tool says: ", res.Text())
	}
	fmt.Println(res.Text())
	fmt.Println(string(res.StructuredContent))
	// Output:
	// 3
	// {"sum":3}
}

func ExampleClient_Do() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	res, err := client.Do(ctx, &mcp.ToolCall{
		Name:      "slow",
		Arguments: map[string]any{"seconds": 0.01, "steps": 2},
		Progress:  func(p mcp.Progress) { fmt.Println(p.Progress, "of", *p.Total) },
		Timeout:   time.Minute, // without progress
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output:
	// 1 of 2
	// 2 of 2
	// Done after 0.01 seconds.
}

// Calls without parameters for them get progress and a timeout, too.
func ExampleClient_With() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	patient := client.With(mcp.CallOptions{
		Progress: func(p mcp.Progress) { fmt.Println(p.Progress) },
		Timeout:  5 * time.Minute,
		Meta:     map[string]any{"com.example/user": "ada"},
	})
	res, err := patient.ReadResource(ctx, "echo://text")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Contents[0].URI)
	// Output: echo://text
}

func ExampleClient_Tools() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, "-", tool.Description)
		if tool.Name == "add" {
			break // the client requests no further page
		}
	}
	// Output:
	// echo - Returns the message it is given.
	// add - Adds two numbers.
}

// The metadata of a tool.
func ExampleTool() {
	var tool mcp.Tool
	err := json.Unmarshal([]byte(`{
		"name": "get_time", "title": "What time is it?", "inputSchema": {"type": "object"},
		"icons": [{"src": "https://example.com/clock.svg", "mimeType": "image/svg+xml", "sizes": ["any"]}],
		"annotations": {"readOnlyHint": true, "openWorldHint": false},
		"_meta": {"com.example/since": 1.10}, "com.example/color": "red"
	}`), &tool)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tool.DisplayName())
	fmt.Println(tool.Icons[0].Src, tool.Icons[0].Sizes) // untrusted: see Icon
	fmt.Println("read-only:", tool.Annotations.ReadOnly(), "destructive:", tool.Annotations.Destructive(), "open world:", tool.Annotations.OpenWorld())
	fmt.Println(string(tool.Meta))                       // byte for byte
	fmt.Println(string(tool.Extra["com.example/color"])) // a member without a field
	// Output:
	// What time is it?
	// https://example.com/clock.svg [any]
	// read-only: true destructive: false open world: false
	// {"com.example/since": 1.10}
	// "red"
}

func ExampleClient_ListResources() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	resources, err := client.ListResources(ctx)
	if err != nil {
		log.Printf("%d resources, then: %v", len(resources), err) // the resources before the error
	}
	fmt.Println(resources[0].URI, "-", resources[0].Title)
	// Output: echo://text - A text
}

func ExampleClient_ReadResource() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	res, err := client.ReadResource(ctx, "echo://greeting/Ada")
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range res.Contents {
		data, err := part.Bytes()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", part.MIMEType, data)
	}
	// Output: text/plain: Hello, Ada!
}

func ExampleClient_GetPrompt() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	res, err := client.GetPrompt(ctx, "review", map[string]string{"language": "go"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Messages[0].Role, "-", res.Messages[0].Content.Text)
	// Output: user - Please review this go program.
}

func ExampleClient_CallList() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	err := client.CallList(ctx, "prompts/list", "", "prompts", func(item mcp.RawMessage) bool {
		var prompt struct{ Name string }
		fmt.Println(json.Unmarshal(item, &prompt), prompt.Name)
		return false // enough
	})
	fmt.Println(err)
	if client.Server().Capabilities.Extensions["com.example/notes"] == nil {
		fmt.Println(&mcp.CallError{Server: client.Name(), Method: "notes/list", Err: errors.ErrUnsupported})
	}
	// Output:
	// <nil> hello
	// <nil>
	// server "stdmcp-echo": notes/list: unsupported operation
}

func ExampleClient_Call() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	raw, err := client.Call(ctx, "completion/complete", map[string]any{
		"ref":      map[string]string{"type": "ref/prompt", "name": "review"},
		"argument": map[string]string{"name": "language", "value": "py"},
	})
	if err != nil {
		log.Fatal(err)
	}
	var res struct{ Completion struct{ Values []string } }
	if err := json.Unmarshal(raw, &res); err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Completion.Values)
	// Output: [python]
}

func ExampleClient_Ping() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	fmt.Println(client.Ping(ctx))
	// Output: <nil>
}

func ExampleCallError() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	_, err := client.CallTool(ctx, "divide", map[string]any{"a": 1, "b": 0})
	fmt.Println(err)

	var call *mcp.CallError
	if errors.As(err, &call) {
		fmt.Println("server:", call.Server)
		fmt.Println("tool:", call.Name)
	}
	var answer *jsonrpc.Error
	switch {
	case errors.As(err, &answer):
		fmt.Println("the server refused it with code", answer.Code)
	case errors.Is(err, mcp.ErrOutcomeUnknown):
		fmt.Println("the connection ended; it may have been done")
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println("no response in time")
	}
	// Output:
	// server "stdmcp-echo": tools/call "divide": Unknown tool: divide (code -32602)
	// server: stdmcp-echo
	// tool: divide
	// the server refused it with code -32602
}
