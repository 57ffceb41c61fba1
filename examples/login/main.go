// Command login calls a tool of a server at a URL. When it runs for the first time,
// its user logs in with the browser; it keeps the tokens for the next time.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: login URL")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		log.Fatal(err)
	}
	tokens := oauth.NewFile(filepath.Join(dir, "example-agent", "tokens.json"))
	if err := run(context.Background(), os.Stdout, os.Args[1], tokens, &oauth.Loopback{}); err != nil {
		log.Fatal(err)
	}
}

// run lets the user log in with authorizer, unless store has a token.
func run(ctx context.Context, out io.Writer, url string, store oauth.Store, authorizer oauth.Authorizer) error {
	auth := oauth.New(url, &oauth.Options{ClientName: "Example agent", Authorizer: authorizer, Store: store})
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
	_, err = fmt.Fprintln(out, client.Server().Name, "says", res.Text())
	return err
}
