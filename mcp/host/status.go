package host

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A ServerStatus describes a server at one point in time. It contains no
// secrets of the settings; Info and Tools are as the server sent them.
type ServerStatus struct {
	Name          string
	State         State
	Enabled       bool
	Since         time.Time       // when State was entered
	Err           error           // an *Error: the reason for State, or a failure to list the tools
	Attempts      int             // failed attempts since the connection ended
	Info          *mcp.ServerInfo // from the last connection
	Scope, Source string
	Config        *Server         // without secrets
	Transport     string          // the type that the last connection used, such as config.HTTP or config.SSE for a URL without a type
	Tools         []*mcp.Tool     // the tools that models see; must not be modified
	Resources     []*mcp.Resource // as of the last connection; only with Options.Catalog
	Prompts       []*mcp.Prompt   // as of the last connection; only with Options.Catalog
	Metrics       Metrics
	Stderr        string // the end of standard error, up to 4 KiB

	Timeout, ConnectTimeout time.Duration // in effect
}

// Status returns the state as one word: connected, failed, needs-auth, pending
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

// String returns the status as one line.
func (s *ServerStatus) String() string {
	b := s.Name + "  " + s.Status()
	if s.Enabled && s.State != Connected && s.State != Failed && s.State != NeedsAuth {
		b += " (" + s.State.String() + ")"
	}
	if s.State == Connected || len(s.Tools) > 0 { // a catalog lists tools before
		b += "  " + strconv.Itoa(len(s.Tools)) + " tools"
		if s.Info != nil && s.Info.Name != "" {
			b += "  " + wire.Trim(s.Info.Name+" "+s.Info.Version)
		}
	}
	if s.Err != nil {
		b += "  " + strings.Join(strings.Split(s.Err.Error(), "\n"), " ")
	}
	return b
}

// Status returns the status of all servers, ordered by name.
func (h *Host) Status() []*ServerStatus {
	h.lock()
	var list []*ServerStatus
	for _, s := range h.servers {
		list = append(list, h.status(s))
	}
	h.unlock()
	return list
}

// ServerStatus returns the status of one server. The error is an *Error.
func (h *Host) ServerStatus(name string) (*ServerStatus, error) {
	h.lock()
	var status *ServerStatus
	s, err := h.find(name)
	if err == nil {
		status = h.status(s)
	}
	h.unlock()
	return status, err
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
	if s.params != nil {
		st.Transport = s.params.transport
	}
	if known, ok := s.known.(*listing); ok {
		st.Resources, st.Prompts = known.resources, known.prompts
	}
	st.ConnectTimeout, st.Timeout = h.opts.timeouts(s.cfg)
	if s.listed() {
		for _, t := range s.tools {
			if !t.app {
				st.Tools = append(st.Tools, t.def)
			}
		}
	}
	return st
}

// Overview returns the status of all servers, one per line.
func (h *Host) Overview() string {
	b := ""
	for _, s := range h.Status() {
		b += s.String() + "\n"
	}
	return cmp.Or(b, "no MCP servers\n")
}
