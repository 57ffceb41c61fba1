package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// libraries are what is compared. Each is used as its documentation shows, with
// the options that it has when none are given.
var libraries = []struct{ name, title string }{
	{"stdmcp", "stdmcp"}, {"go-sdk", "go-sdk 1.8.0"}, {"mcp-go", "mcp-go 1.2.1"},
}

var connectors = map[string]func(context.Context, *target) (session, error){
	"stdmcp": connectStdmcp, "go-sdk": connectSDK, "mcp-go": connectMCPGo,
}

type stdmcpClient struct{ *mcp.Client }

func connectStdmcp(ctx context.Context, t *target) (session, error) {
	var transport mcp.Transport
	switch t.transport {
	case 'S':
		tr := stdio.Command(t.args[0], t.args[1:]...)
		tr.Env = t.env
		transport = tr
	case 'E':
		transport = sse.New(t.url, nil)
	default:
		transport = streamhttp.New(t.url, nil)
	}
	c, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return stdmcpClient{c}, nil
}

func (c stdmcpClient) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	res, err := c.CallTool(ctx, tool, args)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

func (c stdmcpClient) list(ctx context.Context) (int, error) {
	tools, err := c.ListTools(ctx)
	return len(tools), err
}

func (c stdmcpClient) close() error { return c.Close() }

type sdkClient struct{ *gosdk.ClientSession }

func connectSDK(ctx context.Context, t *target) (session, error) {
	var transport gosdk.Transport
	switch t.transport {
	case 'S':
		cmd := exec.Command(t.args[0], t.args[1:]...)
		cmd.Env = append(os.Environ(), t.env...)
		transport = &gosdk.CommandTransport{Command: cmd}
	case 'E':
		transport = &gosdk.SSEClientTransport{Endpoint: t.url}
	default:
		transport = &gosdk.StreamableClientTransport{Endpoint: t.url}
	}
	s, err := gosdk.NewClient(&gosdk.Implementation{Name: "faults", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return sdkClient{s}, nil
}

func (c sdkClient) call(ctx context.Context, tool string, args map[string]any) (text string, err error) {
	res, err := c.CallTool(ctx, &gosdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	for _, content := range res.Content {
		if t, ok := content.(*gosdk.TextContent); ok {
			text += t.Text
		}
	}
	return text, nil
}

func (c sdkClient) list(ctx context.Context) (n int, err error) {
	for _, err := range c.Tools(ctx, nil) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (c sdkClient) close() error { return c.Close() }

type mcpGoClient struct{ *client.Client }

func connectMCPGo(ctx context.Context, t *target) (session, error) {
	c, err := openMCPGo(ctx, t)
	if err != nil {
		return nil, err
	}
	var req mcpgo.InitializeRequest
	req.Params.ClientInfo = mcpgo.Implementation{Name: "faults", Version: "1"}
	if _, err := c.Initialize(ctx, req); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGoClient{c}, nil
}

func openMCPGo(ctx context.Context, t *target) (c *client.Client, err error) {
	switch t.transport {
	case 'S':
		return client.NewStdioMCPClient(t.args[0], t.env, t.args[1:]...) // which starts it, too
	case 'E':
		c, err = client.NewSSEMCPClient(t.url)
		if err == nil {
			// The stream lives as long as the context that it is started with.
			err = c.Start(context.WithoutCancel(ctx))
		}
	default:
		c, err = client.NewStreamableHttpClient(t.url)
		if err == nil {
			err = c.Start(context.WithoutCancel(ctx))
		}
	}
	return c, err
}

func (c mcpGoClient) call(ctx context.Context, tool string, args map[string]any) (text string, err error) {
	var req mcpgo.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := c.CallTool(ctx, req)
	if err != nil {
		return "", err
	}
	for _, content := range res.Content {
		if t, ok := content.(mcpgo.TextContent); ok {
			text += t.Text
		}
	}
	return text, nil
}

func (c mcpGoClient) list(ctx context.Context) (int, error) {
	res, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(res.Tools), nil
}

func (c mcpGoClient) close() error { return c.Close() }
