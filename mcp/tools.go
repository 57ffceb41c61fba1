package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Tools returns an iterator over the server's tools. It requests each page when
// the loop reaches it. If a request fails, the iterator yields a nil *Tool and
// the error, and ends.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*Tool, error] {
	return c.toolPages(ctx, nil)
}

// toolPages is [pages] of tools.
func (c *Client) toolPages(ctx context.Context, held *int) iter.Seq2[*Tool, error] {
	return func(yield func(*Tool, error) bool) {
		began := time.Now()
		pages(ctx, c, "tools/list", held, fresh[ListToolsResult], func(res *ListToolsResult) ([]*Tool, *Page) {
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
	if forget := c.features.ForgetArguments; forget != nil && !c.era().legacy() {
		forget(began)
	}
}

// bind passes the schemas of the tools to the connection, and omits tools that
// it rejects.
func (c *Client) bind(tools []*Tool) []*Tool {
	if c.tasks != nil {
		c.tasks.toolsListed(c, tools)
	}
	bindArguments := c.features.BindArguments
	if bindArguments == nil || c.era().legacy() {
		return tools
	}
	n := 0
	for _, t := range tools {
		if err := bindArguments(t.Name, t.InputSchema); err != nil {
			c.discarded(c.failed(newRequest("tools/list", t.Name, nil), err), t.InputSchema)
			continue
		}
		tools[n] = t
		n++
	}
	return tools[:n]
}

// ListTools returns all tools of the server. If it fails, it returns the tools
// received so far and the error.
func (c *Client) ListTools(ctx context.Context) ([]*Tool, error) { return all(ctx, c, c.toolPages) }

// A ToolCall describes a call of a tool.
type ToolCall struct {
	Name string

	// Arguments is one of these:
	//   - a map[string]any
	//   - a map from string to string, bool, int, float64, []string,
	//     map[string]any or json.RawMessage
	//   - a json.Marshaler
	//   - JSON text as json.RawMessage or []byte
	//   - nil or empty text, which are sent as {}
	//
	// The values of a map[string]any may be nil, strings, booleans, numbers, such
	// maps, values with a MarshalJSON or MarshalText method, and slices of any,
	// string, bool, int, int64, float32, float64, json.RawMessage,
	// map[string]any, map[string]string, []string or []float64. Inside a map,
	// []byte becomes base64. Everything else, such as a struct, is an error;
	// typed.Args encodes it.
	Arguments any

	// Progress is called for each progress notification, in order and one at a
	// time. After Do has returned it is not called, except possibly if the
	// context of Do has ended. Each notification restarts Timeout.
	Progress func(Progress)

	// Timeout replaces Options.Timeout if it is not 0.
	Timeout time.Duration

	// Meta holds additional members of the request's _meta. Its values have the
	// types of those in Arguments.
	Meta map[string]any

	// Header holds header fields, as an http.Header does, for the HTTP requests of
	// this call: its repetitions and the rest of its response, but not its
	// cancellation or its task. They replace the fields of the transport's
	// Options.Header and go to its origin only. If a field is invalid or belongs
	// to the transport, such as Authorization, Cookie, Content-Type or Mcp-Name,
	// the call sends nothing and fails. Other transports ignore Header.
	Header map[string][]string

	// Task is called on the goroutine of Do or Wait with each new state of the
	// task, if the call becomes one. See [Tasks].
	Task func(*Task)
}

// Format implements fmt.Formatter: every verb prints the name of the tool, without
// what Header and Arguments may keep secret. Programs that do not use package fmt do
// not link it.
func (t ToolCall) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.Name)) }

// CallTool calls a tool. args is usually a map[string]any and may be nil; see
// [ToolCall].Arguments. To set a timeout or observe progress, use Do.
//
// If the tool itself fails, CallTool returns a result with IsError set and no
// error. Every error is a *[CallError]. It wraps a *[jsonrpc.Error] if the
// server refused the call, and matches [ErrOutcomeUnknown] if the connection
// ended while the call was pending.
//
// If [Tasks] is among the handlers, the server may create a task for the call;
// CallTool then waits until the task ends.
func (c *Client) CallTool(ctx context.Context, name string, args any) (*CallToolResult, error) {
	q := newRequest("tools/call", name, (*request).appendNamed)
	q.args = args
	if c.tasks != nil {
		return c.tasks.callTool(ctx, c, q, nil)
	}
	return call(ctx, c, q, fresh[CallToolResult])
}

// Do calls a tool as CallTool does, with the timeout, the _meta, the header and
// the functions in t.
func (c *Client) Do(ctx context.Context, t *ToolCall) (*CallToolResult, error) {
	if t == nil {
		return nil, c.failed(newRequest("tools/call", "", nil), errNilCall)
	}
	q := t.request()
	if c.tasks != nil {
		return c.tasks.callTool(ctx, c, q, t.onStatus())
	}
	return call(ctx, c, q, fresh[CallToolResult])
}

var errNilCall = errors.New("the *ToolCall is nil")

func (t *ToolCall) request() *request {
	q := newRequest("tools/call", t.Name, (*request).appendNamed)
	q.args, q.meta, q.header, q.progress, q.timeout = t.Arguments, t.Meta, t.Header, t.Progress, t.Timeout
	return q
}

// onStatus returns Task for a caller that does not know its type, or nil.
func (t *ToolCall) onStatus() func(any) {
	f := t.Task
	if f == nil {
		return nil
	}
	return func(state any) { f(state.(*Task)) }
}
