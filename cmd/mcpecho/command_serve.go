package main

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// runServe runs the echo server. Over standard input and output it ends when its
// input ends, as the specification requires, or when ctx is done.
func runServe(ctx context.Context, c *invocation) error {
	o := &testserver.Options{Skills: true}
	if c.flags.Protocol != "" {
		o.ProtocolVersions = []string{c.flags.Protocol}
	}
	if c.flags.RequireLogin && c.flags.Address == "" {
		return c.usage("--require-login needs --http")
	}
	if c.flags.Timed && c.flags.Replay == "" {
		return c.usage("--timed needs --replay")
	}
	if err := c.checkServeOutput(false); err != nil {
		return err
	}
	if c.flags.Replay != "" {
		return c.serveReplay(ctx)
	}
	if c.flags.Address != "" {
		web, err := serve.Start(c.flags.Address, o, c.flags.RequireLogin)
		return c.serveUntilDone(ctx, web, err)
	}
	if c.isTerminal(c.stdin) {
		_, _ = io.WriteString(c.stderr, "This is an MCP server. It reads a client's messages, one line of JSON each.\n"+
			"Press Ctrl-D to end it. To call it: "+c.name+" tools -- "+c.name+" serve\n")
	}
	done := make(chan error, 1)
	go func() { done <- testserver.NewCorrect(o).Serve(c.stdin, c.messagesOut()) }() // ends with the input, or the program
	select {
	case err := <-done:
		if err != nil {
			return failure.Local(&outputError{err})
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// checkServeOutput is refuseNull for a server whose clients need what it writes: its
// messages, or over HTTP a URL that has a secret or a free port.
func (c *invocation) checkServeOutput(secret bool) error {
	at := c.flags.Address
	switch {
	case at == "":
		return c.refuseNull("what the server sends")
	case secret || at == "0" || strings.HasSuffix(at, ":0"):
		return c.refuseNull("the URL")
	}
	return nil
}

// serveUntilDone prints the URLs of a server and waits until ctx is done.
func (c *invocation) serveUntilDone(ctx context.Context, web *serve.Web, err error) error {
	var malformed *net.AddrError
	switch {
	case errors.As(err, &malformed):
		return c.usage("--http: must be HOST:PORT, such as 127.0.0.1:3001, not " + wire.Quote(c.flags.Address))
	case err != nil:
		return c.usageHint("--http: "+err.Error(), "to use a free port: "+c.name+" serve --http 127.0.0.1:0")
	}
	defer web.Close()
	text := web.URL + "\n"
	if web.SSE != "" {
		text += web.SSE + "\n"
	}
	if err := c.write(text); err != nil {
		return err
	}
	first := "tools"
	if c.flags.RequireLogin {
		first = "login"
	}
	if c.isTerminal(c.stdout) {
		_, _ = io.WriteString(c.stderr, "Press Ctrl-C to end it. To call it: "+c.name+" "+first+" "+web.URL+"\n")
	}
	select {
	case err := <-web.Failed:
		return failure.Local(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// serveReplay is the server of a recording.
func (c *invocation) serveReplay(ctx context.Context) error {
	if c.flags.Protocol != "" {
		return c.usage("--protocol does not work with --replay, which uses the protocol version of the recording")
	}
	entries, err := c.readRecording(ctx, c.flags.Replay)
	if err != nil {
		return c.explainRecording(err, c.flags.Replay)
	}
	ended := make(chan string, 1)
	o := &recording.Options{Timed: c.flags.Timed, Report: c.warn, Differs: c.warn}
	if c.flags.Address == "" { // over HTTP, only the session ends
		o.Ended = func(how string) {
			select {
			case ended <- how:
			default:
			}
		}
	}
	r := recording.NewReplay(entries, o)
	if c.flags.Address != "" {
		h := serve.NewReplay(r)
		legacy := slices.ContainsFunc(entries, func(e recording.Entry) bool { return e.Sent && e.Message.Method == "initialize" })
		web, err := serve.StartHandler(c.flags.Address, h, h.Close, legacy, c.flags.RequireLogin)
		return c.serveUntilDone(ctx, web, err)
	}
	done := make(chan struct{})
	go func() { // ends with the input, or the program
		r.Serve(&serve.Lines{In: c.reader(), Out: c.messagesOut()})
		close(done)
	}()
	select {
	case <-done:
		return nil
	case how := <-ended:
		return &failure.Error{Status: failure.Unreachable, Kind: "crashed", Message: "the recorded server ended here: " + failure.Indent(how)}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
