package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/webprogram"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A conversation is a connection to the target, with what its failures report.
type conversation struct {
	*mcp.Client
	console  *console
	stderr   *stderrTail
	era      *eras
	excluded int // number of tools of the last list that the configuration excludes

	program *webprogram.Program // of an entry with a command and a URL; may be nil

	mu      sync.Mutex
	nonJSON string // first output of the server that was not a message; guarded by mu
}

// withServer connects to the target, runs f and disconnects. In a shell it runs f
// with the connection of the shell.
func (c *invocation) withServer(ctx context.Context, f func(*conversation) error) error {
	if c.shell != nil {
		return c.shell.with(ctx, f)
	}
	s, end, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = s.explain(f(s))
	if e := end(); err == nil {
		err = e
	}
	return err
}

// open connects to the target. The caller must call end.
func (c *invocation) open(ctx context.Context) (s *conversation, end func() error, err error) {
	if err := c.expandEntry(ctx); err != nil {
		return nil, nil, err
	}
	s = &conversation{console: &console{w: c.stderr}, stderr: &stderrTail{}}
	if c.shell != nil {
		s.console = c.shell.console
	}
	opts := c.options(s)
	closeTrace := func() error { return nil }
	if c.flags.trace != "" {
		t, e := newTracer(c.flags.trace, c.traced, c.secrets(), c.stderr)
		if e != nil {
			return nil, nil, localFailure(e)
		}
		closeTrace = func() error {
			if e := t.close(); e != nil {
				return localFailure(e)
			}
			return nil
		}
		opts.Trace.Message, c.traced = t.message, true
	}
	if c.flags.record != "" && c.recorder == nil {
		if c.recorder, err = c.newRecorder(); err != nil {
			_ = closeTrace()
			return nil, nil, err
		}
	}
	if s.Client, err = c.connect(ctx, s, opts); err != nil {
		s.endProgram()
		err = s.explain(err)
		_ = closeTrace()
		if c.shell == nil {
			_ = c.recorder.close()
		}
		return nil, nil, err
	}
	return s, func() error {
		s.Close()
		s.endProgram()
		s.era.remember(s.CachedServer())
		s.stderr.end()
		err := closeTrace()
		if c.shell == nil { // which may connect again
			err = cmpError(err, c.recorder.close())
		}
		return err
	}, nil
}

// endProgram ends the program that was started for a server at a URL.
func (s *conversation) endProgram() {
	if s.program != nil {
		s.program.End()
	}
}

// options returns the client's options for the flags.
func (c *invocation) options(s *conversation) *mcp.Options {
	opts := &mcp.Options{
		Info:       mcp.Implementation{Name: "mcpecho", Version: mcp.Version},
		Timeout:    c.flags.timeout,
		MaxTimeout: max(time.Hour, c.flags.timeout),
		Trace:      &mcp.Trace{Discarded: s.dropped},
		Handlers:   append(c.answers(s), c.elicitation(s), mcp.Tasks{}),
	}
	if c.flags.timeout < 0 {
		opts.MaxTimeout = -1
	}
	if c.flags.protocol != "" {
		opts.ProtocolVersions = []string{c.flags.protocol}
	}
	if d := c.connectTimeout(); d > 0 && d < 9*time.Second {
		opts.ProbeTimeout = d / 3 // leaves time for initialize
	}
	if c.flags.verbose {
		s.stderr.print = s.console.line
		opts.LogLevel = mcp.LevelDebug
		opts.Log = func(_ context.Context, m *mcp.LogMessage) {
			// Indented further lines cannot pass for lines of mcpecho.
			s.console.line(strings.ReplaceAll(strings.TrimSpace(logLine(m)), "\n", "\n\t"))
		}
	}
	if c.onLog != nil {
		opts.LogLevel, opts.Log = "", func(_ context.Context, m *mcp.LogMessage) { c.onLog(m) }
	}
	return opts
}

// startTimeout is the default limit for connecting to a server that is started,
// because npx and the like may have to download it first.
const startTimeout = time.Minute

