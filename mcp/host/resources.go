package host

import (
	"context"
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// ResourceTools returns tools that let a model use the resources of all
// servers: ListMcpResources, ReadMcpResource, SubscribeMcpResource,
// UnsubscribeMcpResource, SubscribePolling and UnsubscribePolling.
// Subscriptions emit events. Host.Call and Host.Execute call these tools by their
// names.
//
// Options.Approve decides about their calls, too, except for those that end
// subscriptions. Call.Tool is then the name of the host's tool, and the tools
// that only read are annotated as read-only. Without Options.Approve, only
// polling a tool requires permission.
func (h *Host) ResourceTools() []*Tool { return h.root.ResourceTools() }

const (
	serverProperty = `"server":{"type":"string","description":"The name of the MCP server"}`
	uriProperty    = `"uri":{"type":"string","description":"The URI of the resource"}`
	reasonProperty = `"reason":{"type":"string","description":"The purpose of the subscription"}`
	idProperty     = `"subscriptionId":{"type":"string","description":"The id that the subscription returned"}`
)

// ResourceTools returns the tools of [Host.ResourceTools] for the servers of
// the view. They end only subscriptions that were made from this view.
func (v *View) ResourceTools() []*Tool {
	tool := func(name, description, properties, required string, run func(context.Context, *CallReport) ([]byte, error)) *Tool {
		t := v.ready(name, description, properties, required)
		t.run = func(ctx context.Context, _ *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, error) {
			out, err := run(ctx, r)
			return t.limited(jsonResult(out)), err
		}
		return t
	}
	poll := tool("SubscribePolling", "Polls a tool or a resource of an MCP server and reports changes.",
		`"type":{"type":"string","enum":["tool","resource"]},`+serverProperty+
			`,"toolName":{"type":"string","description":"The tool, for the type tool"},"arguments":{"type":"object"},`+uriProperty+
			`,"intervalMs":{"type":"integer","minimum":1000,"default":5000},`+reasonProperty,
		`"type","server"`, v.subscribePolling)
	poll.ask = func(input mcp.RawMessage) bool {
		in, err := readInput(input)
		return err != nil || in.kind != "resource"
	}
	tools := []*Tool{
		tool("ListMcpResources", "Lists the resources of MCP servers, or of one of them.", serverProperty, "", v.listResources),
		tool("ReadMcpResource", "Reads a resource of an MCP server.", serverProperty+","+uriProperty, `"server","uri"`, v.readResource),
		tool("SubscribeMcpResource", "Subscribes to changes of a resource of an MCP server.",
			serverProperty+","+uriProperty+","+reasonProperty, `"server","uri"`, v.subscribeResource),
		tool("UnsubscribeMcpResource", "Ends subscriptions of SubscribeMcpResource.",
			serverProperty+","+uriProperty+","+idProperty, "", v.unsubscribe(watchResource)),
		poll,
		tool("UnsubscribePolling", "Ends subscriptions of SubscribePolling.",
			idProperty+","+serverProperty+`,"target":{"type":"string","description":"The tool or the URI"}`, "", v.unsubscribe(watchPolling)),
	}
	v.own.add(tools...)
	return tools
}

// ready returns a tool of the host itself, whose run the caller sets.
func (v *View) ready(name, description, properties, required string) *Tool {
	schema := `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
	def := &mcp.Tool{Name: name, Description: description, InputSchema: mcp.RawMessage(schema)}
	return &Tool{host: v.host, def: def, name: name, description: description}
}

// An input holds the arguments of one of these tools.
type input struct {
	server, uri, reason, id, kind, tool, target string
	arguments                                   mcp.RawMessage
	interval                                    int64 // in milliseconds; 0 if absent
}

func readInput(raw mcp.RawMessage) (in input, err error) {
	if raw == nil {
		raw = mcp.RawMessage("{}")
	}
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		key := string(r.Key())
		if r.Null() {
			continue
		}
		switch key {
		case "server":
			in.server = r.String()
		case "uri":
			in.uri = r.String()
		case "reason":
			in.reason = r.String()
		case "subscriptionId":
			in.id = r.String()
		case "type":
			in.kind = r.String()
		case "toolName":
			in.tool = r.String()
		case "target":
			in.target = r.String()
		case "arguments":
			in.arguments = slices.Clone(r.Raw())
		case "intervalMs":
			in.interval = r.Int()
		default:
			r.Skip()
		}
	}
	return in, r.End()
}

// input reads the arguments of a tool that requires the named ones.
func (v *View) input(raw mcp.RawMessage, required ...string) (in input, err error) {
	if in, err = readInput(raw); err == nil {
		err = v.require(&in, required...)
	}
	return in, err
}

// require returns an error unless the view contains the server and the required
// arguments are there.
func (v *View) require(in *input, required ...string) error {
	values := map[string]string{"server": in.server, "uri": in.uri, "toolName": in.tool}
	for _, name := range required {
		if values[name] == "" {
			return errors.New(wire.Quote(name) + " is missing")
		}
	}
	if in.server != "" && !v.sees(in.server) {
		return noServer(in.server)
	}
	return nil
}

// permitted returns an error unless a call of a resource tool is approved. Polling
// a tool must not be denied; each of its calls is approved by itself.
func (v *View) permitted(ctx context.Context, in *input, r *CallReport) error {
	yes, h := true, v.host
	c := &Call{ID: r.ID, Server: in.server, Name: r.Name, Tool: r.Name, Arguments: r.Arguments, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &yes}}
	pollsTool := in.tool != "" && in.kind == "tool"
	if pollsTool {
		c.Tool, c.Annotations = in.tool, nil
	}
	if v.limited && !v.can.Allow(c.Server, c.Tool) {
		return ErrDenied
	}
	if s, err := h.get(in.server); err == nil {
		h.mu.Lock()
		c.Source, c.Scope, c.Listed = s.cfg.Source, s.cfg.Scope, glob.Any(s.cfg.AutoApprove, r.Name)
		h.mu.Unlock()
	}
	err := h.decide(ctx, v.approve, c)
	if pollsTool && err == errUndecided {
		return nil
	}
	return err
}

// permittedResource returns the arguments of a call for one resource, or an error
// unless the call is approved.
func (v *View) permittedResource(ctx context.Context, r *CallReport) (input, error) {
	in, err := v.input(r.Arguments, "server", "uri")
	if err == nil {
		err = v.permitted(ctx, &in, r)
	}
	return in, err
}

func (v *View) listResources(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := v.input(r.Arguments)
	if err != nil {
		return nil, err
	}
	names := []string{in.server}
	if in.server == "" {
		names = v.withResources()
	}
	var refused error
	allowed := names[:0]
	for _, name := range names {
		in.server = name
		if err := v.permitted(ctx, &in, r); err == nil {
			allowed = append(allowed, name)
		} else {
			refused = err
		}
	}
	if names = allowed; len(names) == 0 && refused != nil {
		return nil, refused
	}
	lists, errs := make([][]*mcp.Resource, len(names)), make([]error, len(names))
	var group lock.Group
	for i, name := range names {
		if lists[i] = v.host.catalogResources(name); lists[i] != nil {
			continue
		}
		group.Go(func() {
			if err := v.host.guard(name, func() { lists[i], errs[i] = v.host.ListResources(ctx, name) }); err != nil {
				errs[i] = err
			}
		})
	}
	group.Wait()
	b := []byte("[")
	failed := 0
	for i, name := range names {
		if errs[i] != nil {
			failed++
		}
		for _, r := range lists[i] {
			b = append(wire.AppendComma(b), '{')
			b = wire.AppendString(wire.AppendKey(b, "uri"), r.URI)
			b = wire.AppendString(wire.AppendKey(b, "name"), r.Name)
			b = appendText(b, "mimeType", r.MIMEType)
			b = appendText(b, "description", r.Description)
			b = append(wire.AppendString(wire.AppendKey(b, "server"), name), '}')
		}
	}
	if failed > 0 && failed == len(names) {
		return nil, errs[0]
	}
	return append(b, ']'), nil
}

// catalogResources returns the resources of a server that is not connected and that
// the catalog contains.
func (h *Host) catalogResources(name string) []*mcp.Resource {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.serverLocked(name); s != nil && s.offered && s.enabled && s.known != nil {
		return s.known.resources
	}
	return nil
}

// withResources returns the servers of the view that have or may have resources, and
// that are connected, that the catalog contains, or that are connected on first use.
func (v *View) withResources() (names []string) {
	v.host.mu.Lock()
	for _, s := range v.host.servers {
		if v.sees(s.name) && (s.listedLocked() || s.enabled && s.cfg.Lazy) && (s.info == nil || s.info.Capabilities.Resources != nil) {
			names = append(names, s.name)
		}
	}
	v.host.mu.Unlock()
	return names
}

func (v *View) readResource(ctx context.Context, r *CallReport) ([]byte, error) {
	in, err := v.permittedResource(ctx, r)
	if err != nil {
		return nil, err
	}
	res, err := v.host.ReadResource(ctx, in.server, in.uri)
	if err != nil {
		return nil, err
	}
	return appendContents(nil, res), nil
}

func appendContents(b []byte, res *mcp.ReadResourceResult) []byte {
	b = append(b, `{"contents":[`...)
	for i := range res.Contents {
		c := &res.Contents[i]
		b = append(wire.AppendComma(b), '{')
		b = wire.AppendString(wire.AppendKey(b, "uri"), c.URI)
		b = appendText(b, "mimeType", c.MIMEType)
		if c.IsBlob || c.Blob != "" {
			b = wire.AppendString(wire.AppendKey(b, "blob"), c.Blob)
		} else {
			b = wire.AppendString(wire.AppendKey(b, "text"), c.Text)
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendText appends a member unless text is empty.
func appendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return wire.AppendString(wire.AppendKey(b, key), text)
}
