package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/webprogram"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A conversation is a connection to the target, with what its failures report.
type conversation struct {
	*mcp.Client
	console  *terminal.Console
	stderr   *terminal.Tail
	era      *state.Era
	excluded int            // number of tools in the last list that the configuration excludes
	tools    []*mcp.Tool    // tools of the last list; nil before the first
	listed   mcp.RawMessage // the last list as the server sent it

	program *webprogram.Program // of an entry with a command and a URL; may be nil

	mu      lock.Mutex
	nonJSON string // first output of the server during a command that was not a message; guarded by mu

	discarded string // of that what the client discarded first, with the reason, for people; guarded by mu

	refused error // an answer that did not fit the server's question; guarded by mu

	monitor     *servercheck.Monitor // examines the ids, and with -v all messages
	initialized mcp.RawMessage       // the result of initialize as the server sent it, for --json; guarded by mu
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
	c.warnDiscarded(s, err)
	return err
}

// open connects to the target. The caller must call end.
func (c *invocation) open(ctx context.Context) (s *conversation, end func() error, err error) {
	if err := c.expandEntry(ctx); err != nil {
		return nil, nil, err
	}
	s = &conversation{console: c.console(), stderr: c.newTail()}
	opts := c.options(s)
	if c.hold != nil {
		c.holdOptions(s, opts)
	}
	closeFile, err := c.startRecording(ctx)
	if err != nil {
		return nil, nil, err
	}
	if trace := opts.Trace.Message; c.onSent != nil {
		opts.Trace.Message = func(ctx context.Context, sent bool, data []byte) {
			if sent {
				c.onSent(data)
			}
			trace(ctx, sent, data)
		}
	}
	if s.Client, err = c.connect(ctx, s, opts); err != nil {
		s.endProgram()
		err = s.explain(err)
		_ = closeFile()
		return nil, nil, err
	}
	return s, func() error {
		s.Close()
		s.endProgram()
		s.era.Remember(s.CachedServer())
		s.stderr.End()
		return closeFile()
	}, nil
}

// startRecording opens the file of --record. The caller must call end. A shell, which may
// connect again, closes the file itself.
func (c *invocation) startRecording(ctx context.Context) (end func() error, err error) {
	if c.flags.Record == "" || c.recorder != nil {
		return func() error { return nil }, nil
	}
	if c.recorder, err = c.newRecorder(ctx); err != nil || c.shell != nil {
		return func() error { return nil }, err
	}
	return c.recorder.close, nil
}

// endProgram ends the program that was started for a server at a URL.
func (s *conversation) endProgram() {
	if s.program != nil {
		s.program.End()
	}
}

// options returns the client's options for the flags.
func (c *invocation) options(s *conversation) *mcp.Options {
	s.monitor = servercheck.NewMonitor(!c.flags.Verbose, func(f servercheck.Finding) { c.note(s, "mcpecho: "+terminal.EscapeLine(f.String())) })
	opts := &mcp.Options{
		Info:       mcp.Implementation{Name: "mcpecho", Version: mcp.Version},
		Timeout:    c.flags.Timeout,
		MaxTimeout: max(time.Hour, c.flags.Timeout),
		Trace: &mcp.Trace{
			Discarded: func(_ context.Context, a error, b []byte) { s.dropped(a, b) },
			Message: func(_ context.Context, sent bool, data []byte) {
				if s.monitor.Message(sent, data); sent {
					c.sent.Learn(data)
				}
			},
		},
		Handlers: append(c.answers(s), c.elicitation(s), mcp.Tasks{}),
	}
	if c.flags.Timeout < 0 {
		opts.MaxTimeout = -1
	}
	opts.Interceptors = []mcp.Interceptor{s.keepSent}
	if c.flags.Protocol != "" {
		opts.ProtocolVersions = []string{c.flags.Protocol}
	}
	if d := c.connectTimeout(); d > 0 && d < 9*time.Second {
		opts.ProbeTimeout = d / 3 // leaves time for initialize
	}
	if c.flags.Verbose {
		s.stderr.Print = s.console.Line
		opts.LogLevel = mcp.LevelDebug
	}
	if c.flags.Verbose || c.flags.LogLevel != "" {
		hide := c.secrets().Hider()
		opts.Log = func(_ context.Context, m *mcp.LogMessage) {
			s.console.Line(failure.Indent(hide(strings.TrimSpace(logLine(m)))))
		}
	}
	if c.flags.LogLevel != "" {
		opts.LogLevel = c.flags.LogLevel
	}
	if c.onLog != nil {
		opts.LogLevel, opts.Log = "", func(_ context.Context, m *mcp.LogMessage) { c.onLog(m) }
	}
	if log, level := opts.Log, c.flags.LogLevel; level != "" && log != nil { // another caller of a session, or the server, may want more
		opts.Log = func(ctx context.Context, m *mcp.LogMessage) {
			if i := slices.Index(flags.LogLevels, string(m.Level)); i < 0 || i >= slices.Index(flags.LogLevels, string(level)) {
				log(ctx, m)
			}
		}
	}
	return opts
}

// connectLonger is the hint for a server that does not respond when the client connects.
const connectLonger = "use --connect-timeout to wait longer"

