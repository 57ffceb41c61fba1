package mcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// Older servers use HTTP+SSE, newer ones Streamable HTTP.
func ExampleFirstOf() {
	for _, path := range []string{"/mcp", "/sse"} {
		handler := testserver.NewHandler(testserver.New(nil), nil)
		server := httptest.NewServer(handler)
		url := server.URL + path

		ctx := context.Background()
		httpClient := server.Client()
		client, err := mcp.Connect(ctx, mcp.FirstOf(
			streamhttp.New(url, &streamhttp.Options{Client: httpClient}),
			sse.New(url, &sse.Options{Client: httpClient}),
		), nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(path, "speaks", client.Server().ProtocolVersion)

		client.Close()
		handler.Close()
		server.Close()
	}
	// Output:
	// /mcp speaks 2026-07-28
	// /sse speaks 2025-11-25
}

func ExampleToolAnnotations() {
	ctx := context.Background()
	client := exampleClient(ctx)
	defer client.Close()
	tools, err := client.ListTools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tools {
		// Annotations may be nil. Trust them only if you trust the server.
		if t.Name == "add" || t.Name == "add_tool" {
			fmt.Println(t.DisplayName(), t.Annotations.ReadOnly(), t.Annotations.Destructive(), t.Annotations.Idempotent())
		}
	}
	// Output:
	// Add true false true
	// Add a tool false false false
}
