package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
)

// A step is something that the tour does and tells about.
type step struct {
	verb, what string
	do         func(context.Context, *invocation, *conversation) (outcome string, err error)
	want       string // what the outcome begins with
}

func tourSteps() []step {
	return []step{
		{"list tools", "", tourTools, ""},
		{"list resources", "", tourResources, ""},
		{"call a tool", `echo message="Hello, MCP!"`, tourCall("echo", `{"message":"Hello, MCP!"}`), "Hello, MCP!"},
		{"call another", "add a=2 b=40", tourCall("add", `{"a":2,"b":40}`), `{"sum":42}`},
		{"a slow one", "slow seconds=0.3 steps=3", tourCall("slow", `{"seconds":0.3,"steps":3}`), "Done"},
		{"one that fails", "fail message=Oops", tourCall("fail", `{"message":"Oops"}`), "an error"},
		{"read a resource", "echo://text", tourRead, ""},
		{"get a prompt", "review language=go", tourPrompt, ""},
	}
}

func runTour(ctx context.Context, c *invocation) error {
	st := c.styler(c.stdout)
	err := c.write(st(bold, "A tour of MCP, the Model Context Protocol") + `

Programs with a language model in them use MCP to reach what other programs
offer: tools to call, resources to read, prompts to begin with. What offers them
is a server, what uses them a client. This client now starts a server of its own,
which echoes, and talks to it over standard input and output.
`)
	if err != nil {
		return err
	}
	for _, era := range []struct{ revision, about string }{
		{mcp.Revision20260728, "every request stands for itself"},
		{mcp.Revision20251125, "a session begins with a handshake"},
	} {
		if err := c.write("\n" + st(bold, "Protocol "+era.revision) + ": " + era.about + "\n\n"); err != nil {
			return err
		}
		if err := c.tourServer(ctx, era.revision); err != nil {
			return err
		}
	}
	return c.write("\n" + st(bold, "It all worked.") + " Try next:\n\n" + c.hints())
}

// tourServer shows one server, which speaks only the given revision.
func (c *invocation) tourServer(ctx context.Context, revision string) error {
	c.server = []string{c.self, "serve", "--protocol", revision}
	if err := c.tell("start a server", c.name+" serve --protocol "+revision, ""); err != nil {
		return err
	}
	err := c.withServer(ctx, func(s *conversation) error {
		info := s.Server()
		if err := c.tell("connect", "", info.Name+" "+info.Version+" answers, in protocol "+info.Revision); err != nil {
			return err
		}
		for _, step := range tourSteps() {
			outcome, err := step.do(ctx, c, s)
			if err == nil && !strings.HasPrefix(outcome, step.want) {
				err = errors.New(step.verb + ": want " + step.want + ", got " + outcome)
			}
			if err != nil {
				return err
			}
			outcome, more, _ := strings.Cut(outcome, "\n")
			if err := c.tell(step.verb, step.what, outcome); err != nil {
				return err
			}
			if more == "" {
				continue
			}
			if err := c.tell("", "", more); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.tell("disconnect", "", "the server has ended")
}

// tell prints a step in columns.
func (c *invocation) tell(verb, what, outcome string) error {
	st := c.styler(c.stdout)
	line := "  " + st(dim, verb) + pad(verb, 18) + what
	switch {
	case what == "":
		line += c.shown(outcome)
	case outcome != "":
		line += pad(what, 28) + "→ " + c.shown(outcome)
	}
	return c.write(line + "\n")
}

func tourTools(ctx context.Context, c *invocation, s *conversation) (string, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	tools, err := s.ListTools(ctx)
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return enumerate(names), err
}

func tourResources(ctx context.Context, c *invocation, s *conversation) (string, error) {
	ctx, cancel := c.within(ctx)
	defer cancel()
	resources, err := s.ListResources(ctx)
	var uris []string
	for _, r := range resources {
		uris = append(uris, r.URI)
	}
	return enumerate(uris), err
}

// enumerate returns the first of names and how many there are.
func enumerate(names []string) string {
	const most = 5
	if n := len(names) - most; n > 1 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(names, ", ")
}

func tourCall(tool, args string) func(context.Context, *invocation, *conversation) (string, error) {
	return func(ctx context.Context, c *invocation, s *conversation) (string, error) {
		var mu sync.Mutex // the last reports may come while Do returns
		var reports []string
		res, err := s.Do(ctx, &mcp.ToolCall{
			Name:      tool,
			Arguments: json.RawMessage(args),
			Timeout:   c.flags.timeout,
			Progress: func(p mcp.Progress) {
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, p.Message)
			},
		})
		if err != nil {
			return "", err
		}
		outcome := res.Text()
		if res.Structured != nil {
			outcome = string(res.Structured)
		}
		if res.IsError {
			outcome = "an error for the model: " + outcome
		}
		mu.Lock()
		defer mu.Unlock()
		if len(reports) > 0 {
			outcome += "\nand on its way it reported: " + strings.Join(reports, ", ")
		}
		return outcome, nil
	}
}

func tourRead(ctx context.Context, c *invocation, s *conversation) (string, error) {
	res, err := c.readResource(ctx, s, "echo://text")
	if err != nil || len(res.Contents) == 0 {
		return "", err
	}
	return firstLine(res.Contents[0].Text), nil
}

func tourPrompt(ctx context.Context, c *invocation, s *conversation) (string, error) {
	res, err := c.getPrompt(ctx, s, "review", map[string]string{"language": "go"})
	if err != nil || len(res.Messages) == 0 {
		return "", err
	}
	return firstLine(res.Messages[0].Content.Text), nil
}

// hints returns what to type after the tour.
func (c *invocation) hints() string {
	text := ""
	for _, h := range []struct{ what, line string }{
		{"what a server has", "tools -- mcpecho serve"},
		{"what a tool needs", "info add -- mcpecho serve"},
		{"call it", "call add a=2 b=40 -- mcpecho serve"},
		{"any other server", "tools -- npx -y @modelcontextprotocol/server-everything stdio"},
		{"all commands", "help"},
	} {
		text += "  " + h.what + pad(h.what, 20) + c.name + " " + strings.ReplaceAll(h.line, "mcpecho", c.name) + "\n"
	}
	return text
}
