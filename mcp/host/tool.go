package host

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A Tool is what an agent has of a server's tool: a name that every model
// takes, and a function to call. It stays of use when the connection to its
// server ends and another is made.
type Tool struct {
	host        *Host
	server      *server // nil for those of ResourceTools
	def         *mcp.Tool
	name        string
	description string
	approve     Approver // of the view that it was got from; may be nil

	run func(context.Context, mcp.RawMessage) ([]byte, error) // of those of ResourceTools
	ask func(input mcp.RawMessage) bool                       // whether run needs permission; nil means no
}

// Name returns what models call the tool.
func (t *Tool) Name() string {
	if t == nil {
		return ""
	}
	return t.name
}

// Description returns what models are told of the tool.
func (t *Tool) Description() string {
	if t == nil {
		return ""
	}
	return t.description
}

// InputSchema returns the JSON Schema of the tool's arguments: the server's
// own, byte for byte, or one of any object when the server has none.
func (t *Tool) InputSchema() mcp.RawMessage {
	if t == nil || len(t.def.InputSchema) == 0 {
		return mcp.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.def.InputSchema
}

// Parameters returns the schema as maps and slices, with at least the type.
func (t *Tool) Parameters() map[string]any {
	m, _ := Value(t.InputSchema()).(map[string]any)
	if m == nil {
		m = make(map[string]any)
	}
	if kind, _ := m["type"].(string); kind == "" {
		m["type"] = "object"
	}
	return m
}

// Definition returns what the server says of the tool. It must not be changed.
func (t *Tool) Definition() *mcp.Tool {
	if t == nil {
		return &mcp.Tool{}
	}
	return t.def
}

// Server returns the name of the tool's server, as the settings have it. It is
// empty for the tools of ResourceTools.
func (t *Tool) Server() string {
	if t == nil || t.server == nil {
		return ""
	}
	return t.server.name
}

// Connected reports whether the tool can be called at once.
func (t *Tool) Connected() bool {
	if t == nil || t.server == nil {
		return t != nil
	}
	t.host.lock()
	defer t.host.unlock()
	return t.server.client != nil && t.server.enabled
}

// RequiresPermission reports whether the program should ask for permission
// before it calls Execute. It does for all tools of servers, as nothing is
// known of them but their own words, unless Options.Approve is there to do so.
func (t *Tool) RequiresPermission(input mcp.RawMessage) bool {
	if t == nil || t.host.opts.Approve != nil {
		return false
	}
	if t.server == nil {
		return t.ask != nil && t.ask(input)
	}
	return true
}

// Execute calls the tool with the arguments that a model gave, and returns the
// result as text; see Text. The error is an *Error. It matches ErrTool when the
// tool itself failed; Error then says how.
func (t *Tool) Execute(ctx context.Context, input mcp.RawMessage) (string, error) {
	res, err := t.Call(ctx, input)
	if err != nil {
		return "", err
	}
	if res.IsError {
		e := newError(ToolCategory, "TOOL_ERROR", "tool failed", t.Server(), ErrTool)
		e.Tool, e.text = t.def.Name, Text(res)
		return "", e
	}
	return Text(res), nil
}

// Run calls the tool as Execute does, for agents that want a text in any case.
// failed says that it is an error's.
func (t *Tool) Run(ctx context.Context, input mcp.RawMessage) (text string, failed bool) {
	res, err := t.Call(ctx, input)
	if err != nil {
		return err.Error(), true
	}
	return Text(res), res.IsError
}

// Call calls the tool and returns its whole result. args are as those of
// mcp.Client.CallTool. It connects to the server if need be, and waits for a
// server that is being connected again.
//
// A call that may have reached the server is repeated only if the tool says
// that it does no harm to repeat it.
func (t *Tool) Call(ctx context.Context, args any) (*mcp.CallToolResult, error) {
	return t.Do(ctx, &mcp.ToolCall{Arguments: args})
}

// Do calls the tool as Call does, with all that can be said about it. Its Name
// is of no account.
func (t *Tool) Do(ctx context.Context, call *mcp.ToolCall) (*mcp.CallToolResult, error) {
	if t == nil {
		return nil, newError(ToolCategory, "UNKNOWN_TOOL", "no tool was called", "", ErrUnknownTool)
	}
	if call == nil {
		call = &mcp.ToolCall{}
	}
	args, err := arguments(call.Arguments)
	if t.run != nil {
		return t.local(ctx, args, err)
	}
	began := time.Now()
	var res *mcp.CallToolResult
	var started *DialParams
	if err == nil {
		res, started, err = t.call(ctx, call, args)
	}
	failure := ""
	if err != nil {
		err = t.server.callError(t.def.Name, err, started)
		failure = err.Error()
	} else if res.IsError {
		failure = "tool failed: " + started.Hide(Text(res))
	}
	t.server.metrics.call(time.Since(began), failure)
	return res, err
}

// arguments returns the arguments as JSON, or nil when there are none.
func arguments(args any) (mcp.RawMessage, error) {
	if raw, ok := args.(mcp.RawMessage); ok && len(raw) == 0 || args == nil {
		return nil, nil
	}
	b, err := wire.AppendValue(nil, args)
	if err != nil {
		return nil, diag.Op("arguments", err)
	}
	switch b[0] {
	case '{':
		return b, nil
	case 'n':
		return nil, nil
	}
	return nil, errors.New("arguments: not an object in JSON")
}

// local calls one of the tools of ResourceTools.
func (t *Tool) local(ctx context.Context, args mcp.RawMessage, err error) (*mcp.CallToolResult, error) {
	var out []byte
	if err == nil {
		out, err = t.run(ctx, args)
	}
	if err != nil {
		if _, ok := find[*Error](err); ok {
			return nil, err
		}
		e := newError(ToolCategory, "TOOL_FAILED", t.name+" failed", "", err)
		e.Tool = t.name
		return nil, e
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(string(out))}, StructuredContent: out}, nil
}

