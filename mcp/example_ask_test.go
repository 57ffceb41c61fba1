package mcp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// exampleHandlers returns a client with handlers.
func exampleHandlers(ctx context.Context, handlers ...mcp.Handler) *mcp.Client {
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{Handlers: handlers})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func exampleCall(ctx context.Context, client *mcp.Client, tool string) {
	res, err := client.CallTool(ctx, tool, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
}

func ExampleRoots() {
	ctx := context.Background()
	client := exampleHandlers(ctx, mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
		return []mcp.Root{{URI: "file:///home/ada/engine", Name: "Engine"}}, nil
	}})
	defer client.Close()
	exampleCall(ctx, client, "ask_roots")
	// After the roots have changed:
	if err := client.RootsChanged(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: {"roots":[{"uri":"file:///home/ada/engine","name":"Engine"}]}
}

func ExampleSampling() {
	ctx := context.Background()
	client := exampleHandlers(ctx, mcp.Sampling{
		CreateMessage: func(ctx context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			question := p.Messages[len(p.Messages)-1].Content[0].Text
			fmt.Printf("at most %d tokens for %q\n", p.MaxTokens, question)
			// Ask the user, then sample from the model, with p.MaxTokens as the limit.
			if strings.Contains(question, "password") {
				return nil, &jsonrpc.Error{Code: mcp.CodeRejected, Message: "the user doesn't want that"}
			}
			return &mcp.CreateMessageResult{Model: "oracle-1", StopReason: "endTurn", Content: []mcp.Content{mcp.TextContent("Paris")}}, nil
		},
	})
	defer client.Close()
	exampleCall(ctx, client, "ask_sampling")
	// Output:
	// at most 50 tokens for "What is the capital of France?"
	// {"role":"assistant","content":{"type":"text","text":"Paris"},"model":"oracle-1","stopReason":"endTurn"}
}

func ExampleElicitation() {
	ctx := context.Background()
	client := exampleHandlers(ctx, mcp.Elicitation{
		Form: func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			fields, err := p.Fields()
			if err != nil {
				return nil, err
			}
			fmt.Println(p.Message)
			for _, f := range fields {
				fmt.Println("-", f.Name, f.Schema.Type, f.Required)
			}
			// The input of the user. Other fields get their defaults.
			return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"name": "Ada", "age": 36}}, nil
		},
	})
	defer client.Close()
	exampleCall(ctx, client, "ask_elicitation")
	// Output:
	// What is your name?
	// - name string true
	// - age integer false
	// - subscribe boolean false
	// - color string false
	// {"action":"accept","content":{"age":36,"color":"green","name":"Ada","subscribe":false}}
}

// loginServer returns a server with a tool that requires a login.
func loginServer() mcp.Transport {
	answers := map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`,
		"tools/call": `{"resultType":"input_required","inputRequests":{"login":{"method":"elicitation/create","params":` +
			`{"mode":"url","message":"Please log in.","url":"https://xn--bcher-kva.example/login?state=7"}}}}`,
		"inputResponses": `{"resultType":"complete","content":[{"type":"text","text":"Your books: 3"}]}`,
	}
	script := testserver.Script(func(line string) []string {
		_, id, _ := strings.Cut(line, `"id":`)
		id, _, _ = strings.Cut(id, ",")
		for _, method := range []string{"inputResponses", "server/discover", "tools/call"} {
			if strings.Contains(line, method) {
				return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":` + answers[method] + "}\n"}
			}
		}
		return nil
	})
	return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return script.Pipe(), nil })
}

func ExampleElicitation_openURL() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, loginServer(), &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{
		OpenURL: func(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
			fmt.Println(r.Message)
			fmt.Printf("Open a page of %s?\n  %s\n", r.Host, r.URL)
			if r.Punycode {
				fmt.Println("Careful: the name of the host has letters that may look like others.")
			}
			// Ask the user, and start a browser only with consent.
			return mcp.ElicitAccept, nil
		},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exampleCall(ctx, client, "books")
	// Output:
	// Please log in.
	// Open a page of xn--bcher-kva.example?
	//   https://xn--bcher-kva.example/login?state=7
	// Careful: the name of the host has letters that may look like others.
	// Your books: 3
}

