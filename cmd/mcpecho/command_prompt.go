package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func runPrompt(ctx context.Context, c *invocation) error {
	name := c.args[0]
	args, err := c.readTexts(ctx, c.args[1:])
	if err != nil {
		return err
	}
	return c.withServer(ctx, func(s *conversation) error {
		if len(args) > 0 && s.Server().Capabilities.Prompts != nil { // a server may ignore an argument that it does not know
			if err := c.wrongPrompt(name, args, c.findPrompt(ctx, s, name), nil); err != nil {
				return err
			}
		}
		sending, kept := sentTo(ctx)
		res, err := s.GetPrompt(sending, name, args)
		if err != nil {
			return c.explainPrompt(ctx, s, name, args, c.explainUnknown(ctx, s, "prompt", name, lists()["prompts"], err))
		}
		if c.flags.JSON {
			return c.printSent(s, *kept, res)
		}
		return c.printParts(s, c.promptParts(res.Messages), false)
	})
}

// readTexts reads the arguments of a prompt, which are strings.
func (c *invocation) readTexts(ctx context.Context, args []string) (map[string]string, error) {
	given, err := c.readArguments(ctx, args)
	if err != nil {
		return nil, err
	}
	if given.Whole != nil {
		return nil, c.usage("the arguments of a prompt must be k=v, not a JSON object")
	}
	texts := make(map[string]string)
	for _, a := range given.Each {
		if a.Json {
			return nil, c.usage("the arguments of a prompt are strings: use " + a.Key + "=…")
		}
		texts[a.Key] = a.Value
	}
	return texts, nil
}

// explainPrompt returns err, unless an argument is unknown or missing. Then it
// returns a failure that names it.
func (c *invocation) explainPrompt(ctx context.Context, s *conversation, name string, given map[string]string, err error) error {
	var f *failure.Error
	if failure.Code(err) != jsonrpc.CodeInvalidParams || errors.As(err, &f) {
		return err
	}
	return cmp.Or(c.wrongPrompt(name, given, c.findPrompt(ctx, s, name), err), err)
}

// wrongPrompt returns a failure that names an unknown or missing argument of a prompt, or
// nil. The server's error err may be nil.
func (c *invocation) wrongPrompt(name string, given map[string]string, p *mcp.Prompt, err error) error {
	if p == nil {
		return nil
	}
	schema, message := toolargs.PromptSchema(p), ""
	values := new(toolargs.Given)
	for key := range given {
		values.Each = append(values.Each, toolargs.Argument{Key: key})
	}
	if key := values.Unknown(schema); key != "" {
		message = "the prompt " + wire.Quote(name) + " has no argument " + wire.Quote(key) + failure.DidYouMean(key, promptArguments(p))
	} else if missing := values.Absent(schema.Required); len(missing) > 0 {
		message = "the prompt " + wire.Quote(name) + " requires " + strings.Join(missing, ", ")
	}
	if message == "" {
		return nil
	}
	f := failure.Classify(argumentError(message, err))
	f.Hint = c.argumentHint(values, schema)
	return f
}

// findPrompt returns the prompt that the server lists, or nil.
func (c *invocation) findPrompt(ctx context.Context, s *conversation, name string) *mcp.Prompt {
	raw, err := c.fetch(ctx, s, lists()["prompts"])
	var res mcp.ListPromptsResult
	if err != nil || res.UnmarshalJSON(raw) != nil {
		return nil
	}
	if i := slices.IndexFunc(res.Prompts, func(p *mcp.Prompt) bool { return p.Name == name }); i >= 0 {
		return res.Prompts[i]
	}
	return nil
}

// promptArguments returns the names of a prompt's arguments.
func promptArguments(p *mcp.Prompt) (known []string) {
	for _, a := range p.Arguments {
		known = append(known, a.Name)
	}
	return known
}

// argumentError returns a failure that explains the server's error, or one of wrong usage
// if there is none.
func argumentError(message string, err error) error {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		return &failure.Error{Status: failure.Usage, Kind: "usage", Message: message}
	}
	return &failure.Error{Status: failure.Refused, Kind: "server_error", Message: message + " (" + failure.Text(answer) + ")", Code: answer.Code, Err: err}
}

// promptParts returns messages for printing, with the role in front if there are
// several.
func (c *invocation) promptParts(messages []mcp.PromptMessage) []part {
	parts := make([]part, len(messages))
	for i := range messages {
		p, place := contentPart(&messages[i].Content), "messages["+strconv.Itoa(i)+"]"
		c.warnRole(place, messages[i].Role)
		c.warnContent(place, &messages[i].Content, p)
		if len(messages) > 1 && !p.binary {
			p.text = string(messages[i].Role) + ": " + strings.TrimRight(p.text, "\n") + "\n"
		}
		parts[i] = p
	}
	return parts
}

// kinds maps what the user types to the type of a reference.
var kinds = map[string]mcp.ReferenceType{
	"prompt": mcp.RefPrompt, string(mcp.RefPrompt): mcp.RefPrompt,
	"resource": mcp.RefResource, "template": mcp.RefResource, string(mcp.RefResource): mcp.RefResource,
}

