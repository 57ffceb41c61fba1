package host

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// A Tool is a tool of a server, under a name that all model providers accept.
// It stays valid when its server reconnects.
//
// Lookups return a nil Tool for an unknown name. Its methods do not panic:
// calls return an error that matches ErrUnknownTool, and the others return zero
// values.
type Tool struct {
	host        *Host
	server      *server // nil for a tool of the host itself
	def         *mcp.Tool
	name        string
	description string
	approve     Approver // of the View that the tool comes from; may be nil
	app         bool     // models do not see it; see AppTools

	over   *config.Override // of the settings; may be nil
	schema mcp.RawMessage   // narrowed by over; nil if it is the server's

	// run implements a tool of the host itself. The report has the arguments.
	run func(context.Context, *mcp.ToolCall, *CallReport) (*mcp.CallToolResult, error)
	ask func(input mcp.RawMessage) bool // reports whether run needs permission; nil means no
}

// Name returns the name of the tool for models.
func (t *Tool) Name() string {
	if t == nil {
		return ""
	}
	return t.name
}

// Description returns the description of the tool for models.
func (t *Tool) Description() string {
	if t == nil {
		return ""
	}
	return t.description
}

// InputSchema returns the JSON Schema of the tool's arguments: the server's,
// unmodified unless the settings override it, or a schema for any object if the
// server sent none.
func (t *Tool) InputSchema() mcp.RawMessage {
	if t != nil && t.schema != nil {
		return t.schema
	}
	if t == nil || len(t.def.InputSchema) == 0 {
		return mcp.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.def.InputSchema
}

// Parameters returns the input schema as maps and slices. "type" is always set.
func (t *Tool) Parameters() map[string]any {
	return (&mcp.Tool{InputSchema: t.InputSchema()}).Parameters()
}

// Required returns the names of the arguments that the input schema requires.
func (t *Tool) Required() []string {
	return (&mcp.Tool{InputSchema: t.InputSchema()}).Required()
}

// Definition returns the tool as the server defines it. It must not be
// modified.
func (t *Tool) Definition() *mcp.Tool {
	if t == nil {
		return &mcp.Tool{}
	}
	return t.def
}

// Server returns the name of the tool's server in the settings. It is empty for
// a tool of ResourceTools or of a ToolSearch.
func (t *Tool) Server() string {
	if t == nil || t.server == nil {
		return ""
	}
	return t.server.name
}

// Connected reports whether the tool's server is connected and enabled.
func (t *Tool) Connected() bool {
	if t == nil || t.server == nil {
		return t != nil
	}
	t.host.mu.Lock()
	connected := t.server.state.client != nil && t.server.enabled
	t.host.mu.Unlock()
	return connected
}

// RequiresPermission reports whether the program should ask for permission
// before it calls Execute. It returns true for all tools of servers, because
// what servers say about their tools may be untrue, unless Options.Approve is
// set.
func (t *Tool) RequiresPermission(input mcp.RawMessage) bool {
	if t == nil || t.host.opts.Approve != nil {
		return false
	}
	if t.server == nil {
		return t.ask != nil && t.ask(input)
	}
	return true
}

// Execute calls the tool with arguments from a model and returns the result as
// text; see [Text]. input may be up to 4 MiB. The error is an *Error, whose text
// is for the model. If the tool itself failed, the error matches ErrTool and
// contains the text of the result.
func (t *Tool) Execute(ctx context.Context, input mcp.RawMessage) (string, error) {
	return t.text(t.callInput(ctx, input))
}

// CallText is Execute with arguments as for Call, such as a map[string]any.
func (t *Tool) CallText(ctx context.Context, args any) (string, error) {
	return t.text(t.Call(ctx, args))
}

// text returns the result of a call as Execute does.
func (t *Tool) text(res *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if res.IsError {
		e := newError(toolError, "tool failed", t.Server(), ErrTool)
		e.Tool, e.text = t.def.Name, Text(res)
		return "", e
	}
	return Text(res), nil
}

// Call calls the tool and returns the whole result. args is as for
// mcp.Client.CallTool. Call connects to the server if necessary, or waits until
// it is reconnected.
//
// A call that the server may have received is repeated only if the tool is
// annotated as read-only or idempotent. The error is an *Error.
func (t *Tool) Call(ctx context.Context, args any) (*mcp.CallToolResult, error) {
	return t.Do(ctx, &mcp.ToolCall{Arguments: args})
}

// Do calls the tool as Call does, with all options of a ToolCall. Name is
// ignored. A nil call has no arguments.
func (t *Tool) Do(ctx context.Context, call *mcp.ToolCall) (*mcp.CallToolResult, error) {
	if t == nil {
		return nil, newError(unknownTool, "no tool was called", "", ErrUnknownTool)
	}
	if call == nil {
		call = &mcp.ToolCall{}
	}
	r := t.host.report(t)
	res, err := t.do(ctx, call, r)
	err = t.limitedError(err)
	if called := t.host.opts.Called; called != nil {
		r.Duration, r.Result, r.Err = time.Since(r.Time), res, err
		called(settings.ForServer(ctx, r.Server), r)
	}
	return res, err
}

func (t *Tool) do(ctx context.Context, call *mcp.ToolCall, r *CallReport) (res *mcp.CallToolResult, err error) {
	args, err := arguments(call.Arguments)
	if err == nil {
		if args, err = argnames.Restore(t.def.InputSchema, args); err != nil {
			args, err = nil, argumentsError(err)
		}
	}
	if r.Arguments = args; t.run != nil {
		return t.local(ctx, call, r, err)
	}
	if err == nil {
		args, err = t.overridden(args)
		r.Arguments = args
	}
	var started *DialParams
	if err == nil {
		res, started, err = t.call(ctx, call, r)
	}
	failure := ""
	if err != nil {
		err = t.callError(err, started)
		failure = err.Error()
	} else if res.IsError {
		failure = "tool failed: " + started.Hide(Text(res))
	}
	if r.Requests > 0 {
		t.server.metrics.call(r, failure)
	}
	return t.limited(res), err
}

// arguments returns args as JSON, or nil if there are none. The error
// matches errArguments.
func arguments(args any) (mcp.RawMessage, error) {
	switch v := args.(type) {
	case []byte:
		args = mcp.RawMessage(v)
	case string:
		return nil, argumentsError(errors.New("a string is not a JSON object; for JSON text use json.RawMessage(s)"))
	}
	if raw, ok := args.(mcp.RawMessage); ok && len(raw) == 0 || args == nil {
		return nil, nil
	}
	b, err := wire.AppendValue(nil, args)
	if err != nil {
		return nil, argumentsError(err)
	}
	switch b[0] {
	case '{':
		return b, nil
	case 'n':
		return nil, nil
	}
	return nil, argumentsError(errors.New(diag.Printable(string(b[:min(len(b), 100)]), 30) + " is not a JSON object"))
}

// local calls a tool of the host itself.
func (t *Tool) local(ctx context.Context, call *mcp.ToolCall, r *CallReport, err error) (res *mcp.CallToolResult, _ error) {
	if err == nil {
		res, err = t.run(ctx, call, r)
	}
	if err != nil {
		if _, ok := diag.Find[*Error](err); ok {
			return nil, err
		}
		f, what := callFailure(err)
		e := newError(f, t.name+what, "", err)
		e.Tool = t.name
		return nil, e
	}
	return res, nil
}

// jsonResult returns the result of a tool of the host itself.
func jsonResult(out []byte) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(string(out))}, StructuredContent: out}
}

