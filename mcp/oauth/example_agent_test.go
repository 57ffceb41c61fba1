package oauth_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// run uses a server at a URL, to which a person has to log in once.
func run(ctx context.Context, url, tokens string) error {
	auth := oauth.New(url, &oauth.Options{
		ClientName: "Example agent",
		Authorizer: &oauth.Loopback{Open: openPage}, // without Open: the browser
		Store:      oauth.NewFile(tokens),
	})
	defer auth.CloseIdleConnections()
	client, err := mcp.Connect(ctx, streamhttp.New(url, &streamhttp.Options{Client: auth.Client()}), nil)
	if err != nil {
		return err
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "add", map[string]any{"a": 2, "b": 40})
	if err != nil {
		return err
	}
	fmt.Println(client.Server().Name, "says", res.Text())
	return nil
}

// An agent that has its user log in when it runs for the first time, and keeps
// the tokens for the next.
func Example_agent() {
	handler := testserver.NewHandler(testserver.New(nil), nil)
	defer handler.Close()
	server := protect(handler)
	defer server.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for range 2 {
		if err := run(context.Background(), server.URL+"/mcp", filepath.Join(dir, "tokens.json")); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// stdmcp-echo says 42
	// stdmcp-echo says 42
}
