package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/mcp"
)

func ExampleClient_ListTools() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	tools, err := client.ListTools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range tools[:2] {
		fmt.Println(tool.Name, tool.Required())
	}
	// Output:
	// echo [message]
	// add [a b]
}

func ExampleClient_Server() {
	client := exampleClient(context.Background())
	defer client.Close()
	server := client.Server()
	fmt.Println(server.DisplayName(), server.Modern(), server.Capabilities.Tools != nil)
	// Output: Echo true true
}

func ExampleWithoutCache() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, exampleServer(), &mcp.Options{Cache: mcp.CacheSize(1 << 20)})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	cached, err := client.ListTools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := client.ListTools(mcp.WithoutCache(ctx)) // asks the server
	fmt.Println(len(tools) == len(cached), err)
	// Output: true <nil>
}

func ExampleHandleNotification() {
	progress := mcp.HandleNotification("notifications/example", func(_ context.Context, method string, params mcp.RawMessage) {
		fmt.Printf("%s %s\n", method, params)
	})
	client, err := mcp.Connect(context.Background(), exampleServer(), &mcp.Options{Handlers: []mcp.Handler{progress}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

// A struct that embeds a protocol type is encoded as that alone; a named field is not.
func ExampleTool_embedding() {
	tool := mcp.Tool{Name: "echo"}
	type embeds struct {
		mcp.Tool
		Server string `json:"server"`
	}
	type names struct {
		Tool   mcp.Tool `json:"tool"`
		Server string   `json:"server"`
	}
	for _, v := range []any{embeds{tool, "files"}, names{tool, "files"}} {
		b, err := json.Marshal(v)
		fmt.Println(string(b), err)
	}
	// Output:
	// {"name":"echo"} <nil>
	// {"tool":{"name":"echo"},"server":"files"} <nil>
}
