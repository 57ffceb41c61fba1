package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

var (
	// pingEvery is how often hold pings an idle server, and how long the server may take.
	pingEvery = 30 * time.Second

	// holdFlags are flags that belong to hold: they decide what its client is to the server.
	holdFlags = []string{"header", "transport", "env", "inherit-env", "cwd", "protocol", "root", "sampling", "insecure", "answer"}

	// unheld are the commands that need a server of their own.
	unheld = []string{"check", "proxy", "diff", "login", "logout", "ui", "hold"}
)

// findSession checks a target @NAME, and reports whether the target is one. @scope/package
// and @scope/tool are not.
func (c *invocation) findSession() (is bool, err error) {
	name, ok := strings.CutPrefix(c.target, "@")
	if session, tool, isTool := strings.Cut(name, "/"); isTool && c.command.tool && hasWord(hold.Names(), session) {
		name, c.target, c.args = session, "@"+session, append([]string{tool}, c.args...)
	}
	switch {
	case !ok || strings.Contains(name, "/"):
		return false, nil
	case !hold.IsName(name):
		return true, c.usageHint("the name of a session has 1 to 32 of the characters a-z, 0-9 and -, not "+wire.Quote(name), "correct the name after @")
	case hasWord(unheld, c.command.name):
		return true, c.usageHint(c.command.name+" needs a server of its own, not a session", "name the server")
	}
	for _, f := range c.flags.Given {
		if hasWord(holdFlags, f.Name) {
			return true, c.usageHint(f.Words[0]+" belongs to the command that holds the session", "begin the session again with it: "+c.name+" hold "+name+" "+f.Words[0]+" …")
		}
	}
	c.session = name
	return true, nil
}

// connectSession connects to the holder of the session.
func (c *invocation) connectSession(ctx context.Context, s *conversation, opts *mcp.Options) (*mcp.Client, error) {
	t := &hold.Transport{Name: hold.Name{Text: c.session, Program: c.name}, Records: c.recorder != nil, Watches: c.command.name == "watch", Note: func(note string) { c.note(s, note) }}
	opts.Handlers, opts.ProbeTimeout = append(t.Handlers(), mcp.Tasks{}), -1 // the holder refuses the wrong one, however busy it is
	p := c.newProgress(s.console, "connecting to "+c.targetName())
	defer p.End()
	s.era, _ = state.FindEra("", false) // hold remembers it
	client, err := mcp.Connect(ctx, c.wrap(t), opts)
	if err != nil {
		return nil, err
	}
	if c.held = t.Entry; c.held != nil && c.held.Timeout != 0 && !c.flags.IsGiven("timeout") {
		client = client.With(mcp.CallOptions{Timeout: c.held.Timeout})
	}
	return client, nil
}

