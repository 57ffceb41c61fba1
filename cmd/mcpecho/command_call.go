package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func runCall(ctx context.Context, c *invocation) error {
	tool := c.args[0]
	if err := c.checkAllowed(tool); err != nil {
		return err
	}
	given, err := c.readArguments(ctx, c.args[1:])
	if err != nil {
		return err
	}
	return c.withServer(ctx, func(s *conversation) error {
		if err := c.checkAllowed(tool); err != nil { // by the entry of a session, too
			return err
		}
		args, err := c.encodeArguments(ctx, s, tool, given)
		if err != nil {
			return err
		}
		sending, kept := sentTo(ctx)
		res, err := c.callTool(sending, s, tool, args)
		checking, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		problem := servercheck.CallResult(checking, *kept)
		if errors.Is(err, mcp.ErrMalformed) && problem != "" {
			f := *failure.Classify(err)
			f.Message += "; in the result, " + problem
			return &f
		}
		if err != nil {
			return c.explainUnknown(ctx, s, "tool", tool, lists()["tools"], err)
		}
		if c.flags.JSON {
			err = c.printSent(s, *kept, res)
		} else {
			if problem != "" {
				c.warn("the result is malformed: " + problem)
			}
			err = c.printCall(s, res)
		}
		if err != nil {
			return err
		}
		if res.IsError {
			f := &failure.Error{Status: failure.Refused, Kind: "tool", Message: "the tool " + wire.Quote(tool) + " failed"}
			for i := range res.Content {
				f.Hint = cmp.Or(f.Hint, c.missingIn(res.Content[i].Text))
			}
			return f
		}
		return c.checkOutput(ctx, s, tool, res)
	})
}

// callTool calls a tool and shows its progress.
func (c *invocation) callTool(ctx context.Context, s *conversation, tool string, args mcp.RawMessage) (*mcp.CallToolResult, error) {
	p := c.newProgress(s.console, tool)
	defer p.End()
	hide := c.secrets().Hider()
	call := &mcp.ToolCall{Name: tool, Arguments: args, Task: p.Task, Progress: func(r mcp.Progress) {
		r.Message = hide(r.Message)
		p.Update(r)
	}}
	if c.shell != nil {
		call.Timeout = c.flags.Timeout // of this command
	}
	return s.Do(ctx, call)
}

// encodeArguments returns the arguments object. It needs the tool's schema unless
// the user gave the whole object.
func (c *invocation) encodeArguments(ctx context.Context, s *conversation, tool string, given *toolargs.Given) (mcp.RawMessage, error) {
	if given.Whole != nil {
		return given.Whole, nil
	}
	began := time.Now()
	tools, err := c.tools(ctx, s)
	var answer *jsonrpc.Error
	if errors.As(err, &answer) && len(c.flagged) > 0 {
		return nil, c.flagged[0].err
	} else if errors.As(err, &answer) {
		return c.object(given, tool, &toolargs.Schema{Open: true}) // the server does not list its tools
	}
	if err != nil {
		return nil, err
	}
	t, err := c.findTool(tools, tool)
	if f := (*failure.Error)(nil); errors.As(err, &f) && strings.HasPrefix(f.Hint, "some servers") {
		f.Hint = cmp.Or(c.elsewhere(ctx, s, tool), f.Hint)
	}
	if err == nil {
		schema := toolargs.ParseSchema(t.InputSchema)
		if err := c.checkFlagged(given, tool, schema); err != nil {
			return nil, err
		}
		if len(given.Each) == 0 && len(schema.Required) > 0 {
			if piped, err := c.pipedArguments(ctx); piped != nil || err != nil {
				return piped, err
			}
		}
		canceled, failed := c.askMissing(ctx, s, t, schema, given)
		if failed != nil {
			return nil, failed
		}
		var args mcp.RawMessage
		if args, err = c.object(given, tool, schema); err == nil || canceled {
			return args, err
		}
	}
	if c.shell != nil && c.shell.forget(began) { // the tool may have changed
		return c.encodeArguments(ctx, s, tool, given)
	}
	return nil, err
}

