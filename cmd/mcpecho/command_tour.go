package main

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// A step is a part of the tour.
type step struct {
	verb, what string
	do         func(context.Context, *conversation) (outcome string, err error)
	want       string // prefix of the outcome
}

// tourSteps returns the steps with a server. seconds is the duration of the slow
// tool.
func tourSteps(seconds string) []step {
	return []step{
		{"list tools", "", tourTools, ""},
		{"call a tool", `echo message="Hello, MCP!"`, tourCall("echo", `{"message":"Hello, MCP!"}`), "Hello, MCP!"},
		{"with a schema", "add a=2 b=40", tourCall("add", `{"a":2,"b":40}`), `{"sum":42}`},
		{"with progress", "slow seconds=" + seconds + " steps=3", tourCall("slow", `{"seconds":`+seconds+`,"steps":3}`), "Done"},
		{"that fails", "fail message=Oops", tourCall("fail", `{"message":"Oops"}`), "an error"},
		{"read a resource", "echo://text", tourRead, ""},
		{"get a prompt", "review language=go", tourPrompt, ""},
	}
}

// runTour fits a screen of 24 lines and 80 columns.
func runTour(ctx context.Context, c *invocation) (err error) {
	end, err := c.startRecording(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, end()) }()
	st := c.styler(c.stdout)
	err = c.write(st(terminal.Bold, "A tour of MCP, the Model Context Protocol") + "\n" +
		reflow("A client in a program with a language model calls the tools of servers, reads their resources and uses their prompts. This one now starts an echo server:", c.helpWidth()) + "\n\n")
	if err != nil {
		return err
	}
	c.server = []string{c.self, "serve", "--protocol", mcp.ProtocolVersion20260728}
	if err := c.printStep("start a server", c.name+" serve", ""); err != nil {
		return err
	}
	if err := c.tourServer(ctx, "0.3", c.printStep); err != nil {
		return err
	}
	if err := c.write("\n"); err != nil {
		return err
	}
	if err := c.tourOthers(ctx); err != nil {
		return err
	}
	return c.write("\n" + st(terminal.Bold, "Everything worked.") + " Type next:\n" + c.hints())
}

// A connection describes a transport with a protocol version.
type connection struct{ name, protocolVersion, description, target, transport string }

// tourOthers repeats the steps over the other transports and protocol versions,
// with a line for each.
func (c *invocation) tourOthers(ctx context.Context) error {
	web, err := serve.Start("127.0.0.1:0", nil, false)
	if err != nil {
		return failure.Local(err)
	}
	defer web.Close()
	for _, w := range []connection{
		{"over stdio", mcp.ProtocolVersion20251125, "a session", "", ""},
		{"Streamable HTTP", mcp.ProtocolVersion20260728, "no session", web.URL, "http"},
		{"Streamable HTTP", mcp.ProtocolVersion20251125, "a session", web.URL, "http"},
		{"HTTP+SSE", mcp.ProtocolVersion20241105, "one stream", web.SSE, "sse"},
	} {
		c.flags.Protocol, c.flags.Transport = w.protocolVersion, w.transport
		if c.server, c.target = nil, w.target; c.target == "" {
			c.server = []string{c.self, "serve", "--protocol", w.protocolVersion}
		}
		began := time.Now()
		if err := c.tourServer(ctx, "0.03", func(string, string, string) error { return nil }); err != nil {
			return err
		}
		outcome := "the same, in " + strconv.FormatInt(time.Since(began).Milliseconds(), 10) + " ms"
		if err := c.printStep(w.name, w.protocolVersion+", "+w.description, outcome); err != nil {
			return err
		}
	}
	return nil
}

