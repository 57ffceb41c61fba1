package host

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// maxInput limits the arguments that a model may send, in bytes.
const maxInput = 4 << 20

// Execute calls the tool with the given name, which a model chose, with
// arguments as JSON text, and returns the result as text; see [Tool.Execute].
// Empty input and null mean no arguments; input may be up to 4 MiB.
//
// If the server of the tool is connecting or reconnecting, Execute waits for it,
// at most for the server's call timeout. For an unknown name, it also connects to
// the lazy servers that may have the tool. The error is an *Error, whose text is
// for the model: if no tool has that name, it contains the nearest names and
// matches ErrUnknownTool.
func (h *Host) Execute(ctx context.Context, name string, input mcp.RawMessage) (string, error) {
	return h.root.Execute(ctx, name, input)
}

// CallText is Execute with arguments as for [Tool.Call], such as a map[string]any.
func (h *Host) CallText(ctx context.Context, name string, args any) (string, error) {
	return h.root.CallText(ctx, name, args)
}

// Call calls the tool with the given name as Execute does and returns the whole
// result. The error is an *Error.
func (h *Host) Call(ctx context.Context, name string, input mcp.RawMessage) (*mcp.CallToolResult, error) {
	return h.root.Call(ctx, name, input)
}

// Execute is [Host.Execute] for the tools of the view.
func (v *View) Execute(ctx context.Context, name string, input mcp.RawMessage) (string, error) {
	t, err := v.await(ctx, name)
	if err != nil {
		return "", err
	}
	return t.Execute(ctx, input)
}

// CallText is [Host.CallText] for the tools of the view.
func (v *View) CallText(ctx context.Context, name string, args any) (string, error) {
	t, err := v.await(ctx, name)
	if err != nil {
		return "", err
	}
	return t.CallText(ctx, args)
}

// Call is [Host.Call] for the tools of the view.
func (v *View) Call(ctx context.Context, name string, input mcp.RawMessage) (*mcp.CallToolResult, error) {
	t, err := v.await(ctx, name)
	if err != nil {
		return nil, err
	}
	return t.callInput(ctx, input)
}

// await returns the tool with the given name. If there is none, it connects to
// the servers that may have it, or waits for them.
func (v *View) await(ctx context.Context, name string) (*Tool, error) {
	if t := v.own.get(name); t != nil {
		return t, nil
	}
	var failure error
	for tried := []*server(nil); ; {
		if t := v.limit(v.host.Snapshot().Tool(name)); t != nil { // a server may return without the tool
			return t, nil
		}
		s := v.owner(name, tried)
		if s == nil {
			if failure == nil {
				failure = v.unknown(name)
			}
			return nil, failure
		}
		tried = append(tried, s)
		if err := v.host.awaitTools(ctx, s); err != nil {
			failure = s.callError(diag.Printable(name, 2*maxName), err, nil)
		}
	}
}

// awaitTools waits until a server is connected and the host has listed the tools
// that the server has reported, at most for the server's call timeout.
func (h *Host) awaitTools(ctx context.Context, s *server) error {
	ctx, cancel := within(ctx, h.timeout(s))
	defer cancel()
	for {
		client, _, err := h.client(ctx, s)
		if err != nil {
			return err
		}
		h.mu.Lock()
		changed, stale := s.changed, s.state.client == client && s.monitor.isStaleLocked()
		h.mu.Unlock()
		if !stale {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return newError(timedOut, "its tools are still not listed", s.name, retry.Cause(ctx))
		}
	}
}

// owner returns a server whose tools the host does not know yet, as it has no
// connection or has reported other ones, that may have the tool with the given name,
// and is not one of those that were tried. It is nil if there is none.
func (v *View) owner(name string, tried []*server) (found *server) {
	h := v.host
	h.mu.Lock()
	o, known := h.names.origins[name]
	longest := -1
next:
	for _, s := range h.servers {
		prefix := h.names.prefix(s.name)
		switch {
		case !v.sees(s.name), known && s.name != o.server, !known && (!strings.HasPrefix(name, prefix) || !s.enabled):
			continue
		case !s.enabled: // which the error says
		case s.state.client != nil && !s.monitor.isStaleLocked(), !known && s.state.client == nil && s.lastDefs != nil:
			continue
		}
		for _, t := range tried {
			if t == s {
				continue next
			}
		}
		if len(prefix) > longest {
			found, longest = s, len(prefix)
		}
	}
	h.mu.Unlock()
	return found
}

