package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/ticket"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/ui"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/watchfiles"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/webserver"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// runUI serves the page until it is interrupted, or a minute after the page was closed.
func runUI(ctx context.Context, c *invocation) error {
	if err := c.expandEntry(ctx); err != nil {
		return err
	}
	files, err := c.watcher()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	config := ui.Config{
		Target:      c.targetName(),
		Version:     c.flags.Protocol,
		Connect:     c.connectUI,
		Explain:     c.explainUI,
		CommandLine: func(command string, args ...cmdline.Word) string { return c.accepted(c.commandFor(command, args...)) },
		Hide:        c.secrets().Hider(),
	}
	if n, more := files.Files(); n > 0 {
		config.Watched = terminal.Count(n, "file")
		if more {
			config.Watched += " of more"
		}
		config.Watch = func(ctx context.Context, changed func(string)) { watchUI(ctx, files, changed) }
	}
	if at := c.flags.Address; at != "" && !webserver.IsLoopback(at) {
		return c.usage("--http: only this machine may reach the page, which can start programs: name a port, not " + wire.Quote(at))
	}
	bench := ui.New(config)
	server, err := ui.Listen(bench, c.flags.Address)
	if err != nil && c.flags.Address != "" {
		return c.usageHint("--http: "+err.Error(), "use another port; 0 is a free one")
	} else if err != nil {
		return failure.Local(err)
	}
	defer server.Close()
	if err := c.write(server.URL + "\n"); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { // ends with ctx
		defer close(done)
		bench.Run(ctx)
	}()
	defer func() {
		end(nil)
		<-done
	}()
	if c.isTerminal(c.stderr) && !c.flags.Quiet {
		_, _ = io.WriteString(c.stderr, "Press Ctrl-C to end it. It also ends a minute after the page was closed.\n")
	}
	if c.isTerminal(c.stdout) {
		go func() { // ends within seconds
			if _, err := c.browseOnce(ctx, server.URL, end); err != nil && ctx.Err() == nil {
				_, _ = io.WriteString(c.stderr, "Cannot start a browser ("+terminal.EscapeLine(err.Error())+"); please open the page yourself.\n")
			}
		}()
	}
	err = server.Wait(ctx)
	if err == ticket.ErrTwice {
		return failure.Local(errors.New(err.Error() + "; ui has ended: start it again"))
	}
	return err
}

// watchUI reports changes of the server's files until ctx ends.
func watchUI(ctx context.Context, files *watchfiles.Watcher, changed func(string)) {
	ticker := time.NewTicker(watchfiles.Interval)
	defer ticker.Stop()
	for {
		paths, err := files.Wait(ctx, ticker.C)
		if err != nil {
			return
		}
		changed(changedFiles(paths))
	}
}

// connectUI connects as the page wants it.
func (c *invocation) connectUI(ctx context.Context, s *ui.Setup) (*mcp.Client, func(), error) {
	one := *c // a connection has its own version and observers
	one.flags.Protocol, one.flags.Verbose, one.flags.Quiet = s.Version, false, true
	one.recorder = &recorder{observe: s.Wrap}
	one.onHTTP = func(h *recording.HTTP, took time.Duration) { s.HTTP(c.hide(httpLine(h, took)), h.Status >= 400) }
	conversation := &conversation{console: &terminal.Console{Out: io.Discard}, stderr: c.newTail()}
	conversation.stderr.Follow(func(line string) { s.Stderr(strings.TrimPrefix(line, "server: ")) })
	opts := one.options(conversation)
	roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return c.flags.Roots, nil }} // none without --root
	opts.Handlers, opts.Trace = append(s.Handlers, roots), s.Trace
	opts.LogLevel, opts.Log = mcp.LevelDebug, func(context.Context, *mcp.LogMessage) {} // the traffic shows it
	client, err := one.connect(ctx, conversation, opts)
	conversation.Client = client
	end := func() {
		if client != nil {
			client.Close()
			conversation.era.Remember(client.CachedServer())
		}
		conversation.endProgram()
		conversation.stderr.End()
	}
	if err != nil {
		err = conversation.explain(err)
		end()
		return nil, nil, err
	}
	return client, end, nil
}

// explainUI returns the message of an error, with what to do about it.
func (c *invocation) explainUI(err error) string {
	f := failure.Classify(err)
	text := f.Message
	if errors.Is(err, context.DeadlineExceeded) && f.Kind == "timeout" && f.Hint != connectLonger {
		text += "\n--timeout TIME waits longer; this call waited " + time.Duration(c.flags.Timeout).String() + " without a sign of progress"
	} else if f.Hint != "" {
		text += "\n" + f.Hint
	} else if f.Status == failure.Forbidden {
		text += "\n" + c.loginHint()
	}
	return c.hide(text)
}
