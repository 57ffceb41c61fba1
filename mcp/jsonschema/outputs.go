package jsonschema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Outputs validates the results of tools against their output schemas. The zero
// value is ready to use, by any number of clients:
//
//	opts.Interceptors = append(opts.Interceptors, new(jsonschema.Outputs).Intercept)
//
// It learns the schemas when a client lists the tools, and keeps those of the
// latest list, up to 8 MiB for each client, and up to 64 MiB of compiled schemas. It does
// not check tools that the client has not listed, nor results with IsError.
type Outputs struct {
	// Strict makes calls fail if the tool's schema is invalid or unsupported.
	// By default, such tools are not checked.
	Strict bool

	mu      sync.Mutex
	clients map[*mcp.Client]*clientTools
}

// clientTools are the tools that a client has listed. Those that the latest list
// does not have are removed at its end.
type clientTools struct {
	tools    map[string]*tool
	lists    int // number of lists that have begun
	size     int // length of all names and schemas in bytes, with perTool for each tool
	compiled int // estimated memory of the compiled schemas in bytes
}

const (
	// maxSchemas limits the names and schemas of a client. Tools beyond it have no
	// schema.
	maxSchemas = 8 << 20

	// perTool is the memory of a tool beside its name and its schema, in bytes.
	perTool = 256

	// maxCompiled limits the compiled schemas of a client in bytes. A schema of 150 KB may
	// take 12 MB. Each call compiles schemas beyond the limit again.
	maxCompiled = 64 << 20
)

// A tool holds an output schema.
type tool struct {
	raw  mcp.RawMessage
	list int // the number of the list that had it last
	size int // of schema, if the tool keeps it

	busy   chan struct{} // holds an element while a call uses the fields below
	schema *Schema
	err    error // why there is no schema
}

// compile compiles the schema, unless a call has done so. keep reports whether the tool
// may keep it.
func (t *tool) compile(ctx context.Context, keep func(*Schema) bool) (*Schema, error) {
	select {
	case t.busy <- struct{}{}:
		defer func() { <-t.busy }()
	case <-ctx.Done():
		return nil, fmt.Errorf("compiling the schema stopped: %w", retry.Cause(ctx))
	}
	if t.schema != nil || t.err != nil {
		return t.schema, t.err
	}
	schema, err := Compile(ctx, t.raw)
	if ctx.Err() == nil && (err != nil || keep(schema)) { // otherwise, the next call tries again
		t.schema, t.err = schema, err
	}
	return schema, err
}

// An OutputError reports a result that does not fit the tool's output schema.
// It matches [mcp.ErrMalformed].
type OutputError struct {
	Tool   string              // its name
	Result *mcp.CallToolResult // what the server sent
	Err    error               // an *[Error], or the reason why the schema cannot be used
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("output of tool %q: %v", e.Tool, e.Err)
}

func (e *OutputError) Is(target error) bool { return target == mcp.ErrMalformed }
func (e *OutputError) Unwrap() error        { return e.Err }

// Intercept is a value for Options.Interceptors. A program's own interceptor calls
// it instead of [mcp.OutgoingCall.Send].
func (o *Outputs) Intercept(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
	if call == nil {
		return nil, errors.New("jsonschema: the call is nil")
	}
	raw, err := call.Send(ctx)
	if err != nil {
		return nil, err
	}
	switch call.Method {
	case "tools/list":
		o.learn(call.Client(), wire.Lookup(call.Params(), "cursor") == nil, raw)
	case "tools/call", "tasks/result":
		err = o.check(ctx, call, raw)
	case "tasks/get": // contains the result since 2026-07-28
		var task mcp.Task
		if task.UnmarshalJSON(raw) == nil && task.Payload != nil {
			err = o.check(ctx, call, task.Payload)
		}
	}
	if err != nil {
		return nil, err
	}
	return raw, nil
}

