package mcptest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A tool with a schema, whose definition the test completes.
func ExampleServer_Tool() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	tool := server.Tool("greet", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, func(c *mcptest.Call) (any, error) {
		return "Hello, " + c.Text("name") + "!", nil
	})
	tool.Description = "Greets a person."
	tools, err := server.Connect(nil).ListTools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tools[0].Name, tools[0].Required(), tools[0].Description)
	// Output: greet [name] Greets a person.
}

// A login at a provider, with the agent's own code.
func ExampleNewAuthServer() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	provider := mcptest.NewAuthServer(t, "keycloak")
	web := httptest.NewServer(provider.Protect(mcptest.New(t).Handler(nil)))
	defer web.Close()
	auth := oauth.New(web.URL+"/mcp", &oauth.Options{Authorizer: &oauth.Loopback{Open: provider.Browser}})
	defer auth.CloseIdleConnections()
	fmt.Println(auth.Login(context.Background()), provider.Requests("token"))
	// Output: <nil> 1
}

func ExampleServer_Connect() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	server.Resource("doc://readme", "text/plain", "Read me.")
	client := server.Connect(nil) // until the end of the test
	res, err := client.ReadResource(context.Background(), "doc://readme")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Contents[0].Text)
	// Output: Read me.
}

func ExampleServer_StartHTTP() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	greeter(server)
	site := server.StartHTTP(&mcptest.HTTPOptions{TLS: true})
	client, err := mcp.Connect(context.Background(), streamhttp.New(site.URL, &streamhttp.Options{Client: site.Client}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	res, err := client.CallTool(context.Background(), "greet", map[string]any{"name": "Ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text())
	// Output: Hello, Ada!
}

func ExampleServer_WantCall() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	greeter(server)
	client := server.Connect(nil)
	if _, err := client.CallTool(context.Background(), "greet", map[string]any{"name": "Ada"}); err != nil {
		fmt.Println(err)
		return
	}
	server.WantCall("greet", map[string]any{"name": "Ada"})
	server.WantCalls("greet", 1)
	fmt.Println(string(server.Calls("greet")[0].Arguments))
	// Output: {"name":"Ada"}
}

// A tool that asks the user for a value.
func ExampleCall_Elicit() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	server.Tool("order", nil, func(c *mcptest.Call) (any, error) {
		answer, err := c.Elicit("Which size?", `{"type":"object","properties":{"size":{"type":"string"}}}`)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(answer.Action, " ", answer.Content["size"]), nil
	})
	user := mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"size": "large"}}, nil
	}}
	client := server.Connect(&mcp.Options{Handlers: []mcp.Handler{user}})
	res, err := client.CallTool(context.Background(), "order", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text())
	// Output: accept large
}

// A test that records a server once and later does without it.
func ExampleReplay() {
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "greeter")
	greet := func(transport mcp.Transport) {
		client, err := mcp.Connect(context.Background(), transport, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer client.Close()
		res, err := client.CallTool(context.Background(), "greet", map[string]any{"name": "Ada"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Text())
	}
	first := &fakeTest{} // in a test: t *testing.T
	server := mcptest.New(first)
	greeter(server)
	greet(mcptest.Record(first, path, server))
	first.end()
	second := &fakeTest{}
	defer second.end()
	greet(mcptest.Replay(second, path, nil))
	// Output:
	// Hello, Ada!
	// Hello, Ada!
}
