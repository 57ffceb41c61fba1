package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func runCall(ctx context.Context, c *invocation) error {
	tool := c.args[0]
	if err := c.checkAllowed(tool); err != nil {
		return err
	}
	given, err := c.readArguments(ctx, c.args[1:])
	if err == nil && strings.HasSuffix(tool, ")") {
		err = c.usage("the arguments of a call must be key=value")
	}
	if f := (*failure)(nil); errors.As(err, &f) && f.kind == "usage" {
		return c.explainArguments(ctx, tool, c.args[1:], err)
	}
	if err != nil {
		return err
	}
	return c.withServer(ctx, func(s *conversation) error {
		args, err := c.encodeArguments(ctx, s, tool, given)
		if err != nil {
			return err
		}
		res, err := c.callTool(ctx, s, tool, args)
		if err != nil {
			return c.explainUnknown(ctx, s, "tool", tool, lists()["tools"], err)
		}
		if err := c.printCall(s, res); err != nil {
			return err
		}
		if res.IsError {
			f := &failure{status: statusRefused, kind: "tool", message: "the tool " + strconv.Quote(tool) + " failed"}
			for i := range res.Content {
				f.hint = cmp.Or(f.hint, c.missingIn(res.Content[i].Text))
			}
			return f
		}
		return nil
	})
}

// callTool calls a tool and shows its progress.
func (c *invocation) callTool(ctx context.Context, s *conversation, tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
	p := c.newProgress(s.console, tool)
	defer p.end()
	call := &mcp.ToolCall{Name: tool, Arguments: args, Progress: p.update, Task: p.task}
	if c.shell != nil {
		call.Timeout = c.flags.timeout // of this command
	}
	return s.Do(ctx, call)
}

// encodeArguments returns the arguments object. It needs the tool's schema unless
// the user gave the whole object.
func (c *invocation) encodeArguments(ctx context.Context, s *conversation, tool string, given *arguments) (json.RawMessage, error) {
	if given.whole != nil {
		return given.whole, nil
	}
	began := time.Now()
	tools, err := c.tools(ctx, s)
	var answer *jsonrpc.Error
	if errors.As(err, &answer) {
		return given.object(c, tool, &schema{open: true}) // the server does not list its tools
	}
	if err != nil {
		return nil, err
	}
	t, err := c.findTool(tools, tool)
	if err == nil {
		input := parseSchema(t.InputSchema)
		canceled, failed := c.askMissing(ctx, s, t, input, given)
		if failed != nil {
			return nil, failed
		}
		var args json.RawMessage
		if args, err = given.object(c, tool, input); err == nil || canceled {
			return args, err
		}
	}
	if c.shell != nil && c.shell.forget(began) { // the tool may have changed
		return c.encodeArguments(ctx, s, tool, given)
	}
	return nil, err
}

// findTool is like the function, with a hint.
func (c *invocation) findTool(tools []*mcp.Tool, name string) (*mcp.Tool, error) {
	t, err := findTool(tools, name)
	if err == nil {
		return t, nil
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	f := *classify(err)
	f.hint = c.didMean(name, names, "for a list, type: "+c.commandFor("tools"))
	return nil, &f
}

func (c *invocation) tools(ctx context.Context, s *conversation) ([]*mcp.Tool, error) {
	var raw json.RawMessage
	var err error
	if c.shell != nil {
		raw, err = c.shell.list(ctx, "tools")
	} else {
		raw, err = c.fetch(ctx, s, lists()["tools"])
	}
	if err != nil {
		return nil, err
	}
	var res mcp.ListToolsResult
	if err := res.UnmarshalJSON(raw); err != nil {
		return nil, malformed("tools/list", err)
	}
	return res.Tools, nil
}

// findTool returns the tool with this name, or a failure that suggests others.
func findTool(tools []*mcp.Tool, name string) (*mcp.Tool, error) {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return nil, notFound("the server has no tool "+strconv.Quote(name)+didYouMean(name, names), nil)
}

// explainUnknown returns err, unless name is not in the server's list. Then it
// returns a failure that says so and suggests similar names.
func (c *invocation) explainUnknown(ctx context.Context, s *conversation, what, name string, l *list, err error) error {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		return err
	}
	raw, e := c.fetch(ctx, s, l)
	if e != nil {
		return err
	}
	rows, e := l.rows(raw)
	if e != nil {
		return err
	}
	var names []string
	for _, r := range rows {
		if r.name == name {
			return err
		}
		names = append(names, r.name)
	}
	near := didYouMean(name, names)
	if near == "" && answer.Code != mcp.CodeResourceNotFound && answer.Code != jsonrpc.CodeInvalidParams {
		return err
	}
	f := classify(notFound("the server has no "+what+" "+strconv.Quote(name)+near+" ("+textOf(answer)+")", err))
	f.hint = c.didMean(name, names, "for a list, type: "+c.commandFor(l.name))
	return f
}

// printCall prints the result of a call: the JSON object, or its content, or its
// structured content if it has no text.
func (c *invocation) printCall(s *conversation, res *mcp.CallToolResult) error {
	if c.flags.json {
		return c.printResult(res)
	}
	parts := make([]part, len(res.Content))
	hasText := false
	for i := range res.Content {
		parts[i] = contentPart(&res.Content[i])
		hasText = hasText || !parts[i].binary && strings.TrimSpace(parts[i].text) != ""
	}
	if !hasText && res.StructuredContent != nil {
		parts = append(parts, part{text: indent(res.StructuredContent)})
	}
	return c.printParts(s, parts, false)
}