// pipeWait is how long a call without its required arguments waits for them on a pipe.
const pipeWait = time.Second

// pipedArguments returns the arguments that another program or a file has on standard
// input, or nil. The user may have left out the - that stands for it.
func (c *invocation) pipedArguments(ctx context.Context) (mcp.RawMessage, error) {
	if c.shell != nil || c.isTerminal(c.stdin) {
		return nil, nil
	}
	if f, ok := c.stdin.(*os.File); ok {
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0 {
			return nil, nil
		}
	}
	waiting, cancel := context.WithTimeout(ctx, pipeWait)
	defer cancel()
	in := c.reader()
	first, err := input.Await(waiting, func() (byte, error) {
		for {
			if b, err := in.ReadByte(); err != nil || !strings.ContainsRune(" \t\r\n", rune(b)) {
				return b, err
			}
		}
	})
	if err != nil || first != '{' || in.UnreadByte() != nil {
		return nil, ctx.Err()
	}
	given, err := toolargs.Read(ctx, []string{"-"}, in)
	if err != nil {
		return nil, c.usage(err.Error())
	}
	return given.Whole, nil
}

func (c *invocation) readArguments(ctx context.Context, args []string) (*toolargs.Given, error) {
	given, err := toolargs.Read(ctx, args, c.stdin)
	if err == nil && len(c.flagged) > 0 {
		if given.Whole != nil {
			return nil, c.flagged[0].err
		}
		given.Each = cloneArguments(given.Each, c.flagged)
	}
	var wrong toolargs.UsageError
	if errors.As(err, &wrong) {
		return nil, c.usage(wrong.Error())
	}
	return given, err
}

// cloneArguments returns the arguments with those that are written as flags.
func cloneArguments(each []toolargs.Argument, further []flagged) []toolargs.Argument {
	each = slices.Clone(each)
	for _, f := range further {
		each = append(each, f.Argument)
	}
	return each
}

// checkFlagged gives the arguments that are written as flags the names that the schema has
// for them, as include-image for includeImage. It returns the failure for one that it lacks.
func (c *invocation) checkFlagged(given *toolargs.Given, tool string, s *toolargs.Schema) error {
	for i, f := range c.flagged {
		at := len(given.Each) - len(c.flagged) + i
		if p := s.Property(f.Key); p != nil && f.Json && !p.Allows("boolean") {
			return c.usage("--" + f.Key + " needs a value")
		}
		if at < 0 || s.Property(given.Each[at].Key) != nil {
			continue
		}
		same := slices.DeleteFunc(s.Names(), func(name string) bool { return diag.Letters(name) != diag.Letters(f.Key) })
		if len(same) == 1 {
			given.Each[at].Key = same[0]
			continue
		}
		if near := nearest.Typo(f.Key, s.Names()); near != "" {
			return c.suggest("the tool "+wire.Quote(tool)+" has no argument "+wire.Quote(f.Key)+" (did you mean "+wire.Quote(near)+"?)",
				c.retyped("--"+f.Key, cmdline.Word{Text: "--" + near, Own: cmdline.IsPlain(near)}))
		}
		failed := *failure.Classify(f.err)
		if failed.Line == nil { // of no flag of call
			failed.Message = "call has no flag " + wire.Quote("--"+f.Key) + ", and the tool " + wire.Quote(tool) + " no such argument" + s.Described()
			failed.Hint = ""
		}
		return &failed
	}
	return nil
}

// argumentHint returns the hint for an argument whose name is misspelled, or "".
func (c *invocation) argumentHint(given *toolargs.Given, s *toolargs.Schema) string {
	key := given.Unknown(s)
	near := nearest.Typo(key, given.Absent(s.Names()))
	if key == "" || near == "" {
		return ""
	}
	for _, word := range c.typed {
		if rest, ok := strings.CutPrefix(word, key); ok && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":=")) {
			return c.toType("", c.retyped(word, cmdline.Argument(near, rest)))
		}
	}
	return ""
}

