package mcp

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Tools returns an iterator over the server's tools. It requests a page when the
// loop has used the previous one, and ends after an error.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*Tool, error] {
	return c.toolsHeld(ctx, nil)
}

func (c *Client) toolsHeld(ctx context.Context, held *int) iter.Seq2[*Tool, error] {
	return func(yield func(*Tool, error) bool) {
		began := time.Now()
		pages(ctx, c, "tools/list", held, func(res *ListToolsResult) ([]*Tool, *Page) {
			tools := c.bind(res.Tools)
			if res.NextCursor == nil {
				c.listEnded(began)
			}
			return tools, &res.Page
		})(yield)
	}
}

// listEnded makes the tables forget the tools that the list no longer has. Its
// reading began at the given time.
func (c *Client) listEnded(began time.Time) {
	if c.tasks != nil {
		c.tasks.listEnded(c, began)
	}
	if binder, ok := c.conn.(ArgumentBinder); ok && !c.era().legacy() {
		binder.ForgetArguments(began)
	}
}

// bind passes the schemas of the tools to the connection, and leaves out tools
// that must not be used over it.
func (c *Client) bind(tools []*Tool) []*Tool {
	if c.tasks != nil {
		c.tasks.toolsListed(c, tools)
	}
	binder, ok := c.conn.(ArgumentBinder)
	if !ok || c.era().legacy() {
		return tools
	}
	n := 0
	for _, t := range tools {
		if err := binder.BindArguments(t.Name, t.InputSchema); err != nil {
			c.discarded(c.failed(newCall("tools/list", t.Name, nil), err), t.InputSchema)
			continue
		}
		tools[n] = t
		n++
	}
	return tools[:n]
}

// ListTools returns all tools of the server. With an error it returns the tools
// before it.
func (c *Client) ListTools(ctx context.Context) ([]*Tool, error) { return all(ctx, c, c.toolsHeld) }

// A ToolCall describes a call of a tool.
type ToolCall struct {
	Name string

	// Arguments is a map[string]any, a map from string to string, bool, int,
	// float64, []string, map[string]any or json.RawMessage, a json.Marshaler, or
	// JSON text as json.RawMessage or []byte. Nil and empty text are sent as {}.
	//
	// The values of a map[string]any are nil, strings, booleans, numbers, such
	// maps, values with a MarshalJSON or MarshalText method, and slices of any,
	// string, bool, int, int64, float32, float64, json.RawMessage,
	// map[string]any, map[string]string, []string or []float64. Inside a map,
	// []byte becomes base64. Everything else, such as a struct, is an error;
	// package typed encodes it.
	Arguments any

	// Progress is called with each progress report of the server, in order and
	// one at a time. It is not called after Do has returned, unless the context
	// of Do has ended. Each report restarts Timeout.
	Progress func(Progress)

	// Timeout replaces Options.Timeout if it is not 0.
	Timeout time.Duration

	// Meta holds further members of the request's _meta.
	Meta map[string]any

	// Task is called with each new state of the task if the call becomes one.
	// See [Tasks].
	Task func(*Task)
}

// CallTool calls a tool. args are usually a map[string]any, and may be nil; see
// ToolCall.Arguments. Do is the long form, with a timeout and progress.
//
// If the tool itself fails, CallTool returns a result with IsError set and no
// error. An error is a *[CallError]. It wraps a *[jsonrpc.Error] if the server
// refused the call, and matches [ErrOutcomeUnknown] if the connection ended while
// the call was pending.
//
// With [Tasks] among Options.Handlers, a server may create a task for the call,
// and CallTool waits for the end of the task.
func (c *Client) CallTool(ctx context.Context, name string, args any) (*CallToolResult, error) {
	q := newCall("tools/call", name, (*request).appendNamed)
	q.args = args
	return c.callTool(ctx, q, nil)
}

// Do is the long form of CallTool: t may also contain a timeout, _meta, and
// functions that observe progress and the task.
func (c *Client) Do(ctx context.Context, t *ToolCall) (*CallToolResult, error) {
	if t == nil {
		return nil, c.failed(newCall("tools/call", "", nil), errNilCall)
	}
	return c.callTool(ctx, t.call(), t.Task)
}

var errNilCall = errors.New("the *ToolCall is nil")

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
