package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// kinds maps what the user types to the type of a reference.
var kinds = map[string]string{
	"prompt": mcp.RefPrompt, mcp.RefPrompt: mcp.RefPrompt,
	"resource": mcp.RefResource, "template": mcp.RefResource, mcp.RefResource: mcp.RefResource,
}

// runComplete prints the completions of an argument.
func runComplete(ctx context.Context, c *invocation) error {
	kind, name, argument := kinds[c.args[0]], c.args[1], c.args[2]
	if kind == "" {
		kind = "prompt"
		if strings.Contains(c.args[0], "://") {
			kind = "resource"
		}
		return c.usageHint("complete: the first argument must be prompt or resource, not "+strconv.Quote(c.args[0]), "type: "+c.commandFor("complete", append([]string{kind}, c.args...)...))
	}
	ref, what, l := map[string]any{"type": kind}, "prompt", lists()["prompts"]
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
		raw, err := c.request(ctx, s, "completion/complete", params)
		if err != nil {
			err = c.explainUnknown(ctx, s, what, name, l, err)
			known := templateVariables(name)
			if kind == mcp.RefPrompt {
				known, _ = c.promptArguments(ctx, s, name, err)
			}
			var f *failure
			if known == nil || slices.Contains(known, argument) || errorCode(err) == 0 || errors.As(err, &f) {
				return err
			}
			return argumentError("the "+what+" "+strconv.Quote(name)+" has no argument "+strconv.Quote(argument)+didYouMean(argument, known), err)
		}
		if c.flags.json {
			return c.printJSON(raw)
		}
		var res mcp.CompleteResult
		if err := res.UnmarshalJSON(raw); err != nil {
			return malformed("completion/complete", err)
		}
		return c.printCompletion(s, &res.Completion)
	})
}

// templateVariables returns the names of the variables in a URI template.
func templateVariables(template string) (names []string) {
	for _, part := range strings.Split(template, "{")[1:] {
		inner, _, _ := strings.Cut(part, "}")
		for name := range strings.SplitSeq(strings.TrimLeft(inner, "+#./;?&"), ",") {
			name, _, _ = strings.Cut(name, ":")
			names = append(names, strings.TrimSuffix(name, "*"))
		}
	}
	return names
}

func (c *invocation) printCompletion(s *conversation, res *mcp.Completion) error {
	var text strings.Builder
	for _, v := range res.Values {
		text.WriteString(escapeName(v) + "\n")
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