// learn stores the schemas of a list of tools for the client that asked for it.
// first is true for the first page. The schemas are copied, as the page may be much
// longer.
func (o *Outputs) learn(client *mcp.Client, first bool, raw mcp.RawMessage) {
	var res mcp.ListToolsResult
	if res.UnmarshalJSON(raw) != nil {
		return // the client reports the error
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.toolsOfLocked(client)
	if first {
		c.lists++
	}
	for _, t := range res.Tools {
		known := c.tools[t.Name]
		if known != nil && t.OutputSchema != nil && string(known.raw) == string(t.OutputSchema) {
			known.list = c.lists
			continue
		}
		c.remove(t.Name)
		if n := perTool + len(t.Name) + len(t.OutputSchema); t.OutputSchema != nil && c.size+n <= maxSchemas {
			c.size += n
			c.tools[strings.Clone(t.Name)] = &tool{raw: bytes.Clone(t.OutputSchema), list: c.lists, busy: make(chan struct{}, 1)}
		}
	}
	if res.NextCursor == nil {
		for name, t := range c.tools {
			if t.list != c.lists {
				c.remove(name)
			}
		}
	}
}

func (c *clientTools) remove(name string) {
	if t := c.tools[name]; t != nil {
		c.size -= perTool + len(name) + len(t.raw)
		c.compiled -= t.size
		delete(c.tools, name)
	}
}

// keep reports whether a tool of the latest list may keep a compiled schema, and if so,
// counts the size of the schema.
func (c *clientTools) keep(name string, t *tool, size int) bool {
	if c.tools[name] != t || c.compiled+size > maxCompiled {
		return false
	}
	t.size = size
	c.compiled += size
	return true
}

// toolsOfLocked returns the tools of a client, which it adds if it is new. Clients that
// have ended are dropped then.
func (o *Outputs) toolsOfLocked(client *mcp.Client) *clientTools {
	c := o.clients[client]
	if c != nil {
		return c
	}
	maps.DeleteFunc(o.clients, func(c *mcp.Client, _ *clientTools) bool { return c.Err() != nil })
	if o.clients == nil {
		o.clients = make(map[*mcp.Client]*clientTools)
	}
	c = &clientTools{tools: make(map[string]*tool)}
	o.clients[client] = c
	return c
}

var errNoOutput = errors.New("no structured content, which the schema requires")

// isFinal reports whether the client takes a result as that of the tool. Whatever the server
// says about it, since 2026-07-28 only its type makes it another one, and before only that the
// call asked for a task.
func isFinal(call *mcp.OutgoingCall, res *mcp.CallToolResult) bool {
	switch {
	case call.Method != "tools/call":
		return true
	case !call.Client().Server().Modern():
		return res.Extra["task"] == nil || wire.Lookup(call.Params(), "task") == nil
	}
	return res.ResultType == "" || res.ResultType == "complete"
}

// check validates the result of a tool.
func (o *Outputs) check(ctx context.Context, call *mcp.OutgoingCall, raw mcp.RawMessage) error {
	o.mu.Lock()
	var t *tool
	c := o.clients[call.Client()]
	if c != nil {
		t = c.tools[call.Name]
	}
	o.mu.Unlock()
	if t == nil {
		return nil
	}
	res := new(mcp.CallToolResult)
	switch err := res.UnmarshalJSON(raw); {
	case err != nil:
		return nil // the client reports the error
	case res.IsError:
		return nil
	case res.StructuredContent == nil && !isFinal(call, res):
		return nil // not the tool's result: the client waits for that, or passes this on
	}
	schema, err := t.compile(ctx, func(schema *Schema) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return c.keep(call.Name, t, schema.size)
	})
	switch {
	case err != nil && ctx.Err() == nil && !o.Strict:
		return nil
	case err == nil && res.StructuredContent == nil:
		err = errNoOutput
	case err == nil:
		err = schema.Validate(ctx, res.StructuredContent)
	}
	if err != nil {
		return &OutputError{call.Name, res, err}
	}
	return nil
}