// startTimeout is the default limit for connecting to a server that is started,
// because npx and the like may have to download it first.
const startTimeout = time.Minute

// connectTimeout returns the limit for connecting; negative means no limit.
func (c *invocation) connectTimeout() time.Duration {
	started := c.server != nil || c.session != "" || c.entry != nil && c.entry.Type == config.Stdio && c.entry.ConnectTimeout == 0
	if started && !c.flags.IsGiven("connect-timeout") {
		return startTimeout
	}
	return c.flags.ConnectTimeout
}

func (c *invocation) connect(ctx context.Context, s *conversation, opts *mcp.Options) (*mcp.Client, error) {
	if d := c.connectTimeout(); d > 0 {
		late := &failure.Error{Status: failure.Unreachable, Kind: "timeout",
			Message: "no response from " + wire.Quote(c.targetName()) + " within " + d.String(),
			Hint:    connectLonger, Err: context.DeadlineExceeded}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, late)
		defer cancel()
	}
	if c.session != "" {
		return c.connectSession(ctx, s, opts)
	}
	t, err := c.transport(s)
	if err != nil {
		return nil, err
	}
	defer c.showStart(s)()
	p := c.newProgress(s.console, "connecting to "+c.targetName())
	defer p.End()
	web := c.server == nil && (c.entry == nil || c.entry.Type != config.Stdio)
	s.era, opts.CachedServer = state.FindEra(c.eraKey(t), web)
	client, err := mcp.Connect(ctx, t, opts)
	if errors.Is(err, diag.ErrEndedByProbe) {
		s.era.Ended()
		return nil, c.explainConnect(ctx, err)
	}
	if err != nil {
		s.era.Remember(nil) // the server may have been replaced
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
	if c.flags.Verbose || c.flags.Quiet || !c.isTerminal(c.stderr) {
		return func() {}
	}
	st := c.styler(c.stderr)
	var mu lock.Mutex
	ended := false // guarded by mu
	late := time.AfterFunc(startDelay, func() {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			s.stderr.Follow(func(line string) { s.console.Styled(line, terminal.Dim, st) })
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if ended = true; !late.Stop() {
			s.stderr.Follow(nil)
		}
	}
}

// dropped records the server's output that is not a valid message.
func (s *conversation) dropped(reason error, data []byte) {
	text := s.stderr.Hide(reason.Error()) + ": " + terminal.EscapeName(terminal.Cut(s.stderr.Hide(string(data)), 200))
	if s.stderr.Print != nil {
		s.console.Line("discarded: " + text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.discarded == "" {
		s.discarded = text
	}
	if s.nonJSON == "" && errors.Is(reason, stdio.ErrNotJSON) {
		s.nonJSON = terminal.Cut(s.stderr.Hide(string(data)), 100)
	}
}

// warnDiscarded prints the first message that the client has discarded during a command,
// which -v has shown already, unless that is why the command failed.
func (c *invocation) warnDiscarded(s *conversation, failed error) {
	s.mu.Lock()
	text := s.discarded
	s.discarded = ""
	s.mu.Unlock()
	isRefused := failed != nil && failure.Classify(failed).Status == failure.Refused && !c.flags.JSON
	if text != "" && s.stderr.Print == nil && (failed == nil || isRefused) {
		c.note(s, "mcpecho: discarded what the server sent: "+text)
	}
}

// explain adds the server's output to its failure.
func (s *conversation) explain(err error) error {
	if refused := s.takeRefused(); refused != nil {
		return refused // err is a consequence
	}
	s.mu.Lock()
	nonJSON := s.nonJSON
	s.nonJSON = "" // the output does not belong to the next command of a shell
	s.mu.Unlock()
	if err == nil {
		return nil
	}
	f := *failure.Classify(err)
	if f.Status == failure.Interrupted && s.Client == nil {
		f.Message += s.lastLines()
		return &f
	}
	if f.Status != failure.Unreachable {
		return err
	}
	var seen *diag.SeenError
	switch isSeen := errors.As(err, &seen); {
	case isSeen && !strings.Contains(f.Message, seen.Seen):
		f.Message += "\n" + terminal.EscapeLine(seen.Seen)
	case nonJSON != "" && !isSeen:
		f.Message += "\nIts output is not an MCP message: " + terminal.EscapeLine(nonJSON)
	}
	var exit *stdio.ExitError // quotes standard error already
	const quoted = 5          // lines, in the text of an ExitError
	if errors.As(err, &exit) && f.Hint == "" && s.stderr.Print == nil && strings.Count(exit.Stderr, "\n") > quoted {
		f.Hint = "-v prints everything that the server writes to standard error"
	}
	if !errors.As(err, &exit) {
		f.Message += s.lastLines()
	}
	return &f
}

// lastLines returns the last lines of the server's standard error, after a title.
func (s *conversation) lastLines() string {
	words := s.stderr.String()
	if words == "" || s.stderr.Shown {
		return ""
	}
	return "\nLast lines of its standard error:" + words
}

func logLine(m *mcp.LogMessage) string {
	line := string(m.Level)
	if m.Logger != "" {
		line += " " + terminal.EscapeName(m.Logger)
	}
	return line + ": " + terminal.PlainJSON(m.Data)
}
