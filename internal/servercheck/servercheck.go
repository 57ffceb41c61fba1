// Package servercheck checks an MCP server for problems that clients would have.
// It uses the server as a careful client does: it lists everything, reads
// resources, and sends what the server must refuse. Unless a program says how, it calls no
// tools, because they may change something. It also finds what clients tolerate.
package servercheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// A Finding is a problem that clients would have.
type Finding struct {
	Where   string // a method, a tool or a resource
	What    string
	Warning bool // the specification permits it
}

func (f Finding) String() string { return f.Where + ": " + f.What }

const (
	slow       = 10 * time.Second // for a response
	maxFound   = 100              // findings
	maxReading = 20               // resources that are read
)

// A check is a run of Check.
type check struct {
	client  *mcp.Client
	opts    Options
	timeout time.Duration // for a response

	mu    sync.Mutex // guards found
	found []Finding
}

// Options are settings of Run. The zero value is ready to use.
type Options struct {
	Versions       []string      // the protocol versions; nil means all
	ConnectTimeout time.Duration // for connecting; 0 means no limit
	Timeout        time.Duration // for a response; 0 means 10 s, and a negative one no limit

	// Hide masks secrets in a text. It may be nil.
	Hide func(text string) string

	// Providers are model providers, of package schema: Run finds what they reject in
	// the definitions of tools.
	Providers []string

	// Arguments returns the arguments to call a tool with, or nil to not call it.
	// Without the function, Run calls no tool.
	Arguments func(*mcp.Tool) mcp.RawMessage
}

// Check connects to a server, checks it, and closes the connection. It returns an
// error only if ctx ends.
func Check(ctx context.Context, t mcp.Transport) ([]Finding, error) {
	c := newCheck(&Options{})
	if err := c.connect(ctx, t); err != nil {
		c.errorf("connecting", "%v", err)
		return c.found, ctx.Err()
	}
	return c.run(ctx)
}

// Run is like Check with options. It returns an error also if it cannot connect, and
// the version that it connected with.
func Run(ctx context.Context, t mcp.Transport, o *Options) (version string, found []Finding, err error) {
	c := newCheck(o)
	if err := c.connect(ctx, t); err != nil {
		return "", c.found, err
	}
	found, err = c.run(ctx)
	return c.client.Server().ProtocolVersion, found, err
}

func newCheck(o *Options) *check { return &check{opts: *o, timeout: cmp.Or(o.Timeout, slow)} }

func (c *check) connect(ctx context.Context, t mcp.Transport) (err error) {
	if limit := c.opts.ConnectTimeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, diag.NoResponse(limit))
		defer cancel()
	}
	m := NewMonitor(false, c.add)
	trace := &mcp.Trace{
		Message: func(_ context.Context, sent bool, data []byte) { m.Message(sent, data) },
		Discarded: func(_ context.Context, reason error, data []byte) {
			c.errorf("message", "clients discard it: %v: %.200q", reason, c.hide(string(data)))
		},
		SessionLost: func(_ context.Context, err error) {
			c.errorf("session", "the server no longer knows it: %v", err)
		},
	}
	c.client, err = mcp.Connect(ctx, t, &mcp.Options{Timeout: c.timeout, ProtocolVersions: c.opts.Versions, Handlers: []mcp.Handler{noRoots}, Trace: trace})
	return err
}

// run checks the server that the client is connected to, and closes the
// connection.
func (c *check) run(ctx context.Context) ([]Finding, error) {
	c.identity()
	c.tools(ctx)
	c.resources(ctx)
	c.prompts(ctx)
	c.refusals(ctx)
	begun := time.Now()
	if err := c.client.Close(); err != nil {
		c.errorf("closing", "%v", err)
	} else if took := time.Since(begun); took > time.Second {
		c.warnf("closing", "the server takes %v to end after its client is gone", took.Round(time.Millisecond))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found, ctx.Err()
}

func (c *check) hide(text string) string {
	if c.opts.Hide == nil {
		return text
	}
	return c.opts.Hide(text)
}

func (c *check) add(f Finding) {
	f.Where, f.What = c.hide(f.Where), c.hide(f.What)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.found) < maxFound && !slices.Contains(c.found, f) {
		c.found = append(c.found, f)
	}
}

func (c *check) errorf(where, format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok && recording.IsMissing(err) {
			c.warnf(where, "not in the recording")
			return
		}
	}
	c.add(Finding{Where: where, What: fmt.Sprintf(format, args...)})
}

func (c *check) warnf(where, format string, args ...any) {
	c.add(Finding{Where: where, What: fmt.Sprintf(format, args...), Warning: true})
}

func (c *check) identity() {
	info := c.client.Server()
	if info.Name == "" {
		c.errorf("handshake", "the server has no name")
	}
	if info.Version == "" {
		c.errorf("handshake", "the server has no version")
	}
}

