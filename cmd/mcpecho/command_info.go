package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

func runInfo(ctx context.Context, c *invocation) error {
	return c.withServer(ctx, func(s *conversation) error {
		if len(c.args) > 0 {
			return c.toolInfo(ctx, s, c.args[0])
		}
		if c.flags.JSON {
			return c.serverJSON(ctx, s)
		}
		info := s.Server()
		return c.print(c.describeServer(&info))
	})
}

// serverJSON prints the result of server/discover, or that of initialize for a
// server with a protocol version before 2026-07-28.
func (c *invocation) serverJSON(ctx context.Context, s *conversation) error {
	info := s.Server()
	if info.Modern() {
		raw, err := s.Call(ctx, "server/discover", nil)
		if err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	s.mu.Lock()
	kept := s.initialized
	s.mu.Unlock()
	return c.printJSON(kept)
}

// A sheet formats titles, text and labeled lines.
type sheet struct {
	b     bytes.Buffer
	style func(terminal.Style, string) string
	shown func(string) string
	width int // of the terminal; 0 if there is none
}

func (c *invocation) newSheet() *sheet {
	if !c.toTerminal() {
		return &sheet{style: func(_ terminal.Style, s string) string { return s }, shown: func(s string) string { return s }}
	}
	return &sheet{style: c.styler(c.stdout), shown: terminal.Escape, width: c.terminalWidth(c.stdout)}
}

func (t *sheet) title(s string) {
	t.b.WriteString(t.style(terminal.Bold, terminal.EscapeName(s)) + "\n")
}

func (t *sheet) section(s string) {
	t.b.WriteByte('\n')
	t.title(s)
}

// line prints label and text, unless text is empty. Further lines of text are
// aligned with the first.
func (t *sheet) line(label, text string, width int) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	margin := "  " + strings.Repeat(" ", width)
	text = strings.ReplaceAll(terminal.Wrap(t.shown(text), t.width-len(margin)), "\n", "\n"+margin)
	label = terminal.EscapeName(label)
	t.b.WriteString("  " + t.style(terminal.Dim, label) + strings.Repeat(" ", max(2, width-terminal.TextWidth(label))) + text + "\n")
}

// text prints indented text.
func (t *sheet) text(s string) {
	t.b.WriteString("  " + strings.ReplaceAll(terminal.Wrap(t.shown(strings.TrimSpace(s)), t.width-2), "\n", "\n  ") + "\n")
}

func (c *invocation) describeServer(info *mcp.ServerInfo) string {
	const width = 14
	t := c.newSheet()
	t.title(strings.TrimSpace(info.Name + " " + info.Version))
	if info.Title != info.Name {
		t.line("title", info.Title, width)
	}
	t.line("description", info.Description, width)
	t.line("website", info.WebsiteURL, width)
	t.line("protocol", info.ProtocolVersion, width)
	t.line("capabilities", offers(&info.Capabilities), width)
	if strings.TrimSpace(info.Instructions) != "" {
		t.section("Instructions")
		t.text(info.Instructions)
	}
	return t.b.String()
}

// offers returns the capabilities of a server, one per line.
func offers(caps *mcp.ServerCapabilities) string {
	var lines []string
	list := func(name string, changed, subscribe *bool) {
		var more []string
		if subscribe != nil && *subscribe {
			more = append(more, "reports changed resources")
		}
		if changed != nil && *changed {
			more = append(more, "reports changes of the list")
		}
		if more != nil {
			name += " (" + strings.Join(more, ", ") + ")"
		}
		lines = append(lines, name)
	}
	if c := caps.Tools; c != nil {
		list("tools", c.ListChanged, nil)
	}
	if c := caps.Resources; c != nil {
		list("resources", c.ListChanged, c.Subscribe)
	}
	if c := caps.Prompts; c != nil {
		list("prompts", c.ListChanged, nil)
	}
	for _, other := range []struct {
		name  string
		there bool
	}{{"completions", caps.Completions != nil}, {"logging", caps.Logging != nil}, {"tasks", caps.Tasks != nil}} {
		if other.there {
			lines = append(lines, other.name)
		}
	}
	var further []string
	for _, m := range []map[string]mcp.RawMessage{caps.Extensions, caps.Experimental, caps.Extra} {
		for name := range m {
			further = append(further, name)
		}
	}
	slices.Sort(further)
	return strings.Join(append(lines, further...), "\n")
}