// runComplete prints the completions of an argument.
func runComplete(ctx context.Context, c *invocation) error {
	if kinds[c.args[0]] == "" { // NAME ARG VALUE: only templates have the form of a URI
		kind := "prompt"
		if strings.Contains(c.args[0], "://") || strings.Contains(c.args[0], "{") {
			kind = "resource"
		}
		c.args = append([]string{kind}, c.args...)
	}
	if len(c.args) == 2 {
		return c.explainNoArgument(ctx)
	}
	kind, name, argument := kinds[c.args[0]], c.args[1], c.args[2]
	if key, value, ok := strings.Cut(argument, "="); ok && len(c.args) == 3 {
		return c.suggest("ARG and VALUE are separate words", c.retyped(argument, cmdline.Own(key, value)...))
	}
	ref, what, l := map[string]any{"type": string(kind)}, "prompt", lists()["prompts"]
	if kind == mcp.RefPrompt {
		ref["name"] = name
	} else {
		ref["uri"], what, l = name, "resource template", lists()["templates"]
	}
	value := ""
	if len(c.args) > 3 {
		value = c.args[3]
	}
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": value}}
	if len(c.args) > 4 {
		given, err := c.readTexts(ctx, c.args[4:])
		if err != nil {
			return err
		}
		params["context"] = map[string]any{"arguments": given}
	}
	return c.withServer(ctx, func(s *conversation) error {
		raw, err := s.Call(ctx, "completion/complete", params)
		if err != nil {
			err = c.explainUnknown(ctx, s, what, name, l, err)
			known := toolargs.TemplateVariables(name)
			var f *failure.Error
			if failure.Code(err) == 0 || errors.As(err, &f) {
				return err
			}
			if kind == mcp.RefPrompt && failure.Code(err) == jsonrpc.CodeInvalidParams {
				if p := c.findPrompt(ctx, s, name); p != nil {
					known = promptArguments(p)
				}
			}
			if known == nil || hasWord(known, argument) {
				return err
			}
			f = failure.Classify(argumentError("the "+what+" "+wire.Quote(name)+" has no argument "+wire.Quote(argument)+failure.DidYouMean(argument, known), err))
			if len(known) > 0 {
				f.Hint = c.didMean(argument, known, "its arguments are "+strings.Join(known, ", "))
			}
			return f
		}
		if c.flags.JSON {
			return c.printJSON(raw)
		}
		var res mcp.CompleteResult
		if err := res.UnmarshalJSON(raw); err != nil {
			return malformed("completion/complete", err)
		}
		return c.printCompletion(s, &res.Completion)
	})
}

// explainNoArgument returns the failure for a prompt or template without one of its
// arguments.
func (c *invocation) explainNoArgument(ctx context.Context) error {
	name := c.args[1]
	known := toolargs.TemplateVariables(name)
	if kinds[c.args[0]] == mcp.RefPrompt {
		err := c.withServer(ctx, func(s *conversation) error {
			raw, err := c.fetch(ctx, s, lists()["prompts"])
			var res mcp.ListPromptsResult
			if err = errors.Join(err, res.UnmarshalJSON(raw)); err != nil {
				return err
			}
			names := []string{}
			for _, p := range res.Prompts {
				if names = append(names, p.Name); p.Name == name {
					for _, a := range p.Arguments {
						known = append(known, a.Name)
					}
					return nil
				}
			}
			f := failure.Classify(failure.NotFound("the server has no prompt "+wire.Quote(name)+failure.DidYouMean(name, names), nil))
			f.Hint = c.didMean(name, names, c.toType("for a list, ", c.commandFor("prompts")))
			return f
		})
		if err != nil {
			return err
		}
	}
	if len(known) == 0 {
		return c.usageHint("complete needs ARG, but "+wire.Quote(name)+" has no arguments", c.toType("for a list, ", c.commandFor("prompts")))
	}
	return c.usage("complete needs ARG; " + wire.Quote(name) + " has " + strings.Join(known, ", "))
}

func (c *invocation) printCompletion(s *conversation, res *mcp.Completion) error {
	var text bytes.Buffer
	for _, v := range res.Values {
		text.WriteString(terminal.EscapeName(v) + "\n")
	}
	switch {
	case len(res.Values) == 0:
		c.note(s, "The server has no completions.")
	case res.Total != nil && *res.Total > int64(len(res.Values)):
		c.note(s, "There are "+strconv.FormatInt(*res.Total, 10)+" completions in total.")
	case res.HasMore != nil && *res.HasMore:
		c.note(s, "There are more completions.")
	}
	return c.print(text.String())
}

func runRead(ctx context.Context, c *invocation) error {
	uri := c.args[0]
	return c.withServer(ctx, func(s *conversation) error {
		sending, kept := sentTo(ctx)
		res, err := s.ReadResource(sending, uri)
		if err != nil {
			return c.explainUnknown(ctx, s, "resource", uri, lists()["resources"], err)
		}
		if c.flags.JSON {
			return c.printSent(s, *kept, res)
		}
		parts := make([]part, len(res.Contents))
		for i := range res.Contents {
			p, ok := resourcePart(&res.Contents[i])
			if !ok {
				return malformed("resources/read", errNotBase64)
			}
			parts[i] = p
		}
		return c.printParts(s, parts, true)
	})
}

var errNotBase64 = errors.New("a blob is not valid base64")