// call has a call approved and made.
func (t *Tool) call(ctx context.Context, call *mcp.ToolCall, args mcp.RawMessage) (*mcp.CallToolResult, *DialParams, error) {
	if err := t.permitted(ctx, args); err != nil {
		return nil, nil, err
	}
	timeout := t.host.timeout(t.server)
	if call.Timeout > 0 {
		timeout = call.Timeout
	}
	q := *call
	q.Name, q.Timeout, q.Arguments = t.def.Name, timeout, nil
	if args != nil {
		q.Arguments = args
	}
	if q.Progress == nil {
		q.Progress = func(mcp.Progress) {} // asked for because it extends the time
	}
	for again := false; ; again = true {
		client, started, err := t.host.clientWithin(ctx, t.server, timeout)
		if err != nil {
			return nil, nil, err
		}
		res, err := client.Do(ctx, &q)
		if err == nil || again || !t.repeatable(ctx, err) {
			return res, started, err
		}
	}
}

// repeatable reports whether a call that failed may be made once more: it never
// got to the server, or the tool says that it does no harm.
func (t *Tool) repeatable(ctx context.Context, err error) bool {
	if ctx.Err() != nil || !errors.Is(err, mcp.ErrClosed) {
		return false
	}
	if !errors.Is(err, mcp.ErrOutcomeUnknown) {
		return true
	}
	_, def := t.now()
	return def.Annotations.Idempotent()
}

// now returns the settings of the tool's server, and the definition that the
// server gave last: it is what counts, also for those who hold on to an old one.
func (t *Tool) now() (*Server, *mcp.Tool) {
	t.host.lock()
	defer t.host.unlock()
	if def := t.server.lastDefs[t.def.Name]; def != nil {
		return t.server.cfg, def
	}
	return t.server.cfg, t.def
}

// permitted returns nil if the tool is not hidden and the call is approved.
func (t *Tool) permitted(ctx context.Context, args mcp.RawMessage) error {
	h, s := t.host, t.server
	cfg, def := t.now()
	if !cfg.Tools.Allows(def.Name) || h.opts.Filter != nil && !h.opts.Filter(s.name, def) {
		return ErrUnknownTool
	}
	c := &Call{Server: s.name, Source: cfg.Source, Scope: cfg.Scope, Name: t.name, Tool: def.Name, Arguments: args,
		Annotations: def.Annotations, Listed: config.MatchAny(cfg.AutoApprove, def.Name)}
	if t.approve != nil {
		if d, err := t.approve(ctx, c); err != nil || d == Deny || d == Ask && h.opts.Approve == nil {
			return denied(d, err)
		}
	}
	if h.opts.Approve != nil {
		if d, err := h.opts.Approve(ctx, c); err != nil || d != Allow {
			return denied(d, err)
		}
	}
	return nil
}

func denied(d Decision, err error) error {
	switch {
	case err != nil:
		return &denial{err.Error(), err}
	case d == Deny:
		return ErrDenied
	}
	return &denial{"somebody would have to be asked", nil}
}

// A denial is why a call was not made.
type denial struct {
	why string
	err error
}

func (e *denial) Error() string        { return ErrDenied.Error() + ": " + e.why }
func (e *denial) Is(target error) bool { return target == ErrDenied }
func (e *denial) Unwrap() error        { return e.err }