func (c *invocation) toolInfo(ctx context.Context, s *conversation, name string) error {
	if err := c.checkAllowed(name); err != nil {
		return err
	}
	tools, err := c.tools(ctx, s)
	if err != nil {
		return err
	}
	tool, err := c.findTool(tools, name)
	if err != nil {
		return err
	}
	if c.flags.JSON {
		items := toolargs.Elements(wire.Lookup(s.listed, "tools"))
		at := slices.IndexFunc(items, func(item []byte) bool { return terminal.PlainJSON(wire.Lookup(item, "name")) == name })
		return c.printJSON(items[max(at, 0)])
	}
	return c.print(c.describeTool(tool))
}

func (c *invocation) describeTool(tool *mcp.Tool) string {
	t := c.newSheet()
	title := tool.Name
	if d := tool.DisplayName(); d != tool.Name {
		title += " (" + d + ")"
	}
	t.title(title)
	if tool.Description != "" {
		t.text(tool.Description)
	}
	input := toolargs.ParseSchema(tool.InputSchema)
	t.section("Arguments")
	if len(input.Properties) == 0 {
		t.text("none")
	}
	t.properties(input, "")
	if tool.OutputSchema != nil {
		t.section("Returns")
		t.properties(toolargs.ParseSchema(tool.OutputSchema), "")
	}
	t.section("Behavior, according to the server")
	t.text(behavior(tool.Annotations))
	if line := c.paste(c.commandFor("call", append(cmdline.Words(tool.Name), toolargs.Example(input)...)...)); line != "" {
		t.section("Try it")
		t.b.WriteString("  " + line + "\n") // never wrapped
	}
	return t.b.String()
}

// properties prints the properties of a schema, and below each its own
// properties.
func (t *sheet) properties(s *toolargs.Schema, prefix string) {
	width, required := 0, toolargs.Set(s.Required)
	for _, p := range s.Properties {
		width = min(max(width, terminal.TextWidth(terminal.EscapeName(prefix+p.Name))), terminal.MaxColumn)
	}
	for _, p := range s.Properties {
		name, description := prefix+p.Name, p.Kind()
		if required[p.Name] {
			description += ", required"
		}
		if p.Default != "" {
			description += ", default " + p.Default
		}
		if len(p.Limits) > 0 {
			description += ", " + strings.Join(p.Limits, ", ")
		}
		if p.Description != "" {
			description += "\n" + p.Description
		}
		t.line(name, description, width+2)
		t.properties(p.Schema, name+".")
		if p.Items != nil {
			t.properties(p.Items, name+"[].")
		}
	}
}

func behavior(a *mcp.ToolAnnotations) string {
	if a.ReadOnly() {
		return "read-only" + openWorld(a)
	}
	text := "makes changes"
	if a.Destructive() {
		text += ", may be destructive"
	}
	if a.Idempotent() {
		text += ", idempotent"
	}
	return text + openWorld(a)
}

func openWorld(a *mcp.ToolAnnotations) string {
	if a.OpenWorld() {
		return ", accesses external systems"
	}
	return ""
}

func runPing(ctx context.Context, c *invocation) error {
	return c.withServer(ctx, func(s *conversation) error {
		began := time.Now()
		if err := s.Ping(ctx); err != nil {
			return err
		}
		if c.flags.JSON {
			return c.printJSON([]byte("{}"))
		}
		return c.print(terminal.EscapeName(s.Server().Name) + " responded in " + milliseconds(time.Since(began)) + "\n")
	})
}
