package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
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
		raw, err := c.rawParams(ctx, method, c.args[1:])
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
func (c *invocation) rawParams(ctx context.Context, method string, words []string) (mcp.RawMessage, error) {
	text, from := []byte(words[0]), "parameters"
	if words[0] == "-" && len(words) == 1 {
		var err error
		if text, err = input.Await(ctx, func() ([]byte, error) { return input.Read(c.stdin, "standard input") }); err != nil {
			return nil, err
		}
		from = "standard input"
	}
	err := wire.Valid(text)
	if err == nil && toolargs.TypeOf(text) == "object" && len(words) == 1 {
		return text, nil
	}
	message := "the parameters must be one JSON object"
	if err != nil && strings.HasPrefix(string(text), "{") {
		message = "invalid " + from + ": " + err.Error()
	}
	if !strings.Contains(method, "/") && method != "ping" && method != "initialize" && methodOf(method) == "" { // a tool
		if strings.HasPrefix(words[0], "tools/") { // after POST, say
			return nil, c.suggest(wire.Quote(method)+" is not a method", c.retyped(method))
		}
		return nil, c.usageHint(wire.Quote(method)+" is not a method", "to call a tool, type: "+c.commandFor("call", c.args...))
	}
	return nil, c.usageHint(message, "type: "+c.commandFor("raw", cmp.Or(methodOf(method), method), rawObject(method, words)))
}

// methodOf returns the method of the command that a user types in place of one, or "".
func methodOf(word string) string {
	cmd := findCommand(word)
	if cmd == nil || strings.Contains(word, "/") {
		return ""
	}
	for _, alias := range cmd.aliases {
		if strings.Contains(alias, "/") {
			return alias
		}
	}
	return ""
}

// rawObject returns the parameters that the user probably meant by words: JSON that is not
// quite right, k=v, or the name of a tool with its arguments.
func rawObject(method string, words []string) string {
	method = cmp.Or(methodOf(method), method)
	if relaxed := toolargs.RelaxJSON(words[0]); relaxed != nil {
		return string(relaxed)
	}
	named := ""
	switch method {
	case "tools/call", "prompts/get":
		named = "name"
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		named = "uri"
	case "logging/setLevel":
		named = "level"
	case "notifications/cancelled":
		named = "requestId"
	}
	hasArguments := named == "name"
	b, arguments := []byte{'{'}, []byte{'{'}
	for i, word := range words {
		key, value, isPair := strings.Cut(word, "=")
		if !isPair && i == 0 && named != "" && !strings.ContainsAny(word, "[{\"") && word != "" && word != "null" {
			key, value, isPair = named, word, true
		}
		if !isPair {
			continue
		}
		a := &toolargs.Argument{Key: strings.TrimSuffix(key, ":"), Value: value}
		to := &b
		if hasArguments && a.Key != named && a.Key != "arguments" && a.Key != "task" {
			to = &arguments
		}
		*to = append(wire.AppendKey(*to, a.Key), a.Encode(new(toolargs.Schema))...)
	}
	if len(arguments) > 1 {
		b = append(append(wire.AppendKey(b, "arguments"), arguments...), '}')
	}
	return string(append(b, '}'))
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
	if answer.Code == jsonrpc.CodeInvalidParams && len(c.args) == 1 {
		if sample := rawObject(method, []string{"…"}); sample != "{}" {
			f.Hint = "type: " + c.commandFor("raw", method, sample)
		}
		return &f
	}
	if answer.Code != jsonrpc.CodeMethodNotFound {
		return err
	}
	if isLegacy := []string{"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel", "tasks/list", "tasks/result"}; s.Server().Modern() && hasWord(isLegacy, method) && c.shell == nil {
		line := append(c.without("protocol"), "--protocol", mcp.ProtocolVersion20251125)
		line = withServer(line, c.server)
		f.Hint = "type: " + c.paste(line)
		return &f
	}
	if better := methodOf(method); better != "" {
		f.Message += " (did you mean " + wire.Quote(better) + "?)"
		f.Hint = "type: " + c.commandFor("raw", append([]string{better}, c.args[1:]...)...)
		return &f
	}
	if near := slices.DeleteFunc(nearest.Names(method, knownMethods()), func(name string) bool { return name == method }); len(near) > 0 {
		f.Message += " (did you mean " + wire.Quote(near[0]) + "?)"
		f.Hint = "type: " + c.paste(c.retyped(method, near[0]))
		return &f
	}
	if tools, e := c.tools(ctx, s); e == nil && slices.ContainsFunc(tools, func(t *mcp.Tool) bool { return t.Name == method }) {
		f.Hint = "to call the tool, type: " + c.commandFor("call", c.args...)
	}
	return &f
}
