package mcp

import (
	"context"
	"iter"
	"time"
)

// Tools returns an iterator over the server's tools, which asks for a page
// when the one before is used up. After an error it ends.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*Tool, error] {
	return pages(ctx, c, "tools/list", func(res *ListToolsResult) ([]*Tool, *string) {
		return c.bind(res.Tools), res.NextCursor
	})
}

// bind makes the tools known to the connection, and leaves out those that must
// not be used over it.
func (c *Client) bind(tools []*Tool) []*Tool {
	if c.tasks != nil {
		c.tasks.toolsListed(c, tools)
	}
	binder, ok := c.conn.(ArgumentBinder)
	if !ok || c.era.legacy() {
		return tools
	}
	n := 0
	for _, t := range tools {
		if err := binder.BindArguments(t.Name, t.InputSchema); err != nil {
			c.opts.Dropped(c.failed(newCall("tools/list", t.Name, nil), err), t.InputSchema)
			continue
		}
		tools[n] = t
		n++
	}
	return tools[:n]
}

// ListTools returns all of the server's tools. With an error it returns those
// that were read before it.
func (c *Client) ListTools(ctx context.Context) ([]*Tool, error) { return all(ctx, c, c.Tools) }

// A ToolCall says which tool to call, and how.
type ToolCall struct {
	Name string

	// Arguments becomes the arguments object. It is JSON text (a
	// json.RawMessage or []byte), a json.Marshaler, or a map from string to
	// any, string, bool, int, float64 or json.RawMessage. Values of type any
	// are strings, numbers, booleans, nil, such maps, and slices of any, string,
	// bool, int, float64 and map[string]any. Nil and empty text are sent as {}.
	// For structs and everything else there is package typed.
	Arguments any

	// Progress is called with the progress that the server reports, in order,
	// one call at a time, and not any more when Do has returned, unless its
	// context ended. Each report starts Timeout anew.
	Progress func(Progress)

	// Timeout takes the place of Options.Timeout when it is not 0.
	Timeout time.Duration

	// Meta holds further members of the request's _meta.
	Meta map[string]any

	// Task is called with each new state of the task that the call becomes, if
	// it becomes one. See [Tasks].
	Task func(*Task)
}

// CallTool calls a tool. args is as ToolCall.Arguments.
//
// An error of the tool itself is no error here but a result whose IsError is
// set. The error is a *[CallError]; it wraps a *[jsonrpc.Error] when the server
// refused the call, and matches [ErrOutcomeUnknown] when the connection ended
// while the call was under way.
//
// With [Tasks] among Options.Handlers, a server may make a task of the call,
// and CallTool waits for its end.
func (c *Client) CallTool(ctx context.Context, name string, args any) (*CallToolResult, error) {
	q := newCall("tools/call", name, (*request).appendNamed)
	q.args = args
	return c.callTool(ctx, q, nil)
}

// Do calls a tool as CallTool does, with all that can be said about it.
func (c *Client) Do(ctx context.Context, t *ToolCall) (*CallToolResult, error) {
	return c.callTool(ctx, t.call(), t.Task)
}

func (t *ToolCall) call() *call {
	q := newCall("tools/call", t.Name, (*request).appendNamed)
	q.args, q.meta, q.progress, q.timeout = t.Arguments, t.Meta, t.Progress, t.Timeout
	return q
}

func (c *Client) callTool(ctx context.Context, q *call, onStatus any) (*CallToolResult, error) {
	if c.tasks != nil {
		return c.tasks.callTool(ctx, c, q, onStatus)
	}
	return callWithInputs[CallToolResult](ctx, c, q)
}