// call asks for approval and calls the tool. It returns the parameters that the
// server was started with, to remove secrets from errors.
func (t *Tool) call(ctx context.Context, call *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, *DialParams, error) {
	approved, err := t.permitted(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	done, err := t.server.takeTurn(ctx, t.host)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	timeout := t.host.timeout(t.server)
	if call.Timeout != 0 {
		timeout = call.Timeout
	}
	q := *call
	q.Name, q.Timeout, q.Arguments = t.def.Name, timeout, nil
	if r.Arguments != nil {
		q.Arguments = r.Arguments
	}
	if q.Progress == nil {
		q.Progress = func(mcp.Progress) {} // progress extends the timeout
	}
	for again := false; ; again = true {
		client, started, err := t.host.clientWithin(ctx, t.server, timeout)
		if err != nil {
			return nil, nil, err
		}
		if _, def := t.current(); def != approved { // changed while the call waited for the server
			if approved, err = t.permitted(ctx, r); err != nil {
				return nil, nil, err
			}
		}
		began := time.Now()
		res, err := client.Do(ctx, &q)
		r.Requests++
		r.ResponseTime = time.Since(began)
		if err == nil || again {
			return res, started, err
		}
		lost := started.live != nil && started.live.confirm(ctx, t.host, t.server, client, err)
		if !t.repeatable(ctx, err, lost) {
			return res, started, err
		}
	}
}

// repeatable reports whether a failed call may be repeated: it was never sent, or
// the tool is read-only or idempotent. lost reports whether the server is
// unreachable.
func (t *Tool) repeatable(ctx context.Context, err error, lost bool) bool {
	if ctx.Err() != nil || !lost && !errors.Is(err, mcp.ErrClosed) {
		return false
	}
	if !errors.Is(err, mcp.ErrOutcomeUnknown) {
		return true
	}
	_, def := t.current()
	return def.Annotations.Idempotent()
}

// current returns the current settings of the server and the latest definition of
// the tool. They apply to all calls, also of a Tool with an earlier definition.
func (t *Tool) current() (*Server, *mcp.Tool) {
	t.host.mu.Lock()
	cfg, def := t.server.cfg, cmp.Or(t.server.lastDefs[t.def.Name], t.def)
	t.host.mu.Unlock()
	return cfg, def
}

// permitted returns an error if the tool is hidden or the call is not approved. def
// is the definition that was approved.
func (t *Tool) permitted(ctx context.Context, r *CallReport) (def *mcp.Tool, err error) {
	h, s := t.host, t.server
	cfg, def := t.current()
	if !cfg.Tools.Allows(def.Name) || h.opts.Filter != nil && !h.opts.Filter(s.name, def) {
		return def, ErrUnknownTool
	}
	c := &Call{ID: r.ID, Server: s.name, Source: cfg.Source, Scope: cfg.Scope, Name: t.name, Tool: def.Name, Arguments: r.Arguments,
		Annotations: def.Annotations, Listed: glob.Any(cfg.AutoApprove, def.Name)}
	if c.Changed, err = t.unpinned(def); err != nil {
		return def, err
	}
	if err := h.decide(ctx, t.approve, c); err != nil {
		return def, err
	}
	if c.Changed != nil {
		t.repin(c.Changed)
	}
	return def, nil
}

// decide asks the Approver of a view, which may be nil, and Options.Approve. It
// returns an error if the call is not approved.
func (h *Host) decide(ctx context.Context, view Approver, c *Call) error {
	if view == nil && h.opts.Approve == nil {
		return nil
	}
	ctx = settings.ForServer(ctx, c.Server)
	if view != nil {
		if d, err := view(ctx, c); err != nil || d == Deny || d == Ask && h.opts.Approve == nil {
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
		return denial(err)
	case d == Deny:
		return ErrDenied
	}
	return errUndecided
}

// denial returns an error that matches ErrDenied and why, the reason why a call
// was not approved.
func denial(why error) error {
	return diag.Error(ErrDenied.Error()+": "+why.Error(), ErrDenied, why)
}

// errUndecided is the error for a call that only a user may approve.
var errUndecided = denial(diag.Message("the user must approve it, and no Approver asks the user"))
