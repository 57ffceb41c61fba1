// A program that calls one tool over Streamable HTTP with authorization, with
// mcp-go. Where the browser was sent, it reads from its standard input.
package main

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	ctx := context.Background()
	c, err := client.NewOAuthStreamableHttpClient(os.Args[1], client.OAuthConfig{
		RedirectURI: "http://127.0.0.1:8080/callback", PKCEEnabled: true,
	})
	check(err)
	check(c.Start(ctx))
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "one", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	if client.IsOAuthAuthorizationRequiredError(err) {
		authorize(ctx, err)
		_, err = c.Initialize(ctx, hello)
	}
	check(err)
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	check(err)
	os.Stdout.WriteString(res.Content[0].(mcp.TextContent).Text + "\n")
	check(c.Close())
}

func authorize(ctx context.Context, required error) {
	h := client.GetOAuthHandler(required)
	verifier, err := client.GenerateCodeVerifier()
	check(err)
	state, err := client.GenerateState()
	check(err)
	check(h.RegisterClient(ctx, "one"))
	page, err := h.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	check(err)
	os.Stderr.WriteString("open " + page + "\n")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	back, err := url.Parse(strings.TrimSpace(line))
	check(err)
	q := back.Query()
	check(h.ProcessAuthorizationResponse(ctx, q.Get("code"), q.Get("state"), verifier))
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
