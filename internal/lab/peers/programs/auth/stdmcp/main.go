// A program that calls one tool over Streamable HTTP with authorization, with
// stdmcp. It opens the browser if the server requires authorization.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() {
	ctx := context.Background()
	auth := oauth.New(os.Args[1], &oauth.Options{Authorizer: &oauth.Loopback{}, ClientName: "one"})
	client, err := mcp.Connect(ctx, streamhttp.New(os.Args[1], &streamhttp.Options{Client: auth.Client()}), nil)
	one.Check(err)
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	one.Check(err)
	os.Stdout.WriteString(res.Text() + "\n")
	one.Check(client.Close())
}
