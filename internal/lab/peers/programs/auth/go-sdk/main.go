// A program that calls one tool over Streamable HTTP with authorization, with the
// official SDK. It reads the URL that the browser was redirected to from standard input.
package main

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	ctx := context.Background()
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName: "one", RedirectURIs: []string{"http://127.0.0.1:8080/callback"},
			},
		},
		AuthorizationCodeFetcher: ask,
	})
	one.Check(err)
	client := mcp.NewClient(&mcp.Implementation{Name: "one", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1], OAuthHandler: handler}, nil)
	one.Check(err)
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hello"}})
	one.Check(err)
	os.Stdout.WriteString(res.Content[0].(*mcp.TextContent).Text + "\n")
	one.Check(session.Close())
}

func ask(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	os.Stderr.WriteString("open " + args.URL + "\n")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return nil, err
	}
	back, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}