// connectTimeout returns the limit for connecting; negative means no limit.
func (c *invocation) connectTimeout() time.Duration {
	started := c.server != nil || c.entry != nil && c.entry.Type == config.Stdio && c.entry.ConnectTimeout == 0
	if started && !c.flags.isGiven("connect-timeout") {
		return startTimeout
	}
	return c.flags.connectTimeout
}

func (c *invocation) connect(ctx context.Context, s *conversation, opts *mcp.Options) (*mcp.Client, error) {
	if d := c.connectTimeout(); d > 0 {
		late := &failure{status: statusUnreachable, kind: "timeout",
			message: "no response from " + strconv.Quote(c.targetName()) + " within " + d.String(),
			hint:    "use --connect-timeout to wait longer"}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, late)
		defer cancel()
	}
	t, err := c.transport(s)
	if err != nil {
		return nil, err
	}
	defer c.showStart(s)()
	p := c.newProgress(s.console, "connecting to "+c.targetName())
	defer p.end()
	s.era = c.findEra(t, opts)
	client, err := mcp.Connect(ctx, c.recorder.wrap(t), opts)
	if err != nil {
		s.era.remember(nil) // the server may have been replaced
		return nil, c.explainConnect(ctx, err)
	}
	return client, nil
}

// startDelay is how long a server may be silent about its start: what it writes to
// standard error shows only if connecting takes longer.
const startDelay = time.Second

// showStart shows on a terminal what the server writes to standard error until end
// is called, such as the progress of a download.
func (c *invocation) showStart(s *conversation) (end func()) {
	if c.flags.verbose || c.flags.quiet || !c.isTerminal(c.stderr) {
		return func() {}
	}
	st := c.styler(c.stderr)
	var mu sync.Mutex
	ended := false // guarded by mu
	late := time.AfterFunc(startDelay, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			s.stderr.follow(func(line string) { s.console.styled(line, dim, st) })
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if ended = true; !late.Stop() {
			s.stderr.follow(nil)
		}
	}
}

// dropped records the server's output that is not a valid message.
func (s *conversation) dropped(reason error, data []byte) {
	if s.stderr.print != nil {
		s.console.line("discarded: " + reason.Error() + ": " + cut(string(data), 200))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nonJSON == "" && errors.Is(reason, stdio.ErrNotJSON) {
		s.nonJSON = cut(string(data), 100)
	}
}

// explain adds the server's output to its failure.
func (s *conversation) explain(err error) error {
	if err == nil {
		return nil
	}
	f := *classify(err)
	if f.status == statusInterrupted && s.Client == nil {
		f.message += s.lastLines()
		return &f
	}
	if f.status != statusUnreachable {
		return err
	}
	s.mu.Lock()
	nonJSON := s.nonJSON
	s.mu.Unlock()
	if nonJSON != "" {
		f.message += "\nIts output is not an MCP message: " + escapeLine(nonJSON)
	}
	var exit *stdio.ExitError // quotes standard error already
	const quoted = 5          // lines, in the text of an ExitError
	if errors.As(err, &exit) && f.hint == "" && s.stderr.print == nil && strings.Count(exit.Stderr, "\n") > quoted {
		f.hint = "-v prints everything that the server writes to standard error"
	}
	if !errors.As(err, &exit) {
		f.message += s.lastLines()
	}
	return &f
}

// lastLines returns the last lines of the server's standard error, after a title.
func (s *conversation) lastLines() string {
	words := s.stderr.String()
	if words == "" || s.stderr.shown {
		return ""
	}
	return "\nLast lines of its standard error:" + words
}

// logLine formats a log message.
func logLine(m *mcp.LogMessage) string {
	line := string(m.Level)
	if m.Logger != "" {
		line += " " + escapeName(m.Logger)
	}
	return line + ": " + plainJSON(m.Data)
}

// plainJSON returns the text of a JSON string, and other JSON unchanged.
func plainJSON(raw []byte) string {
	r := wire.NewReader(raw)
	if r.Kind() == wire.String {
		return r.String()
	}
	return string(raw)
}