// tourServer runs all steps with the target and shows each.
func (c *invocation) tourServer(ctx context.Context, seconds string, show func(verb, what, outcome string) error) error {
	return c.withServer(ctx, func(s *conversation) error {
		info := s.Server()
		if err := show("connect", "protocol "+info.ProtocolVersion, info.Name+" "+info.Version); err != nil {
			return err
		}
		for _, step := range tourSteps(seconds) {
			outcome, err := step.do(ctx, s)
			if err == nil && !strings.HasPrefix(outcome, step.want) {
				err = errors.New(step.verb + ": want " + step.want + ", got " + outcome)
			}
			if err != nil {
				return err
			}
			if err := show(step.verb, step.what, outcome); err != nil {
				return err
			}
		}
		return nil
	})
}

// printStep prints a step in columns. An outcome that a narrow terminal has no room for
// begins another line.
func (c *invocation) printStep(verb, what, outcome string) error {
	return c.write("  " + c.styler(c.stdout)(terminal.Dim, verb) + terminal.Pad(verb, stepColumn-2) + stepText(what, c.shown(outcome), c.terminalWidth(c.stdout)) + "\n")
}

// stepColumn is the column of what a step does.
const stepColumn = 19

// stepText returns what a step does and its outcome, for a terminal of a width; 0 means that
// there is none.
func stepText(what, outcome string, width int) string {
	text := what
	switch {
	case what == "":
		text = outcome
	case outcome != "" && width > 0 && stepColumn+28+terminal.TextWidth("→ "+outcome) > width:
		text += "\n→ " + outcome
	case outcome != "":
		text += terminal.Pad(what, 28) + "→ " + outcome
	}
	return strings.ReplaceAll(terminal.Wrap(text, width-stepColumn), "\n", "\n"+strings.Repeat(" ", stepColumn))
}

func tourTools(ctx context.Context, s *conversation) (string, error) {
	tools, err := s.ListTools(ctx)
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return enumerate(names), err
}

// enumerate returns the first names and the number of the others.
func enumerate(names []string) string {
	const most = 5
	if n := len(names) - most; n > 1 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(n) + " more"
	}
	return strings.Join(names, ", ")
}

func tourCall(tool, args string) func(context.Context, *conversation) (string, error) {
	return func(ctx context.Context, s *conversation) (string, error) {
		var mu lock.Mutex // the last reports may arrive while Do returns
		var reports []string
		res, err := s.Do(ctx, &mcp.ToolCall{
			Name:      tool,
			Arguments: mcp.RawMessage(args),
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
		if res.StructuredContent != nil {
			outcome = string(res.StructuredContent)
		}
		if res.IsError {
			outcome = "an error for the model: " + outcome
		}
		mu.Lock()
		defer mu.Unlock()
		if len(reports) > 0 {
			outcome = "Done, progress to " + reports[len(reports)-1]
		}
		return outcome, nil
	}
}

func tourRead(ctx context.Context, s *conversation) (string, error) {
	res, err := s.ReadResource(ctx, "echo://text")
	if err != nil || len(res.Contents) == 0 {
		return "", err
	}
	return terminal.FirstLine(res.Contents[0].Text), nil
}

func tourPrompt(ctx context.Context, s *conversation) (string, error) {
	res, err := s.GetPrompt(ctx, "review", map[string]string{"language": "go"})
	if err != nil || len(res.Messages) == 0 {
		return "", err
	}
	return terminal.FirstLine(res.Messages[0].Content.Text), nil
}

// hints returns what to type after the tour.
func (c *invocation) hints() string {
	text := ""
	for _, h := range []struct{ what, line string }{
		{"call a tool", "call add a=2 b=40 -- mcpecho serve"},
		{"use a browser", "ui -- mcpecho serve"},
		{"serve over HTTP", "serve --http 127.0.0.1:3001"},
		{"see all commands", "help"},
	} {
		line, before := c.name+" "+strings.ReplaceAll(h.line, "mcpecho", c.name), terminal.Pad(h.what, stepColumn-2)
		if width := c.terminalWidth(c.stdout); width > 0 && stepColumn+terminal.TextWidth(line) > width {
			before = "\n      " // on a line of its own, which is never wrapped
		}
		text += "  " + h.what + before + line + "\n"
	}
	return text
}
