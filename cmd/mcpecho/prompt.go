package main

import (
	"context"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

func runPrompt(ctx context.Context, c *invocation) error {
	name := c.args[0]
	args, err := c.readTexts(ctx, c.args[1:])
	if err != nil {
		return err
	}
	return c.withServer(ctx, func(s *conversation) error {
		res, err := c.getPrompt(ctx, s, name, args)
		if err != nil {
			return c.explainUnknown(ctx, s, "prompt", name, lists()["prompts"], err)
		}
		if c.flags.json {
			return c.printResult(res)
		}
		return c.printParts(s, promptParts(res.Messages), false)
	})
}

// readTexts takes the arguments of a prompt from the command line.
func (c *invocation) readTexts(ctx context.Context, args []string) (map[string]string, error) {
	given, err := c.readArguments(ctx, args)
	if err != nil {
		return nil, err
	}
	if given.whole != nil {
		return nil, c.usage("the arguments of a prompt are given as k=v")
	}
	texts := make(map[string]string)
	for _, a := range given.each {
		if a.json {
			return nil, c.usage("the arguments of a prompt are text: " + a.key + "=…")
		}
		texts[a.key] = a.value
	}
	return texts, nil
}

func (c *invocation) getPrompt(ctx context.Context, s *conversation, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	ctx, cancel := s.clock.start(ctx)
	defer cancel()
	return s.GetPrompt(ctx, name, args)
}

// promptParts returns messages as they are printed: with the role in front,
// unless there is only one.
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
