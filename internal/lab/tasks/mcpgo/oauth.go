package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func OAuth(ctx context.Context, server string, browse func(ctx context.Context, page string) error) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	results := make(chan url.Values, 1)
	receiver := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		results <- req.URL.Query()
		fmt.Fprint(w, "You can close this window.")
	})}
	go receiver.Serve(listener)
	defer receiver.Close()
	c, err := client.NewOAuthStreamableHttpClient(server, client.OAuthConfig{
		RedirectURI: "http://" + listener.Addr().String() + "/", PKCEEnabled: true,
	})
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	_, err = c.Initialize(ctx, hello)
	if client.IsOAuthAuthorizationRequiredError(err) {
		if err = authorize(ctx, err, browse, results); err != nil {
			return "", err
		}
		_, err = c.Initialize(ctx, hello)
	}
	if err != nil {
		return "", err
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "echo", map[string]any{"message": "hello"}
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content[0]), nil
}

func authorize(ctx context.Context, required error, browse func(ctx context.Context, page string) error, results <-chan url.Values) error {
	h := client.GetOAuthHandler(required)
	verifier, err := client.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	state, err := client.GenerateState()
	if err != nil {
		return err
	}
	if err := h.RegisterClient(ctx, "tasks"); err != nil {
		return err
	}
	page, err := h.GetAuthorizationURL(ctx, state, client.GenerateCodeChallenge(verifier))
	if err != nil {
		return err
	}
	if err := browse(ctx, page); err != nil {
		return err
	}
	select {
	case q := <-results:
		if q.Get("state") != state {
			return errors.New("wrong state")
		}
		return h.ProcessAuthorizationResponse(ctx, q.Get("code"), q.Get("state"), verifier)
	case <-ctx.Done():
		return ctx.Err()
	}
}
