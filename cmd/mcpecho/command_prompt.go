package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func runPrompt(ctx context.Context, c *invocation) error {
	name := c.args[0]
	args, err := c.readTexts(ctx, c.args[1:])
	if f := (*failure)(nil); errors.As(err, &f) && f.kind == "usage" {
		return c.explainPromptArguments(ctx, name, c.args[1:], err)
	}
	if err != nil {
		return err
	}
	return c.withServer(ctx, func(s *conversation) error {
		res, err := c.getPrompt(ctx, s, name, args)
		if err != nil {
			return c.explainPrompt(ctx, s, name, args, c.explainUnknown(ctx, s, "prompt", name, lists()["prompts"], err))
		}
		if c.flags.json {
			return c.printResult(res)
		}
		return c.printParts(s, promptParts(res.Messages), false)
	})
}

// readTexts reads the arguments of a prompt, which are strings.
func (c *invocation) readTexts(ctx context.Context, args []string) (map[string]string, error) {
	given, err := c.readArguments(ctx, args)
	if err != nil {
		return nil, err
	}
	if given.whole != nil {
		return nil, c.usage("the arguments of a prompt must be k=v, not a JSON object")
	}
	texts := make(map[string]string)
	for _, a := range given.each {
		if a.json {
			return nil, c.usage("the arguments of a prompt are strings: use " + a.key + "=…")
		}
		texts[a.key] = a.value
	}
	return texts, nil
}

func (c *invocation) getPrompt(ctx context.Context, s *conversation, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	return s.GetPrompt(ctx, name, args)
}

// explainPrompt returns err, unless an argument is unknown or missing. Then it
// returns a failure that names it.
func (c *invocation) explainPrompt(ctx context.Context, s *conversation, name string, given map[string]string, err error) error {
	known, required := c.promptArguments(ctx, s, name, err)
	wrong := err
	for key := range given {
		if !slices.Contains(known, key) && known != nil {
			wrong = argumentError("the prompt "+strconv.Quote(name)+" has no argument "+strconv.Quote(key)+didYouMean(key, known), err)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(required), func(key string) bool { _, ok := given[key]; return ok })
	if len(missing) > 0 && wrong == err {
		wrong = argumentError("the prompt "+strconv.Quote(name)+" requires "+strings.Join(missing, ", "), err)
	}
	if wrong == err {
		return err
	}
	arguments := &schema{required: required}
	for _, name := range known {
		arguments.properties = append(arguments.properties, property{name, &schema{types: []string{"string"}}})
	}
	return c.repairedPrompt(name, c.args[1:], arguments, wrong)
}

// promptArguments returns the names of a prompt's arguments if err may be about
// them, or else nil.
func (c *invocation) promptArguments(ctx context.Context, s *conversation, name string, err error) (known, required []string) {
	var f *failure
	if errorCode(err) != jsonrpc.CodeInvalidParams || errors.As(err, &f) {
		return nil, nil
	}
	raw, e := c.fetch(ctx, s, lists()["prompts"])
	var res mcp.ListPromptsResult
	if e != nil || res.UnmarshalJSON(raw) != nil {
		return nil, nil
	}
	known = []string{}
	for _, p := range res.Prompts {
		for _, a := range p.Arguments {
			if p.Name != name {
				continue
			}
			if known = append(known, a.Name); a.Required != nil && *a.Required {
				required = append(required, a.Name)
			}
		}
	}
	return known, required
}

// argumentError returns a failure that explains the server's error.
func argumentError(message string, err error) error {
	var answer *jsonrpc.Error
	errors.As(err, &answer)
	return &failure{status: statusRefused, kind: "server_error", message: message + " (" + textOf(answer) + ")", code: answer.Code, err: err}
}

// promptParts returns messages for printing, with the role in front if there are
// several.
func promptParts(messages []mcp.PromptMessage) []part {
	parts := make([]part, len(messages))
	for i := range messages {
		p := contentPart(&messages[i].Content)
		if len(messages) > 1 && !p.binary {
			p.text = string(messages[i].Role) + ": " + strings.TrimRight(p.text, "\n") + "\n"
		}
		parts[i] = p
	}
	return parts
}