// object encodes the arguments of a tool. The failure of a misspelled one has the hint.
func (c *invocation) object(given *toolargs.Given, tool string, s *toolargs.Schema) (mcp.RawMessage, error) {
	object, err := given.Object(tool, s)
	if err != nil {
		f := *failure.Classify(err)
		f.Hint = c.argumentHint(given, s)
		return nil, &f
	}
	return object, nil
}

// findTool returns the tool with this name, or a failure that suggests others.
func (c *invocation) findTool(tools []*mcp.Tool, name string) (*mcp.Tool, error) {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	f := failure.Classify(failure.NotFound("the server has no tool "+wire.Quote(name)+failure.DidYouMean(name, names), nil))
	otherwise := c.toType("for a list, ", c.commandFor("tools"))
	if c.flags.Sampling == "" && c.flags.Roots == nil && c.session == "" {
		otherwise = strings.TrimSuffix("some servers offer tools only with --sampling or --root; "+otherwise, "; ")
	}
	f.Hint = c.didMean(name, names, otherwise)
	return nil, f
}

// elsewhere returns the hint for a name that the server does not have among what a command
// is for, but as something else, or "".
func (c *invocation) elsewhere(ctx context.Context, s *conversation, name string) string {
	for _, kind := range [][2]string{{"tools", "call"}, {"prompts", "prompt"}, {"resources", "read"}} {
		if kind[1] == c.command.name {
			continue // the replay has the tool, but refuses this call
		}
		l := lists()[kind[0]]
		raw, offered, err := c.fetchOffered(ctx, s, l)
		if err != nil || !offered {
			continue
		}
		rows, err := l.rows(raw)
		if err == nil && slices.ContainsFunc(rows, func(r terminal.Row) bool { return r.Name == name }) {
			return "it has it among its " + kind[0]
		}
	}
	return ""
}

// tools returns the tools of the server. A command asks for them once, and a shell again
// when they may have changed.
func (c *invocation) tools(ctx context.Context, s *conversation) ([]*mcp.Tool, error) {
	var raw mcp.RawMessage
	var err error
	switch {
	case c.shell != nil:
		raw, err = c.shell.list(ctx, "tools")
	case s.tools != nil:
		return s.tools, nil
	default:
		raw, err = c.fetch(ctx, s, lists()["tools"])
	}
	if err != nil {
		return nil, err
	}
	var res mcp.ListToolsResult
	if err := res.UnmarshalJSON(raw); err != nil {
		return nil, malformed("tools/list", err)
	}
	s.tools, s.listed = res.Tools, raw
	return res.Tools, nil
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
		if r.Name == name {
			return err
		}
		names = append(names, r.Name)
	}
	near := failure.DidYouMean(name, names)
	if near == "" && answer.Code != mcp.CodeResourceNotFound && answer.Code != jsonrpc.CodeInvalidParams {
		return err
	}
	f := failure.Classify(failure.NotFound("the server has no "+what+" "+wire.Quote(name)+near+" ("+failure.Text(answer)+")", err))
	f.Hint = c.didMean(name, names, c.toType("for a list, ", c.commandFor(l.name)))
	if near == "" {
		f.Hint = cmp.Or(c.elsewhere(ctx, s, name), f.Hint)
	}
	return f
}

// printCall prints the content of a result, or its structured content if it has no text, and
// that is not another copy of a picture.
func (c *invocation) printCall(s *conversation, res *mcp.CallToolResult) error {
	parts := make([]part, len(res.Content))
	hasText := false
	for i := range res.Content {
		parts[i] = contentPart(&res.Content[i])
		c.warnContent("content["+strconv.Itoa(i)+"]", &res.Content[i], parts[i])
		data := res.Content[i].Data
		isCopied := parts[i].binary && data != "" && bytes.Contains(res.StructuredContent, []byte(data))
		hasText = hasText || isCopied || !parts[i].binary && strings.TrimSpace(parts[i].text) != ""
	}
	if !hasText && res.StructuredContent != nil {
		parts = append(parts, part{text: terminal.Indent(res.StructuredContent)})
	}
	return c.printParts(s, parts, false)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
