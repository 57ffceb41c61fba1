package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A conversation is a connection to the target, with what is noted beside it.
type conversation struct {
	*mcp.Client
	console  *console
	stderr   *stderrTail
	excluded int // how many tools of the last list the configuration leaves out

	mu      sync.Mutex
	nonJSON string // the first text from the server that was no message; guarded by mu
}

// withServer connects to the target, runs f and disconnects.
func (c *invocation) withServer(ctx context.Context, f func(*conversation) error) (err error) {
	if err := c.expandEntry(ctx); err != nil {
		return err
	}
	s := &conversation{console: &console{w: c.stderr}, stderr: &stderrTail{}}
	opts := c.options(s)
	if c.flags.trace != "" {
		t, e := newTracer(c.flags.trace, c.traced, c.secrets())
		if e != nil {
			return localFailure(e)
		}
		defer func() {
			if e := t.close(); err == nil && e != nil {
				err = localFailure(e)
			}
		}()
		opts.Trace.Message, c.traced = t.message, true
	}
	if s.Client, err = c.connect(ctx, s, opts); err != nil {
		return s.explain(err)
	}
	defer s.stderr.end()
	defer s.Close()
	return s.explain(f(s))
}

// options are those of the flags.
func (c *invocation) options(s *conversation) *mcp.Options {
	opts := &mcp.Options{
		Info:       mcp.Implementation{Name: "mcpecho", Version: mcp.Version},
		Timeout:    c.flags.timeout,
		MaxTimeout: max(time.Hour, c.flags.timeout),
		Trace:      &mcp.Trace{Discarded: s.dropped},
		Handlers:   []mcp.Handler{c.elicitation(s), mcp.Tasks{}},
	}
	if c.flags.timeout < 0 {
		opts.MaxTimeout = -1
	}
	if c.flags.protocol != "" {
		opts.ProtocolVersions = []string{c.flags.protocol}
	}
	if d := c.connectTimeout(); d > 0 && d < 9*time.Second {
		opts.ProbeTimeout = d / 3 // leaves time to initialize
	}
	if c.flags.verbose {
		s.stderr.print = s.console.line
		opts.LogLevel = mcp.LevelDebug
		opts.Log = func(_ context.Context, m *mcp.LogMessage) {
			// Further lines can't be taken for ours.
			s.console.line(strings.ReplaceAll(strings.TrimSpace(logLine(m)), "\n", "\n\t"))
		}
	}
	if c.onLog != nil {
		opts.LogLevel, opts.Log = "", func(_ context.Context, m *mcp.LogMessage) { c.onLog(m) }
	}
	return opts
}

// startTime is how long a program may take to become a server: npx and the like
// may have to download it first.
const startTimeout = time.Minute

// connectTime returns how long connecting may take; no limit when negative.
func (c *invocation) connectTimeout() time.Duration {
	started := c.server != nil || c.entry != nil && c.entry.Type == config.Stdio && c.entry.ConnectTimeout == 0
	if started && !slices.Contains(c.flags.given, "connect-timeout") {
		return startTimeout
	}
	return c.flags.connectTimeout
}

func (c *invocation) connect(ctx context.Context, s *conversation, opts *mcp.Options) (*mcp.Client, error) {
	if d := c.connectTimeout(); d > 0 {
		late := &failure{status: statusUnreachable, kind: "timeout",
			message: "no answer from " + strconv.Quote(c.targetName()) + " within " + d.String(),
			hint:    "--connect-timeout gives it more time"}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, late)
		defer cancel()
	}
	t, err := c.transport(s)
	if err != nil {
		return nil, err
	}
	p := c.newProgress(s.console, "connecting to "+c.targetName())
	defer p.end()
	client, err := mcp.Connect(ctx, t, opts)
	if err != nil {
		return nil, c.explainConnect(err)
	}
	return client, nil
}

// dropped notes what the server sent that could not be used.
func (s *conversation) dropped(reason error, data []byte) {
	if s.stderr.print != nil {
		s.console.line("dropped: " + reason.Error() + ": " + cut(string(data), 200))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nonJSON == "" && errors.Is(reason, stdio.ErrNotJSON) {
		s.nonJSON = cut(string(data), 100)
	}
}

// explain adds to the failure of a server what it wrote, unless that is known.
func (s *conversation) explain(err error) error {
	if err == nil {
		return nil
	}
	f := *classify(err)
	if f.status != statusUnreachable {
		return err
	}
	s.mu.Lock()
	nonJSON := s.nonJSON
	s.mu.Unlock()
	if nonJSON != "" {
		f.message += "\nIt wrote text that is no message of MCP: " + escapeLine(nonJSON)
	}
	var exit *stdio.ExitError // which quotes them
	if words := s.stderr.String(); words != "" && !errors.As(err, &exit) {
		f.message += "\nThe last lines of its standard error:" + words
	}
	return &f
}

// logLine returns a log message as people read it.
func logLine(m *mcp.LogMessage) string {
	line := string(m.Level)
	if m.Logger != "" {
		line += " " + escapeLine(m.Logger)
	}
	return line + ": " + plainJSON(m.Data)
}

// plainJSON returns the text of a JSON string, and other JSON as it is.
func plainJSON(raw []byte) string {
	r := wire.NewReader(raw)
	if r.Kind() == wire.String {
		return r.String()
	}
	return string(raw)
}
