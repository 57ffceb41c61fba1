package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A watcher prints a server's notifications, one per line.
type watcher struct {
	c    *invocation
	stop context.CancelCauseFunc // called when printing fails

	mu      lock.Mutex // held while a line is printed
	printed atomic.Bool
}

// runWatch prints changes and logs until it is interrupted, or for the time of --timeout.
func runWatch(ctx context.Context, c *invocation) error {
	if c.shell != nil {
		return c.shell.watch(ctx, c)
	}
	watching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &watcher{c: c, stop: stop}
	c.onLog = w.log
	return c.withServer(ctx, func(s *conversation) error {
		logs := c.enableLogs(ctx, s)
		sub, err := c.subscribe(ctx, s)
		if errors.Is(err, mcp.ErrNoChanges) {
			c.note(s, "There is nothing to watch: the server does not report changes.")
			return nil
		}
		if err != nil {
			return err
		}
		defer sub.Close()
		c.printWatched(s, sub, logs)
		if c.session != "" {
			if _, err := s.Call(ctx, hold.Kept, nil); err != nil {
				return err
			}
		}
		late := &failure.Error{Status: failure.Unreachable, Kind: "timeout", Message: "no notification within " + c.flags.Timeout.String()}
		if c.flags.IsGiven("timeout") && c.flags.Timeout > 0 {
			defer time.AfterFunc(c.flags.Timeout, func() { stop(late) }).Stop()
		}
		for {
			change, err := sub.Next(watching)
			switch {
			case errors.Is(err, late) && w.printed.Load():
				return nil
			case err == io.EOF:
				return &failure.Error{Status: failure.Unreachable, Kind: "ended", Message: "the server ended the subscription"}
			case errors.Is(err, mcp.ErrClosed) && s.Err() != nil:
				return s.Err() // which says why
			case err != nil:
				return err
			}
			w.change(change)
		}
	})
}

// enableLogs reports whether the server will send logs.
func (c *invocation) enableLogs(ctx context.Context, s *conversation) bool {
	if s.Server().Capabilities.Logging == nil {
		return false
	}
	level := mcp.LoggingLevel(mcp.LevelDebug)
	if c.flags.LogLevel != "" {
		level = c.flags.LogLevel
	}
	err := s.SetLogLevel(ctx, level)
	if err != nil {
		c.note(s, "Cannot enable logs: "+err.Error())
	}
	return err == nil
}

func (c *invocation) subscribe(ctx context.Context, s *conversation) (*mcp.Subscription, error) {
	if len(c.args) > 0 {
		if err := checkSubscribable(s); err != nil {
			return nil, err
		}
	}
	return s.Subscribe(ctx, &mcp.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: c.args,
	})
}

// checkSubscribable returns an error if the server does not report changes of
// resources.
func checkSubscribable(s *conversation) error {
	caps := s.Server().Capabilities.Resources
	if caps == nil || caps.Subscribe == nil || !*caps.Subscribe {
		return &failure.Error{Status: failure.Refused, Kind: "not_found", Message: "the server does not support subscriptions to resources"}
	}
	return nil
}

// printWatched prints what the server agreed to report, which may be less than
// was requested.
func (c *invocation) printWatched(s *conversation, sub *mcp.Subscription, logs bool) {
	watched := watchedLists(s, sub)
	if logs {
		watched = append(watched, "logs")
	}
	agreed := sub.Honored().ResourceSubscriptions
	for _, uri := range c.args {
		if !s.Server().Modern() || hasWord(agreed, uri) {
			watched = append(watched, uri)
		} else {
			c.note(s, "The server will not report changes of "+uri+".")
		}
	}
	if len(watched) == 0 {
		watched = []string{"nothing, because the server does not report changes"}
	}
	c.note(s, "Watching "+c.targetName()+": "+strings.Join(watched, ", ")+". Press Ctrl-C to end.")
}

// watchedLists returns the lists whose changes the server reports.
func watchedLists(s *conversation, sub *mcp.Subscription) (names []string) {
	agreed := sub.Honored()
	if !s.Server().Modern() {
		caps := s.Server().Capabilities
		set := func(b *bool) bool { return b != nil && *b }
		agreed.ToolsListChanged = caps.Tools != nil && set(caps.Tools.ListChanged)
		agreed.PromptsListChanged = caps.Prompts != nil && set(caps.Prompts.ListChanged)
		agreed.ResourcesListChanged = caps.Resources != nil && set(caps.Resources.ListChanged)
	}
	for _, list := range []struct {
		name  string
		there bool
	}{{"tools", agreed.ToolsListChanged}, {"prompts", agreed.PromptsListChanged}, {"resources", agreed.ResourcesListChanged}} {
		if list.there {
			names = append(names, list.name)
		}
	}
	return names
}

func (w *watcher) change(change mcp.Change) {
	if !w.c.flags.JSON {
		w.line(changeLine(change))
		return
	}
	w.print(w.c.shown(changeJSON(change)) + "\n")
}

func (w *watcher) log(m *mcp.LogMessage) {
	if !w.c.flags.JSON {
		w.line("log " + logLine(m))
		return
	}
	w.print(w.c.shown(logJSON(m)) + "\n")
}

// changeJSON returns the notification of a change on one line.
func changeJSON(change mcp.Change) string {
	b := wire.AppendString([]byte(`{"method":`), string(change.Kind))
	if change.Kind == mcp.ResourceUpdated {
		b = append(wire.AppendString(append(b, `,"params":{"uri":`...), change.URI), '}')
	}
	return string(append(b, '}'))
}

// logJSON returns the notification of a log message on one line.
func logJSON(m *mcp.LogMessage) string {
	params, err := m.MarshalJSON()
	if err != nil {
		params = []byte("null") // it came as JSON
	}
	return string(append(wire.AppendLine([]byte(`{"method":"notifications/message","params":`), params), '}'))
}

// line prints a line, with the time if it is on a terminal.
func (w *watcher) line(text string) {
	text = terminal.EscapeLine(text) + "\n"
	if w.c.toTerminal() {
		text = w.c.styler(w.c.stdout)(terminal.Dim, time.Now().Format(time.TimeOnly)) + " " + text
	}
	w.print(text)
}

func (w *watcher) print(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.printed.Store(true)
	if err := w.c.write(text); err != nil {
		w.stop(err)
	}
}
