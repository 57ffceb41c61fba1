package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// runRaw sends a request with the parameters that the user gives, and prints the
// result as the server sent it. A notification has no result.
func runRaw(ctx context.Context, c *invocation) error {
	method, tool := c.args[0], ""
	var params any // without them, the request has none of its own
	if len(c.args) > 1 {
		raw, err := c.rawParams(ctx, c.args[1:])
		if err != nil {
			return err
		}
		params = raw
		if name := toolargs.Member(raw, "name"); method == "tools/call" && name != nil {
			tool = terminal.PlainJSON(name)
			if err := c.checkAllowed(tool); err != nil {
				return err
			}
		}
	}
	return c.withServer(ctx, func(s *conversation) error {
		if err := c.checkAllowed(tool); err != nil { // by the entry of a session, too
			return err
		}
		if strings.HasPrefix(method, notification) {
			if err := s.Notify(ctx, method, params); err != nil {
				return err
			}
			c.noteSent(s, method)
			return nil
		}
		raw, err := s.Call(ctx, method, params)
		if err != nil {
			return c.explainMethod(ctx, s, method, err)
		}
		if err := c.printJSON(mcp.RawMessage(raw)); err != nil {
			return err
		}
		var res mcp.CallToolResult
		if tool == "" || toolargs.Member(raw, "content") == nil || res.UnmarshalJSON(raw) != nil {
			return nil // a task, say
		}
		return c.checkOutput(ctx, s, tool, &res)
	})
}

// notification begins the methods of notifications.
const notification = "notifications/"

// knownNotifications are those of the protocol that a client sends.
var knownNotifications = []string{"notifications/cancelled", "notifications/initialized", "notifications/progress", "notifications/roots/list_changed"}

// noteSent says that a notification was sent, whose method may be misspelled: a server
// ignores those that it does not know.
func (c *invocation) noteSent(s *conversation, method string) {
	line := "Sent. A notification has no response."
	if near := nearest.Names(method, knownNotifications); len(near) > 0 && near[0] != method {
		line = "Sent, but the protocol has no notification " + wire.Quote(method) + " (did you mean " + wire.Quote(near[0]) + "?)."
	}
	c.note(s, line)
}

// rawParams reads the parameters of a request: a JSON object, or - for standard input.
func (c *invocation) rawParams(ctx context.Context, words []string) (mcp.RawMessage, error) {
	text, from, err := toolargs.ReadJSON(ctx, words[0], "parameters", c.stdin)
	if wrong := toolargs.UsageError(""); errors.As(err, &wrong) {
		return nil, c.usage(wrong.Error())
	} else if err != nil {
		return nil, err
	}
	err = wire.Valid(text)
	if err == nil && toolargs.TypeOf(text) == "object" && len(words) == 1 {
		return text, nil
	}
	message := "the parameters must be one JSON object"
	if err != nil && strings.HasPrefix(string(text), "{") {
		message = "invalid " + from + ": " + err.Error()
	}
	if err == nil && len(words) == 1 && wire.Valid(text) == nil && toolargs.TypeOf(text) != "object" {
		message += ", not " + toolargs.TypeOf(text)
	}
	return nil, c.usage(message)
}

// knownMethods returns the requests of the protocol that a client sends after
// connecting.
func knownMethods() []string {
	methods := []string{"resources/subscribe", "resources/unsubscribe", "logging/setLevel", "tasks/get", "tasks/cancel", "tasks/result", "ping"}
	methods = append(methods, knownNotifications...)
	for _, cmd := range commands() {
		for _, alias := range cmd.aliases {
			if strings.Contains(alias, "/") {
				methods = append(methods, alias)
			}
		}
	}
	return methods
}

// explainMethod adds the nearest method to the failure of one that the server does not
// have, and the parameters to that of one without them.
func (c *invocation) explainMethod(ctx context.Context, s *conversation, method string, err error) error {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		return err
	}
	f := *failure.Classify(err)
	if answer.Code != jsonrpc.CodeMethodNotFound {
		return err
	}
	if isLegacy := []string{"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel", "tasks/list", "tasks/result"}; s.Server().Modern() && hasWord(isLegacy, method) && c.shell == nil {
		f.Hint = c.toType("", withServer(append(c.without("protocol"), cmdline.Own("--protocol", mcp.ProtocolVersion20251125)...), c.server))
		return &f
	}
	if near := nearest.Typo(method, knownMethods()); near != "" {
		f.Message += " (did you mean " + wire.Quote(near) + "?)"
		f.Hint = c.toType("", c.renamed(method, near))
		return &f
	}
	if tools, e := c.tools(ctx, s); e == nil && slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return t.Name == method }) {
		f.Hint = "it is a tool, not a method"
	}
	return &f
}
