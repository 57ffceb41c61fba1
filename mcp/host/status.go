package host

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// A ServerStatus is how a server is doing. It has no secrets of the settings in
// it, except what the server itself may have told.
type ServerStatus struct {
	Name          string
	State         State
	Enabled       bool
	Since         time.Time       // when it came into its state
	Err           error           // an *Error: why it is in its state, or why its tools could not be listed
	Attempts      int             // to connect again, since the connection ended
	Info          *mcp.ServerInfo // what it said of itself when it was last connected
	Scope, Source string
	Config        *Server     // without secrets
	Tools         []*mcp.Tool // those that models see; must not be changed
	Metrics       Metrics
	Stderr        string // the last lines of it

	Timeout, ConnectTimeout time.Duration // those in effect
}

// Status returns one word for the state: connected, failed, needs-auth, pending
// or disabled.
func (s *ServerStatus) Status() string {
	switch {
	case !s.Enabled:
		return "disabled"
	case s.State == Connected:
		return "connected"
	case s.State == Failed:
		return "failed"
	case s.State == NeedsAuth:
		return "needs-auth"
	}
	return "pending"
}

// String returns one line for people.
func (s *ServerStatus) String() string {
	b := s.Name + "  " + s.Status()
	if s.Enabled && s.State != Connected && s.State != Failed && s.State != NeedsAuth {
		b += " (" + s.State.String() + ")"
	}
	if s.State == Connected {
		b += "  " + strconv.Itoa(len(s.Tools)) + " tools"
		if s.Info != nil && s.Info.Name != "" {
			b += "  " + strings.TrimSpace(s.Info.Name+" "+s.Info.Version)
		}
	}
	if s.Err != nil {
		b += "  " + strings.Join(strings.Split(s.Err.Error(), "\n"), " ")
	}
	return b
}

// Status returns how all servers are doing, in the order of their names.
func (h *Host) Status() []*ServerStatus {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*ServerStatus
	for _, s := range h.sorted() {
		list = append(list, h.status(s))
	}
	return list
}

// ServerStatus returns how a server is doing.
func (h *Host) ServerStatus(name string) (*ServerStatus, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.find(name)
	if err != nil {
		return nil, err
	}
	return h.status(s), nil
}

func (h *Host) status(s *server) *ServerStatus {
	st := &ServerStatus{
		Name: s.name, State: s.state, Enabled: s.enabled, Since: s.since, Attempts: s.attempts, Info: s.info,
		Scope: s.cfg.Scope, Source: s.cfg.Source, Config: s.cfg.Public(),
		Metrics: s.metrics.snapshot(), Stderr: s.stderr.String(),
	}
	if s.err != nil {
		st.Err = s.err
	}
	st.ConnectTimeout, st.Timeout = h.opts.timeouts(s.cfg)
	if s.enabled {
		for _, t := range s.tools {
			st.Tools = append(st.Tools, t.def)
		}
	}
	return st
}

// Overview returns a line for each server, for people.
func (h *Host) Overview() string {
	var b strings.Builder
	list := h.Status()
	for _, s := range list {
		b.WriteString(s.String() + "\n")
	}
	if len(list) == 0 {
		b.WriteString("no MCP servers\n")
	}
	return b.String()
}

// CallTool calls a tool by the names that the settings and the server have for
// it. The server need not be connected yet; the tool's definition is then
// asked for first.
func (h *Host) CallTool(ctx context.Context, server, tool string, args any) (*mcp.CallToolResult, error) {
	t, err := h.tool(ctx, server, tool)
	if err != nil {
		return nil, err
	}
	return t.Call(ctx, args)
}

// tool returns a tool by the names that the settings and the server have.
func (h *Host) tool(ctx context.Context, server, tool string) (*Tool, error) {
	s, err := h.get(server)
	if err != nil {
		return nil, err
	}
	if _, _, err := h.client(ctx, s); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range s.tools {
		if t.def.Name == tool {
			return t, nil
		}
	}
	e := newError(ToolCategory, "UNKNOWN_TOOL", "tool "+strconv.Quote(tool)+" was not called", server, ErrUnknownTool)
	e.Tool = tool
	return nil, e
}

// ListResources returns the resources of a server, connecting to it if need be.
func (h *Host) ListResources(ctx context.Context, server string) ([]*mcp.Resource, error) {
	client, err := h.Client(ctx, server)
	if err != nil {
		return nil, err
	}
	list, err := client.ListResources(ctx)
	return list, h.resourceError(server, err)
}

// ReadResource reads a resource of a server, connecting to it if need be.
func (h *Host) ReadResource(ctx context.Context, server, uri string) (*mcp.ReadResourceResult, error) {
	client, err := h.Client(ctx, server)
	if err != nil {
		return nil, err
	}
	res, err := client.ReadResource(ctx, uri)
	return res, h.resourceError(server, err)
}

// resourceError returns the *Error for what went wrong with a resource, or nil.
func (h *Host) resourceError(server string, err error) error {
	if err == nil {
		return nil
	}
	category, code, _ := callCategory(err)
	e := newError(category, code, "resource", server, err)
	if s, missing := h.get(server); missing == nil {
		h.mu.Lock()
		e.text = s.hide(e.text)
		h.mu.Unlock()
	}
	return e
}
