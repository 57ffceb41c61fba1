package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
)

// Outputs checks what tools return against the schemas of their outputs. The
// zero value is ready, for one client:
//
//	opts.Intercept = new(jsonschema.Outputs).Intercept
//
// Tools are known from when the program lists them. A result that says that the
// tool failed is not checked.
type Outputs struct {
	// Strict fails calls of tools whose schemas can't be used. Without it such
	// tools are not checked.
	Strict bool

	mu      sync.Mutex
	clients map[*mcp.Client]map[string]*tool // the tools that each client has listed
}

// A tool is one with a schema for its output.
type tool struct {
	raw mcp.RawMessage

	once   sync.Once // compiles it
	schema *Schema
	err    error
}

func (t *tool) compile() (*Schema, error) {
	t.once.Do(func() { t.schema, t.err = Compile(t.raw) })
	return t.schema, t.err
}

// An OutputError says that what a tool returned doesn't fit the schema of its
// output. It matches [mcp.ErrMalformed].
type OutputError struct {
	Tool   string
	Result *mcp.CallToolResult
	Err    error // an *[Error], or why the schema can't be used
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("the output of the tool %q: %v", e.Tool, e.Err)
}

func (e *OutputError) Is(target error) bool { return target == mcp.ErrMalformed }
func (e *OutputError) Unwrap() error        { return e.Err }

// Intercept is a function for Options.Intercept. A program with an interceptor
// of its own calls it from there in place of Send.
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
		err = o.check(call, raw)
	case "tasks/get": // with the result in it since 2026-07-28
		var task mcp.Task
		if task.UnmarshalJSON(raw) == nil && task.Payload != nil {
			err = o.check(call, task.Payload)
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
		return // the client will say so
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

var errNoOutput = errors.New("no structured content, though the tool has a schema for it")

// check checks the result of a tool.
func (o *Outputs) check(call *mcp.OutgoingCall, raw mcp.RawMessage) error {
	o.mu.Lock()
	t := o.clients[call.Client()][call.Name]
	o.mu.Unlock()
	if t == nil {
		return nil
	}
	res := new(mcp.CallToolResult)
	switch err := res.UnmarshalJSON(raw); {
	case err != nil:
		return nil // the client will say so
	case res.IsError, res.ResultType != "" && res.ResultType != "complete", res.Extra["task"] != nil:
		return nil // failed, or not the result yet
	}
	schema, err := t.compile()
	switch {
	case err != nil && !o.Strict:
		return nil
	case err == nil && res.StructuredContent == nil:
		err = errNoOutput
	case err == nil:
		err = schema.Validate(res.StructuredContent)
	}
	if err != nil {
		return &OutputError{call.Name, res, err}
	}
	return nil
}
