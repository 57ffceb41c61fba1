// Package library has the MCP clients that are compared behind one interface.
// Each is used as its documentation shows, with default options.
package library

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

// A Target is the server that a library connects to.
type Target struct {
	SSE     bool     // over HTTP+SSE
	URL     string   // over HTTP
	Command []string // over stdio, when URL is empty
	Env     []string // added to the environment of Command
}

// A Session is a connected client. The context of Connect need not outlive it.
type Session interface {
	Call(ctx context.Context, tool string, args map[string]any) (Content, error)
	List(ctx context.Context) (tools int, err error)
	Close() error
}

// Content is what a tool returned.
type Content struct {
	Text string
	Size int // bytes of text and images; some clients decode base64
}

// A Connector connects a client.
type Connector func(context.Context, *Target) (Session, error)

// Connect has the connectors by library.
var Connect = map[string]Connector{"stdmcp": connectStdmcp, "go-sdk": connectSDK, "mcp-go": connectMCPGo}

type stdmcpSession struct{ *mcp.Client }

func connectStdmcp(ctx context.Context, t *Target) (Session, error) {
	var transport mcp.Transport
	switch {
	case t.URL == "":
		tr := stdio.Command(t.Command[0], t.Command[1:]...)
		tr.Env = t.Env
		transport = tr
	case t.SSE:
		transport = sse.New(t.URL, nil)
	default:
		transport = streamhttp.New(t.URL, nil)
	}
	c, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return stdmcpSession{c}, nil
}

func (s stdmcpSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	res, err := s.CallTool(ctx, tool, args)
	if err != nil {
		return c, err
	}
	for i := range res.Content {
		c.Text += res.Content[i].Text
		c.Size += len(res.Content[i].Text) + len(res.Content[i].Data)
	}
	return c, nil
}

func (s stdmcpSession) List(ctx context.Context) (int, error) {
	tools, err := s.ListTools(ctx)
	return len(tools), err
}

type sdkSession struct{ *gosdk.ClientSession }

func connectSDK(ctx context.Context, t *Target) (Session, error) {
	var transport gosdk.Transport
	switch {
	case t.URL == "":
		cmd := exec.Command(t.Command[0], t.Command[1:]...)
		cmd.Env = append(os.Environ(), t.Env...)
		transport = &gosdk.CommandTransport{Command: cmd}
	case t.SSE:
		transport = &gosdk.SSEClientTransport{Endpoint: t.URL}
	default:
		transport = &gosdk.StreamableClientTransport{Endpoint: t.URL}
	}
	s, err := gosdk.NewClient(&gosdk.Implementation{Name: "peers", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return sdkSession{s}, nil
}

func (s sdkSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	res, err := s.CallTool(ctx, &gosdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return c, err
	}
	for _, content := range res.Content {
		switch v := content.(type) {
		case *gosdk.TextContent:
			c.Text += v.Text
			c.Size += len(v.Text)
		case *gosdk.ImageContent:
			c.Size += len(v.Data)
		}
	}
	return c, nil
}

func (s sdkSession) List(ctx context.Context) (n int, err error) {
	for _, err := range s.Tools(ctx, nil) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

type mcpGoSession struct{ *client.Client }

func connectMCPGo(ctx context.Context, t *Target) (Session, error) {
	c, err := openMCPGo(ctx, t)
	if err != nil {
		return nil, err
	}
	var req mcpgo.InitializeRequest
	req.Params.ClientInfo = mcpgo.Implementation{Name: "peers", Version: "1"}
	if _, err := c.Initialize(ctx, req); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGoSession{c}, nil
}

func openMCPGo(ctx context.Context, t *Target) (c *client.Client, err error) {
	switch {
	case t.URL == "":
		return client.NewStdioMCPClient(t.Command[0], t.Env, t.Command[1:]...) // and starts it
	case t.SSE:
		c, err = client.NewSSEMCPClient(t.URL)
	default:
		c, err = client.NewStreamableHttpClient(t.URL)
	}
	if err != nil {
		return nil, err
	}
	// The stream ends with the context of Start.
	return c, c.Start(context.WithoutCancel(ctx))
}

func (s mcpGoSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	var req mcpgo.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := s.CallTool(ctx, req)
	if err != nil {
		return c, err
	}
	for _, content := range res.Content {
		switch v := content.(type) {
		case mcpgo.TextContent:
			c.Text += v.Text
			c.Size += len(v.Text)
		case mcpgo.ImageContent:
			c.Size += len(v.Data)
		}
	}
	return c, nil
}

func (s mcpGoSession) List(ctx context.Context) (int, error) {
	res, err := s.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(res.Tools), nil
}