// runHold keeps a connection for the commands of others until it is interrupted, a caller
// releases it, or the server ends.
func runHold(ctx context.Context, c *invocation) error {
	name := c.target
	if len(c.args) > 0 {
		name = c.args[0]
	}
	if name == "" {
		return c.usage("hold needs a name for the session")
	}
	if !hold.IsName(name) {
		return c.usage("hold needs a name of 1 to 32 of the characters a-z, 0-9 and - for the session, not " + wire.Quote(name))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h, err := hold.Name{Text: name, Program: c.name}.Hold(ctx, c.targetName(), c.hide, func() { cancel(errReleased) })
	if err != nil {
		return err
	}
	c.hold = h
	defer h.Close()
	err = c.withServer(ctx, func(s *conversation) error {
		if err := c.beginSession(ctx, s); err != nil {
			return err
		}
		if err := c.write("@" + name + "\n"); err != nil {
			return err
		}
		c.note(s, "Holding "+c.targetName()+" as @"+name+`. Ctrl-C or "`+c.name+" release "+name+`" ends it.`)
		c.keepAlive(ctx, s)
		if ctx.Err() != nil {
			h.End("")
			return ctx.Err()
		}
		f := *failure.Classify(s.explain(s.Err()))
		h.End(f.Message)
		f.Message = "the server of @" + name + " has ended: " + f.Message
		return &f
	})
	if err != nil && ctx.Err() == nil { // maybe before there was a session
		h.End(failure.Classify(err).Message)
	}
	h.End("")
	if context.Cause(ctx) == errReleased {
		return nil
	}
	return err
}

var errReleased = errors.New("the session was released")

// beginSession lets callers use the server.
func (c *invocation) beginSession(ctx context.Context, s *conversation) error {
	session := &hold.Session{
		Client: s.Client, Handlers: append(c.answers(s), c.elicitation(s)), Entry: c.entry, Sent: sentTo,
		Explain: func(err error) *failure.Error {
			f := *failure.Classify(s.explain(err))
			if f.Status == failure.Forbidden && f.Hint == "" {
				f.Hint = c.loginHint()
			}
			f.Message, f.Hint, f.Data = c.hide(f.Message), c.hide(f.Hint), secrets.HideJSON(f.Data, c.hide)
			return &f
		},
	}
	if session.Level = c.flags.LogLevel; c.flags.Verbose && session.Level == "" {
		session.Level = mcp.LevelDebug
	}
	if s.Server().Modern() {
		raw, err := s.Call(ctx, "server/discover", nil)
		if err != nil {
			return err
		}
		session.Greeting = raw
	} else {
		s.mu.Lock()
		session.Greeting = s.initialized
		s.mu.Unlock()
	}
	if !c.flags.Quiet {
		s.stderr.Follow(s.console.Line)
	}
	return c.hold.Serve(session)
}

// holdOptions makes a client that serves callers: each has its own timeouts, and the server
// writes to the terminal of hold.
func (c *invocation) holdOptions(s *conversation, o *mcp.Options) {
	say := func(text string, err error) { c.note(s, text+failure.Text(err)) }
	o.Timeout, o.MaxTimeout = -1, -1
	o.Trace.Reconnect = func(_ context.Context, err error, _ time.Duration) {
		say("A stream of the server has ended and is opened again: ", err)
	}
	o.Trace.SessionLost = func(_ context.Context, err error) {
		line := "The server has forgotten the session, and what it kept for it: " + failure.Text(err)
		c.note(s, line)
		c.hold.Tell(c.hide(line))
	}
	o.Trace.StreamLost = func(_ context.Context, err error) { say("The server reports no more changes: ", err) }
}

// keepAlive pings the server while no call waits for it, and says when it does not respond,
// and when it does again. It returns when the server has ended, or with ctx.
func (c *invocation) keepAlive(ctx context.Context, s *conversation) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for silent := false; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-s.Done():
			return
		}
		if !c.hold.Idle() {
			continue // many servers respond to nothing else then
		}
		ping, cancel := context.WithTimeoutCause(ctx, pingEvery, errors.New("no response within "+pingEvery.String()))
		err := s.Ping(ping)
		cancel()
		switch {
		case err != nil && !silent && ctx.Err() == nil && !isDone(s):
			silent = true
			c.note(s, "The server does not respond to pings: "+failure.Text(err))
		case err == nil && silent:
			silent = false
			c.note(s, "The server responds again.")
		}
	}
}

// runRelease ends sessions.
func runRelease(ctx context.Context, c *invocation) (err error) {
	for _, arg := range c.args {
		name := strings.TrimPrefix(arg, "@")
		if !hold.IsName(name) {
			return c.usage("release needs the name of a session, not " + wire.Quote(name))
		}
		late := &failure.Error{Status: failure.Unreachable, Kind: "timeout", Message: "the holder of @" + name + " has not ended within " + releaseTime.String(), Hint: "end its process"}
		limited, cancel := context.WithTimeoutCause(ctx, releaseTime, late)
		failed := hold.Name{Text: name, Program: c.name}.Release(limited)
		if cancel(); failed == nil {
			failed = c.write("Released @" + name + ".\n")
		} else if err != nil {
			c.report(ctx, err)
		}
		err = cmp.Or(failed, err)
	}
	return err
}

// releaseTime is how long a session may take to end.
const releaseTime = 30 * time.Second
