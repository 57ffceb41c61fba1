// A program that calls one tool over Streamable HTTP with authorization, with
// mcp-go. It reads the URL that the browser was redirected to from standard input.
package main

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	ctx := context.Background()
	c, err := client.NewOAuthStreamableHttpClient(os.Args[1], client.OAuthConfig{
		RedirectURI: "http://127.0.0.1:8080/callback", PKCEEnabled: true,
	})
	one.Check(err)
	one.Check(c.Start(ctx))
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "one", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	if client.IsOAuthAuthorizationRequiredError(err) {
		authorize(ctx, err)
		_, err = c.Initialize(ctx, hello)
	}
	one.Check(err)
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	one.Check(err)
	os.Stdout.WriteString(res.Content[0].(mcp.TextContent).Text + "\n")
	one.Check(c.Close())
}

func authorize(ctx context.Context, required error) {
	h := client.GetOAuthHandler(required)
	verifier, err := client.GenerateCodeVerifier()
	one.Check(err)
	state, err := client.GenerateState()
	one.Check(err)
	one.Check(h.RegisterClient(ctx, "one"))
	page, err := h.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	one.Check(err)
	os.Stderr.WriteString("open " + page + "\n")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	one.Check(err)
	back, err := url.Parse(strings.TrimSpace(line))
	one.Check(err)
	q := back.Query()
	one.Check(h.ProcessAuthorizationResponse(ctx, q.Get("code"), q.Get("state"), verifier))
}
