package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// explainArguments adds to the failure of unreadable arguments the command line
// that the tool's schema suggests. An unreachable server adds nothing.
func (c *invocation) explainArguments(ctx context.Context, tool string, given []string, wrong error) error {
	return c.explain(ctx, wrong, func(s *conversation) (better, err error) {
		tools, err := c.tools(ctx, s)
		if err != nil {
			return nil, err
		}
		name, words := cutCall(tool, given)
		t, err := findTool(tools, name)
		if err != nil {
			return nil, nil
		}
		return c.repaired("call", name, words, parseSchema(t.InputSchema), wrong), nil
	})
}

// explain returns the better error that find has for a failure with the help of
// the server, or the failure itself.
func (c *invocation) explain(ctx context.Context, wrong error, find func(*conversation) (better, err error)) error {
	var better error
	err := c.withServer(ctx, func(s *conversation) (err error) {
		better, err = find(s)
		return err
	})
	if err != nil || better == nil {
		return wrong
	}
	return better
}

// cutCall splits a call such as echo(message: "hi") into the name of the tool and
// words.
func cutCall(tool string, args []string) (name string, words []string) {
	name, inner, ok := strings.Cut(tool, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return tool, args
	}
	if relaxed := relaxJSON("{" + strings.TrimSuffix(inner, ")") + "}"); relaxed != nil {
		r := wire.NewReader(relaxed)
		for r.Object(); r.More(); {
			key := string(r.Key())
			words = append(words, key+"="+plainJSON(r.Raw()))
		}
	}
	return name, append(words, args...)
}

// repaired returns the failure wrong with the command line that the user probably
// meant as its hint.
func (c *invocation) repaired(command, name string, given []string, s *schema, wrong error) error {
	f := *classify(wrong)
	line := ""
	switch first := strings.Join(given, " "); {
	case len(given) == 1 && first == "-":
		sample := (&schema{types: []string{"object"}, required: s.required, properties: s.properties}).sampleJSON(0)
		f.hint = "type: echo " + c.quoteWord(sample) + " | " + c.commandFor(command, name, "-")
		return &f
	case len(given) == 1 && isFile(strings.TrimPrefix(first, "@")):
		f.hint = "type: " + c.commandFor(command, name, "-") + " < " + c.quoteWord(strings.TrimPrefix(first, "@"))
		return &f
	case len(given) > 0 && strings.HasPrefix(first, "{") && !strings.HasPrefix(first, "{}"):
		if relaxed := relaxJSON(first); relaxed != nil {
			line = c.commandFor(command, name, string(relaxed))
			break
		}
		line = c.commandFor(command, name, s.sampleJSON(0))
	case strings.HasPrefix(first, "[") || strings.HasPrefix(first, `"`):
		line = c.commandFor(command, name, (&schema{types: []string{"object"}, required: s.required, properties: s.properties}).sampleJSON(0))
	default:
		line = c.commandFor(command, append([]string{name}, repairWords(given, s)...)...)
	}
	f.hint = "type: " + line
	return &f
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// relaxJSON returns the JSON of an object in the notation of JavaScript or Python:
// keys without quotes, single quotes, True and None. It returns nil if the text is
// something else.
func relaxJSON(text string) []byte {
	var b []byte
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == '\'' || ch == '"':
			end := i + 1
			for end < len(text) && text[end] != ch {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return nil
			}
			inner := strings.ReplaceAll(text[i+1:end], `\'`, `'`)
			if ch == '\'' {
				inner = strings.ReplaceAll(inner, `"`, `\"`)
			}
			b = append(append(append(b, '"'), inner...), '"')
			i = end + 1
		case ch == ' ' || ch == '\n' || ch == '\t':
			i++
		case ch == '_' || 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z':
			end := i
			for end < len(text) && strings.IndexByte(":, }]\n\t", text[end]) < 0 {
				end++
			}
			word := text[i:end]
			switch word {
			case "true", "false", "null":
			case "True", "False":
				word = strings.ToLower(word)
			case "None", "undefined":
				word = "null"
			default:
				word = strconv.Quote(word)
			}
			b = append(b, word...)
			i = end
		default:
			b = append(b, ch)
			i++
		}
	}
	if len(b) > 2 && b[len(b)-2] == ',' {
		b = append(b[:len(b)-2], b[len(b)-1])
	}
	if wire.Valid(b) != nil || typeOf(b) != "object" {
		return nil
	}
	return b
}

// promptSchema returns the arguments of a prompt as a schema.
func promptSchema(p *mcp.Prompt) *schema {
	s := &schema{types: []string{"object"}}
	for _, a := range p.Arguments {
		s.properties = append(s.properties, property{a.Name, &schema{types: []string{"string"}, description: a.Description}})
		if a.Required != nil && *a.Required {
			s.required = append(s.required, a.Name)
		}
	}
	return s
}

// explainPromptArguments is explainArguments for a prompt.
func (c *invocation) explainPromptArguments(ctx context.Context, name string, given []string, wrong error) error {
	return c.explain(ctx, wrong, func(s *conversation) (better, err error) {
		raw, err := c.fetch(ctx, s, lists()["prompts"])
		var res mcp.ListPromptsResult
		if err = errors.Join(err, res.UnmarshalJSON(raw)); err != nil {
			return nil, err
		}
		for _, p := range res.Prompts {
			if p.Name == name {
				better = c.repairedPrompt(name, given, promptSchema(p), wrong)
			}
		}
		return better, nil
	})
}

func (c *invocation) repairedPrompt(name string, given []string, s *schema, wrong error) error {
	if len(given) == 1 && strings.HasPrefix(given[0], "{") {
		_, given = cutCall("x("+strings.Trim(given[0], "{}")+")", nil)
	}
	for i, word := range given {
		if key, value, ok := strings.Cut(word, ":="); ok {
			given[i] = key + "=" + plainJSON(json.RawMessage(value))
		}
	}
	f := *classify(wrong)
	f.hint = "type: " + c.commandFor("prompt", append([]string{name}, repairWords(given, s)...)...)
	return &f
}
