package host

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
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

// Word returns the state as one word: connected, failed, needs-auth, pending
// or disabled.
func (s *ServerStatus) Word() string {
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
	b := s.Name + "  " + s.Word()
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
	h.mu.Lock()
	var list []*ServerStatus
	for _, s := range h.servers {
		list = append(list, h.status(s))
	}
	h.mu.Unlock()
	return list
}

// ServerStatus returns the status of one server. The error is an *Error.
func (h *Host) ServerStatus(name string) (*ServerStatus, error) {
	h.mu.Lock()
	var status *ServerStatus
	s, err := h.find(name)
	if err == nil {
		status = h.status(s)
	}
	h.mu.Unlock()
	return status, err
}

func (h *Host) status(s *server) *ServerStatus {
	st := &ServerStatus{
		Name: s.name, State: s.state.State(), Enabled: s.enabled, Since: s.since, Attempts: s.state.attempts, Info: s.info,
		Scope: s.cfg.Scope, Source: s.cfg.Source, Config: s.cfg.Public(),
		Metrics: s.metrics.snapshot(), Stderr: s.stderr.String(),
	}
	if s.state.err != nil {
		st.Err = s.state.err
	}
	if s.params != nil {
		st.Transport = s.params.transport
	}
	if s.known != nil {
		st.Resources, st.Prompts = s.known.resources, s.known.prompts
	}
	st.ConnectTimeout, st.Timeout = h.opts.timeouts(s.cfg)
	if s.listedLocked() {
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

// Metrics describe the calls that were sent to a server: not those that were denied,
// that had invalid arguments, or whose server could not be connected.
type Metrics struct {
	Calls, Successes, Failures int64 // Failures include results with IsError

	// ResponseTime is an exponential moving average of CallReport.ResponseTime;
	// the latest call has a weight of one tenth.
	ResponseTime time.Duration

	LastError     string // up to 4 KiB, without secrets of the server's settings
	LastErrorTime time.Time

	Connects int64 // number of connections
	Crashes  int64 // number of connections that ended unexpectedly
}

type metrics struct {
	mu lock.Mutex
	m  Metrics

	measured bool // ResponseTime is set
}

// call records a call that was sent.
func (m *metrics) call(r *CallReport, failure string) {
	m.mu.Lock()
	if m.m.Calls++; m.measured {
		m.m.ResponseTime += (r.ResponseTime - m.m.ResponseTime) / 10
	} else {
		m.m.ResponseTime, m.measured = r.ResponseTime, true
	}
	if failure == "" {
		m.m.Successes++
	} else {
		m.m.Failures++
		m.m.LastError, m.m.LastErrorTime = diag.Cut(failure, maxTail), time.Now()
	}
	m.mu.Unlock()
}

// failed records an error that does not belong to a call.
func (m *metrics) failed(err *Error) {
	m.mu.Lock()
	m.m.LastError, m.m.LastErrorTime = diag.Cut(err.Error(), maxTail), err.Time
	m.mu.Unlock()
}

func (m *metrics) count(n *int64) {
	m.mu.Lock()
	*n++
	m.mu.Unlock()
}

func (m *metrics) snapshot() Metrics {
	m.mu.Lock()
	snapshot := m.m
	m.mu.Unlock()
	return snapshot
}

// A CallReport describes a tool call that has ended, for Options.Called. Unlike
// events, reports contain what servers and models wrote, secrets included.
type CallReport struct {
	ID     string // the same as Call.ID, for which Options.Approve was asked
	Server string // empty for a tool of the host or of the program itself
	Name   string // the tool's name for models
	Tool   string // the server's name for the tool

	Arguments mcp.RawMessage // with those that the settings fix; nil if there are none or they are invalid

	Time     time.Time     // when the call began
	Duration time.Duration // until it ended, with the time for approval and for connecting

	// ResponseTime is the time from the last request to its response. Requests is
	// the number of requests: none if the call was refused or the server could not
	// be connected, two if it was repeated.
	ResponseTime time.Duration
	Requests     int

	Result *mcp.CallToolResult // as limited by Options.Limits; nil if Err is set
	Err    error               // an *Error
}

// report returns the report of a new call of t.
func (h *Host) report(t *Tool) *CallReport {
	return &CallReport{
		ID:     strconv.FormatInt(h.calls.Add(1), 10),
		Server: t.Server(), Name: t.name, Tool: t.def.Name,
		Time: time.Now(),
	}
}

// maxTail is the number of bytes of standard error, and of an error, that a status contains.
const maxTail = 4 << 10

// A tail stores the end of a server's standard error.
type tail struct {
	mu   lock.Mutex
	text []byte
}

// A tailWriter receives the standard error of one process and splits it into
// lines.
type tailWriter struct {
	onLine func(line string)
	line   []byte // the current, unfinished line
}

// maxLine is the length in bytes from which a line is split at the next blank or quote,
// which is rarely inside of a secret, as masking would not find half of one. Without a
// blank or quote, the line is split at maxWord.
const maxLine, maxWord = 4 << 10, 64 << 10

func (w *tailWriter) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' {
			w.line = append(w.line, c)
		}
		if c == '\n' || len(w.line) >= maxLine && (strings.IndexByte(" \t\"'", c) >= 0 || len(w.line) == maxWord) {
			w.onLine(string(w.line))
			w.line = w.line[:0]
		}
	}
	return len(p), nil
}

func (t *tail) add(line string) {
	t.mu.Lock()
	t.text = append(append(t.text, line...), '\n')
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	t.mu.Unlock()
}

func (t *tail) String() string {
	t.mu.Lock()
	text := string(t.text)
	t.mu.Unlock()
	return text
}
