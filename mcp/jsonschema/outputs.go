package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
)

// Outputs validates the results of tools against their output schemas. The zero
// value is ready to use, by any number of clients:
//
//	opts.Intercept = new(jsonschema.Outputs).Intercept
//
// It learns a tool's schema when the client lists the tools, separately for
// each client. It does not check results with IsError.
type Outputs struct {
	// Strict makes calls fail if the tool's schema is invalid or unsupported.
	// By default, such tools are not checked.
	Strict bool

	mu      sync.Mutex
	clients map[*mcp.Client]map[string]*tool // the tools that each client has listed
}

// A tool holds an output schema.
type tool struct {
	raw mcp.RawMessage

	once   sync.Once // for schema and err
	schema *Schema
	err    error
}

func (t *tool) compile() (*Schema, error) {
	t.once.Do(func() { t.schema, t.err = Compile(t.raw) })
	return t.schema, t.err
}

// An OutputError reports a result that does not fit the tool's output schema.
// It matches [mcp.ErrMalformed].
type OutputError struct {
	Tool   string
	Result *mcp.CallToolResult
	Err    error // an *[Error], or the reason why the schema cannot be used
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("output of tool %q: %v", e.Tool, e.Err)
}

func (e *OutputError) Is(target error) bool { return target == mcp.ErrMalformed }
func (e *OutputError) Unwrap() error        { return e.Err }

// Intercept is a value for Options.Intercept. A program with its own
// interceptor calls Intercept from there instead of Send.
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
		o.learn(call.Client(), raw)
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
func (o *Outputs) learn(client *mcp.Client, raw mcp.RawMessage) {
	var res mcp.ListToolsResult
	if res.UnmarshalJSON(raw) != nil {
		return // the client reports the error
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	tools := o.toolsOf(client)
	for _, t := range res.Tools {
		switch {
		case t.OutputSchema == nil:
			delete(tools, t.Name)
		case tools[t.Name] == nil || string(tools[t.Name].raw) != string(t.OutputSchema):
			tools[t.Name] = &tool{raw: t.OutputSchema}
		}
	}
}

// toolsOf returns the tools of a client, which it adds if it is new. Clients
// that have ended are dropped then. The caller holds mu.
func (o *Outputs) toolsOf(client *mcp.Client) map[string]*tool {
	tools := o.clients[client]
	if tools != nil {
		return tools
	}
	maps.DeleteFunc(o.clients, func(c *mcp.Client, _ map[string]*tool) bool { return c.Err() != nil })
	if o.clients == nil {
		o.clients = make(map[*mcp.Client]map[string]*tool)
	}
	tools = make(map[string]*tool)
	o.clients[client] = tools
	return tools
}

var errNoOutput = errors.New("no structured content, which the schema requires")

// check validates the result of a tool.
func (o *Outputs) check(ctx context.Context, call *mcp.OutgoingCall, raw mcp.RawMessage) error {
	o.mu.Lock()
	t := o.clients[call.Client()][call.Name]
	o.mu.Unlock()
	if t == nil {
		return nil
	}
	res := new(mcp.CallToolResult)
	switch err := res.UnmarshalJSON(raw); {
	case err != nil:
		return nil // the client reports the error
	case res.IsError, res.ResultType != "" && res.ResultType != "complete", res.Extra["task"] != nil:
		return nil // failed, or not a final result
	}
	schema, err := t.compile()
	switch {
	case err != nil && !o.Strict:
		return nil
	case err == nil && res.StructuredContent == nil:
		err = errNoOutput
	case err == nil:
		err = schema.ValidateContext(ctx, res.StructuredContent)
	}
	if err != nil {
		return &OutputError{call.Name, res, err}
	}
	return nil
}