func ExampleClient_Subscribe() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client := exampleClient(ctx)
	defer client.Close()
	sub, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{
		ToolsListChanged:      true,
		ResourceSubscriptions: []string{"echo://text"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sub.Close()
	exampleCall(ctx, client, "add_tool")
	pending, err := sub.Peek(ctx) // the change was there before the result of the call
	fmt.Println(pending.Kind, err)
	exampleCall(ctx, client, "update")
	for range 2 {
		change, err := sub.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		switch change.Kind {
		case mcp.ToolsChanged:
			fmt.Println("list the tools again")
		case mcp.ResourceUpdated:
			fmt.Println("read again:", change.URI)
		}
	}
	// Output:
	// Added tool_001.
	// notifications/tools/list_changed <nil>
	// Updated.
	// list the tools again
	// read again: echo://text
}

func ExampleClient_SetLogLevel() {
	ctx := context.Background()
	logged := make(chan *mcp.LogMessage, 10)
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{
		LogLevel: mcp.LevelWarning,
		Log:      func(_ context.Context, m *mcp.LogMessage) { logged <- m },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := client.SetLogLevel(ctx, mcp.LevelAlert); err != nil {
		log.Fatal(err)
	}
	if _, err := client.CallTool(ctx, "log", nil); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		m := <-logged
		fmt.Println(m.Level, m.Logger, string(m.Data))
	}
	// Output:
	// alert echo {"message":"This is what alert looks like.","number":7}
	// emergency echo {"message":"This is what emergency looks like.","number":8}
}

func ExampleClient_Complete() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	res, err := client.Complete(ctx, mcp.PromptRef("review"), "language", "p", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Values)

	given := map[string]string{"greeting": "Hello"} // other arguments, for servers that use them
	res, err = client.Complete(ctx, mcp.TemplateRef("echo://greeting/{name}"), "name", "A", given)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Values)
	// Output:
	// [python]
	// [Ada Alan]
}

func ExampleCacheSize() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{
		Cache: mcp.CacheSize(1 << 20), // bytes
		Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			fmt.Println("asked for", call.Method)
			return call.Send(ctx)
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	// The second list comes from the cache. Refresh bypasses it.
	for _, ctx := range []context.Context{ctx, ctx, mcp.WithoutCache(ctx)} {
		if _, err := client.ListTools(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println("have the tools")
	}
	// Output:
	// asked for server/discover
	// asked for tools/list
	// have the tools
	// have the tools
	// asked for tools/list
	// have the tools
}

func ExampleClient_ListPromptsPage() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	page, err := client.ListPromptsPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Prompts), "prompts, good for", time.Duration(*page.TTLMs)*time.Millisecond, "and", page.CacheScope)
	for page.NextCursor != nil { // on demand
		if page, err = client.ListPromptsPage(ctx, page.NextCursor); err != nil {
			log.Fatal(err)
		}
	}
	// Output: 3 prompts, good for 1m0s and public
}

func ExampleResourceTemplate_Expand() {
	template := mcp.ResourceTemplate{URITemplate: "books://{author}/{?tags*}"}
	uri, err := template.Expand(map[string]any{"author": "Ada Lovelace", "tags": []string{"math", "notes"}})
	fmt.Println(uri, err)
	// Output: books://Ada%20Lovelace/?tags=math&tags=notes <nil>
}

// A cached ServerInfo saves the next client finding out the protocol version.
func ExampleClient_CachedServer() {
	ctx := context.Background()
	legacyServer := stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
		return testserver.New(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}}).Pipe(), nil
	})
	client, err := mcp.Connect(ctx, legacyServer, nil) // sends server/discover first
	if err != nil {
		log.Fatal(err)
	}
	server := client.CachedServer() // encodes as a JSON object
	client.Close()

	client, err = mcp.Connect(ctx, legacyServer, &mcp.Options{
		CachedServer: server,
		Trace: &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
			if sent {
				fmt.Printf("%.50s…\n", data)
			}
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exampleCall(ctx, client, "fail")
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"initialize","par…
	// {"jsonrpc":"2.0","method":"notifications/initializ…
	// {"jsonrpc":"2.0","id":2,"method":"tools/call","par…
	// This tool always fails.
}

func ExampleClient_KeepAlive() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	client := exampleClient(context.Background())
	defer client.Close()
	// Usually in a goroutine that closes the client when KeepAlive returns.
	err := client.KeepAlive(ctx, time.Minute, 3)
	fmt.Println(err)
	// Output: context deadline exceeded
}

// Extensions can add methods in both directions.
func ExampleHandleRequest() {
	ctx := context.Background()
	server := testserver.New(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}})
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), &mcp.Options{
		Extensions: map[string]mcp.RawMessage{"com.example/clock": mcp.RawMessage("{}")},
		Handlers: []mcp.Handler{
			mcp.HandleRequest("com.example/time", func(ctx context.Context, params mcp.RawMessage) (any, error) {
				return map[string]any{"time": time.Now()}, nil
			}),
			mcp.HandleNotification("", func(ctx context.Context, method string, params mcp.RawMessage) {
				fmt.Println(method, string(params))
			}),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, err = client.Call(ctx, "com.example/set", map[string]any{"zone": "UTC"})
	fmt.Println(err)
	// Output: server "stdmcp-echo": com.example/set: Method not found (code -32601)
}