// unknown returns the error for a name that no tool has.
func (v *View) unknown(name string) error {
	e := newError(unknownTool, "tool "+wire.Quote(diag.Printable(name, 2*maxName))+" was not called", "", ErrUnknownTool)
	var known []string
	for _, t := range append(v.Tools(), v.own.all()...) {
		known = append(known, t.name)
	}
	near := nearest.Names(name, known)
	for i := range near {
		near[i] = wire.Quote(near[i])
	}
	switch off := v.disabledOwner(name); {
	case off != "":
		e.text += "; the server " + wire.Quote(off) + " is disabled"
	case len(near) > 0:
		e.text += "; did you mean " + strings.Join(near, " or ") + "?"
	case len(known) == 0:
		e.text += "; no tools are available"
	default:
		e.text += "; none of the " + strconv.Itoa(len(known)) + " tools has a similar name"
	}
	return e
}

// disabledOwner returns the disabled server of the view whose tools have names that
// begin as the given one, or "".
func (v *View) disabledOwner(name string) (owner string) {
	h, longest := v.host, -1
	h.mu.Lock()
	for _, s := range h.servers {
		prefix := h.names.prefix(s.name)
		if v.sees(s.name) && strings.HasPrefix(name, prefix) && len(prefix) > max(longest, 0) {
			if owner, longest = "", len(prefix); !s.enabled {
				owner = s.name
			}
		}
	}
	h.mu.Unlock()
	return owner
}

// ownTools are the tools of the host itself that a program has made from a view, such
// as those of a ToolSearch. The view calls them, but Tools leaves them out.
type ownTools struct {
	mu   lock.Mutex
	list []*Tool // of each name the last one
}

func (o *ownTools) add(tools ...*Tool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	byName := toolNames(tools)
	var list []*Tool // generic functions would link all methods of a Tool and of what it refers to
	for _, old := range o.list {
		if byName[old.name] == nil {
			list = append(list, old)
		}
	}
	o.list = append(list, tools...)
}

func (o *ownTools) all() []*Tool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.list
}

// get returns the tool with the given name, or nil.
func (o *ownTools) get(name string) *Tool {
	for _, t := range o.all() {
		if t.name == name {
			return t
		}
	}
	return nil
}

// callInput is Call with arguments from a model.
func (t *Tool) callInput(ctx context.Context, input mcp.RawMessage) (*mcp.CallToolResult, error) {
	if t != nil && len(input) > maxInput {
		err := errors.New(strconv.Itoa(len(input)) + " bytes are too many; send at most " + strconv.Itoa(maxInput))
		if t.server == nil {
			return t.local(ctx, nil, nil, argumentsError(err))
		}
		return nil, t.callError(argumentsError(err), nil)
	}
	return t.Call(ctx, input)
}

// errArguments is matched by the reason why a tool was not called with its
// arguments.
var errArguments = errors.New("arguments")

func argumentsError(err error) error {
	return diag.Error("arguments: "+err.Error(), errArguments, err)
}

// NewTool returns a tool of the program itself, for a model to use in addition to
// those of servers. def is the definition; its Name should be one that model
// providers accept. run receives the arguments as a JSON object, or nil, and
// returns the text of the result. If run fails, the call returns an *Error.
// Options.Approve is not asked. If def or run is nil, calls of the tool fail.
func (h *Host) NewTool(def *mcp.Tool, run func(ctx context.Context, input mcp.RawMessage) (string, error)) *Tool {
	if def == nil || run == nil {
		return nil
	}
	return &Tool{host: h, def: def, name: def.Name, description: def.Description,
		run: func(ctx context.Context, _ *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, error) {
			text, err := run(ctx, r.Arguments)
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(text)}}, nil
		}}
}

// Text returns a result as text for a model: one block per line, with a note in
// place of content that is not text. Blocks for the user alone are left out. If there is
// only structured content, the text is its JSON; for an empty result it is
// "(empty result)".
func Text(res *mcp.CallToolResult) string {
	if res == nil {
		res = &mcp.CallToolResult{}
	}
	texts := make([]string, 0, len(res.Content))
	for i := range res.Content {
		if text := blocks.Text(&res.Content[i]); text != "" {
			texts = append(texts, text)
		}
	}
	switch {
	case len(texts) > 0:
		return strings.Join(texts, "\n")
	case blocks.HasStructured(res):
		return string(res.StructuredContent)
	}
	return "(empty result)"
}

// Structured returns the structured content of a result, or its text if that is
// valid JSON, or else nil.
func Structured(res *mcp.CallToolResult) mcp.RawMessage {
	if res == nil {
		return nil
	}
	if res.StructuredContent != nil {
		return res.StructuredContent
	}
	if text := []byte(res.Text()); wire.Valid(text) == nil {
		return text
	}
	return nil
}
