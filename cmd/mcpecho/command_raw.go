package main

import (
	"context"
	"encoding/json"
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
// result as the server sent it.
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
		raw, err := s.Call(ctx, method, params)
		if err != nil {
			return c.explainMethod(s, method, err)
		}
		if err := c.printJSON(json.RawMessage(raw)); err != nil {
			return err
		}
		var res mcp.CallToolResult
		if tool == "" || toolargs.Member(raw, "content") == nil || res.UnmarshalJSON(raw) != nil {
			return nil // a task, say
		}
		return c.checkOutput(ctx, s, tool, &res)
	})
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
	message := "the parameters must be a JSON object"
	if err != nil {
		message = "invalid " + from + ": " + err.Error()
	}
	better := toolargs.RelaxJSON(words[0])
	if better == nil && strings.Contains(words[0], "=") {
		b := []byte{'{'}
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			a := &toolargs.Argument{Key: strings.TrimSuffix(key, ":"), Value: value}
			b = append(wire.AppendKey(b, a.Key), a.Encode(new(toolargs.Schema))...)
		}
		message, better = "the parameters must be one JSON object", append(b, '}')
	}
	if better == nil {
		better = []byte("{}")
	}
	return nil, c.usageHint(message, "type: "+c.commandFor("raw", method, string(better)))
}

// knownMethods returns the requests of the protocol that a client sends after
// connecting.
func knownMethods() []string {
	methods := []string{"resources/subscribe", "resources/unsubscribe", "logging/setLevel", "tasks/get", "tasks/cancel", "tasks/result", "ping"}
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
// have.
func (c *invocation) explainMethod(s *conversation, method string, err error) error {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code != jsonrpc.CodeMethodNotFound {
		return err
	}
	f := *failure.Classify(err)
	if isLegacy := []string{"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel", "tasks/list", "tasks/result"}; s.Server().Modern() && slices.Contains(isLegacy, method) && c.shell == nil {
		line := append(c.without("protocol"), "--protocol", mcp.ProtocolVersion20251125)
		if c.server != nil {
			line = append(append(line, "--"), c.server...)
		}
		f.Hint = "type: " + c.paste(line)
		return &f
	}
	if near := slices.DeleteFunc(nearest.Names(method, knownMethods()), func(name string) bool { return name == method }); len(near) > 0 {
		f.Message += " (did you mean " + wire.Quote(near[0]) + "?)"
		f.Hint = "type: " + c.retyped(method, near[0])
	}
	return &f
}