func (c *check) tools(ctx context.Context) {
	if c.client.Server().Capabilities.Tools == nil {
		return
	}
	tools, err := c.client.ListTools(ctx)
	if err != nil {
		c.errorf("tools/list", "%v", err)
	} else {
		c.stable(ctx, tools)
	}
	seen := map[string]bool{}
	for _, t := range tools {
		where := "tool " + wire.Quote(t.Name)
		if seen[t.Name] {
			c.errorf(where, "listed twice")
		}
		seen[t.Name] = true
		if !isToolName(t.Name) {
			c.warnf(where, "model providers accept only 1 to 64 letters, digits, _ and - in names")
		}
		if t.Description == "" {
			c.warnf(where, "no description: a model cannot know when to call it")
		}
		for name, schema := range map[string]mcp.RawMessage{"inputSchema": t.InputSchema, "outputSchema": t.OutputSchema} {
			if schema == nil && name == "outputSchema" {
				continue
			}
			if kind := string(wire.Lookup(schema, "type")); kind != `"object"` {
				c.errorf(where, "%s must have the type \"object\", has %s", name, orNone(kind))
			} else if _, err := jsonschema.Compile(ctx, schema); err != nil {
				c.errorf(where, "%s is not valid: %v", name, err)
			} else if at, unknown := unknownType(schema, ""); unknown != "" {
				c.errorf(where, "%s", typeText(name, at, unknown))
			}
		}
		for _, provider := range c.opts.Providers {
			c.rejected(provider, where, t)
		}
		if a := t.Annotations; a != nil && a.ReadOnly() && a.DestructiveHint != nil && *a.DestructiveHint {
			c.warnf(where, "annotations: it is read-only and destructive")
		}
		if c.opts.Arguments != nil {
			if args := c.opts.Arguments(t); args != nil {
				c.callTool(ctx, t, args)
			}
		}
	}
}

// isToolName reports whether all model providers accept a name.
func isToolName(s string) bool {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return s != "" && len(s) <= 64 && strings.Trim(s, chars) == ""
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (c *check) resources(ctx context.Context) {
	if c.client.Server().Capabilities.Resources == nil {
		return
	}
	resources, err := c.client.ListResources(ctx)
	if err != nil {
		c.errorf("resources/list", "%v", err)
	}
	for i, r := range resources {
		where := "resource " + wire.Quote(r.URI)
		if r.Name == "" {
			c.errorf(where, "no name")
		}
		if i >= maxReading {
			continue
		}
		res, err := c.client.ReadResource(ctx, r.URI)
		if err != nil {
			c.unread(ctx, r.URI, where, err)
			continue
		}
		for _, contents := range res.Contents {
			if contents.URI == "" {
				c.errorf(where, "contents without a URI")
			}
			if _, err := contents.Bytes(); err != nil {
				c.errorf(where, "contents: %v", err)
			}
		}
	}
	if _, err := c.client.ListResourceTemplates(ctx); err != nil {
		c.errorf("resources/templates/list", "%v", err)
	}
	c.mustRefuse(ctx, "resources/read", `{"uri":"servercheck://no-such-resource"}`, 0)
}

// unread adds a finding for a listed resource that cannot be read. A server may refuse
// what depends on its state, such as an open document or a login, but must not lack what
// it lists.
func (c *check) unread(ctx context.Context, uri, where string, err error) {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		list, listErr := c.client.ListResources(ctx)
		listed := func(r *mcp.Resource) bool { return r.URI == uri }
		if listErr == nil && !slices.ContainsFunc(list, listed) {
			return // it ceased to exist in the meantime
		}
	}
	state := refused != nil && !recording.IsMissing(err) && !c.isLacking(refused.Code) || errors.Is(err, mcp.ErrInputRequired)
	if state {
		c.warnf(where, "listed, but the server refuses to read it now: %v", err)
	} else {
		c.errorf(where, "listed, but cannot be read: %v", err)
	}
}

// isLacking reports whether an error code says that the server does not have a resource,
// or does not read any.
func (c *check) isLacking(code int64) bool {
	switch code {
	case mcp.CodeResourceNotFound, jsonrpc.CodeMethodNotFound:
		return true
	case jsonrpc.CodeInvalidParams:
		return c.client.Server().ProtocolVersion >= mcp.ProtocolVersion20260728
	}
	return false
}

func (c *check) prompts(ctx context.Context) {
	if c.client.Server().Capabilities.Prompts == nil {
		return
	}
	prompts, err := c.client.ListPrompts(ctx)
	if err != nil {
		c.errorf("prompts/list", "%v", err)
	}
	seen := map[string]bool{}
	for _, p := range prompts {
		if seen[p.Name] {
			c.errorf("prompt "+wire.Quote(p.Name), "listed twice")
		}
		seen[p.Name] = true
	}
	c.mustRefuse(ctx, "prompts/get", `{"name":"servercheck no such prompt"}`, 0)
}

// refusals sends what a server must answer with an error, and not with silence.
func (c *check) refusals(ctx context.Context) {
	c.mustRefuse(ctx, "servercheck/unknown", `{}`, jsonrpc.CodeMethodNotFound)
	if c.client.Server().Capabilities.Tools != nil {
		c.mustRefuse(ctx, "tools/list", `{"cursor":"servercheck no such cursor"}`, 0)
		res, err := c.client.CallTool(ctx, "servercheck_no_such_tool", nil)
		if err == nil && !res.IsError {
			c.errorf("tools/call", "a call of an unknown tool succeeds")
		}
		c.silence("tools/call of an unknown tool", err)
	}
}

// mustRefuse sends a request that must fail, with a code unless it is 0.
func (c *check) mustRefuse(ctx context.Context, method, params string, code int64) {
	_, err := c.client.Call(ctx, method, mcp.RawMessage(params))
	where := method + " with " + params
	var refused *jsonrpc.Error
	switch {
	case recording.IsMissing(err):
		c.errorf(where, "%v", err)
	case err == nil && code == 0:
		c.warnf(where, "succeeds, and should be an error")
	case err == nil:
		c.errorf(where, "succeeds, and must be the error %d", code)
	case errors.As(err, &refused) && code != 0 && refused.Code != code:
		c.errorf(where, "the error is %d, and must be %d", refused.Code, code)
	}
	c.silence(where, err)
}

func (c *check) silence(where string, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		c.errorf(where, "no response within %v", c.timeout)
	} else if errors.Is(err, jsonrpc.ErrClosed) {
		c.errorf(where, "ends the connection: %v", err)
	}
}

// noRoots lets servers read resources for which they need the client's roots.
var noRoots = mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{}, nil }}
