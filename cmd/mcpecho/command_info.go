package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

func runInfo(ctx context.Context, c *invocation) error {
	return c.withServer(ctx, func(s *conversation) error {
		if len(c.args) > 0 {
			return c.toolInfo(ctx, s, c.args[0])
		}
		if c.flags.json {
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
		raw, err := c.request(ctx, s, "server/discover", nil)
		if err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	return c.printResult(info)
}

// A sheet formats titles, text and labeled lines.
type sheet struct {
	b     strings.Builder
	style func(style, string) string
	shown func(string) string
	width int // of the terminal; 0 if there is none
}

func (c *invocation) newSheet() *sheet {
	if !c.toTerminal() {
		return &sheet{style: func(_ style, s string) string { return s }, shown: func(s string) string { return s }}
	}
	return &sheet{style: c.styler(c.stdout), shown: escape, width: c.terminalWidth(c.stdout)}
}

func (t *sheet) title(s string) { t.b.WriteString(t.style(bold, escapeName(s)) + "\n") }

// section starts a section.
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
	text = strings.ReplaceAll(wrap(t.shown(text), t.width-len(margin)), "\n", "\n"+margin)
	label = escapeName(label)
	t.b.WriteString("  " + t.style(dim, label) + strings.Repeat(" ", max(2, width-textWidth(label))) + text + "\n")
}

// text prints indented text.
func (t *sheet) text(s string) {
	t.b.WriteString("  " + strings.ReplaceAll(wrap(t.shown(strings.TrimSpace(s)), t.width-2), "\n", "\n  ") + "\n")
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
	list := func(name string, l *mcp.ResourcesCapability) {
		if l == nil {
			return
		}
		var more []string
		if l.Subscribe != nil && *l.Subscribe {
			more = append(more, "reports changed resources")
		}
		if l.ListChanged != nil && *l.ListChanged {
			more = append(more, "reports changes of the list")
		}
		if more != nil {
			name += " (" + strings.Join(more, ", ") + ")"
		}
		lines = append(lines, name)
	}
	list("tools", caps.Tools)
	list("resources", caps.Resources)
	list("prompts", caps.Prompts)
	for _, other := range []struct {
		name  string
		there bool
	}{{"completions", caps.Completions != nil}, {"logging", caps.Logging != nil}, {"tasks", caps.Tasks != nil}} {
		if other.there {
			lines = append(lines, other.name)
		}
	}
	var further []string
	for _, m := range []map[string]json.RawMessage{caps.Extensions, caps.Experimental, caps.Extra} {
		for name := range m {
			further = append(further, name)
		}
	}
	slices.Sort(further)
	return strings.Join(append(lines, further...), "\n")
}

// toolInfo describes a tool.
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
	if c.flags.json {
		return c.printResult(tool)
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
	input := parseSchema(tool.InputSchema)
	t.section("Arguments")
	if len(input.properties) == 0 {
		t.text("none")
	}
	t.properties(input, "")
	if tool.OutputSchema != nil {
		t.section("Returns")
		t.properties(parseSchema(tool.OutputSchema), "")
	}
	t.section("Behavior, according to the server")
	t.text(behavior(tool.Annotations))
	t.section("Try it")
	t.b.WriteString("  " + c.commandFor("call", append([]string{tool.Name}, example(input)...)...) + "\n") // never wrapped
	return t.b.String()
}

// properties prints the properties of a schema, and below each its own
// properties.
func (t *sheet) properties(s *schema, prefix string) {
	width := 0
	for _, p := range s.properties {
		width = max(width, textWidth(escapeName(prefix+p.name)))
	}
	for _, p := range s.properties {
		name, description := prefix+p.name, p.kind()
		if slices.Contains(s.required, p.name) {
			description += ", required"
		}
		if p.def != "" {
			description += ", default " + p.def
		}
		if len(p.limits) > 0 {
			description += ", " + strings.Join(p.limits, ", ")
		}
		if p.description != "" {
			description += "\n" + p.description
		}
		t.line(name, description, width+2)
		t.properties(p.schema, name+".")
		if p.items != nil {
			t.properties(p.items, name+"[].")
		}
	}
}

// kind describes the values that the schema allows.
func (s *schema) kind() string {
	const most = 12
	if len(s.enum) > most {
		return "one of " + strings.Join(s.enum[:most], ", ") + ", …"
	}
	if len(s.enum) > 0 {
		return "one of " + strings.Join(s.enum, ", ")
	}
	if len(s.types) == 0 || slices.Contains(s.types, "any") {
		return "any value"
	}
	text := strings.Join(s.types, " or ")
	if s.items != nil && len(s.items.types) > 0 {
		text = strings.Replace(text, "array", "array of "+s.items.kind(), 1)
	}
	return text
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

// example returns the required arguments with example values.
func example(s *schema) (args []string) {
	for _, name := range s.required {
		args = append(args, sampleArgument(name, s.property(name)))
	}
	return args
}

// sampleArgument returns an argument with an example value.
func sampleArgument(name string, p *schema) string {
	if p == nil {
		return name + "=…"
	}
	value, isJSON := p.sample()
	if isJSON {
		return name + ":=" + value
	}
	return name + "=" + value
}

// sample returns a value that the schema allows, and whether it is JSON that
// needs :=.
func (s *schema) sample() (value string, isJSON bool) {
	const maxSample = 60
	switch {
	case s.def != "" && s.def != "null" && len(s.def) <= maxSample:
		return plainJSON([]byte(s.def)), !s.onlyText() && typeOf([]byte(s.def)) == "string" && wire.Valid([]byte(plainJSON([]byte(s.def)))) == nil
	case len(s.enum) > 0:
		return plainJSON([]byte(s.enum[0])), false
	case len(s.types) == 0:
		return "…", false
	}
	switch s.types[0] {
	case "number", "integer":
		return "1", false
	case "boolean":
		return "true", false
	case "array":
		if s.items != nil {
			return "[" + s.items.sampleJSON(0) + "]", true
		}
		return "[]", true
	case "object":
		return s.sampleJSON(0), true
	}
	return "…", false
}

// sampleJSON returns JSON that the schema allows.
func (s *schema) sampleJSON(depth int) string {
	const deepest = 4
	switch {
	case s.def != "":
		return s.def
	case len(s.enum) > 0:
		return s.enum[0]
	case len(s.types) == 0 || s.types[0] == "string":
		return `"…"`
	}
	switch s.types[0] {
	case "number", "integer":
		return "1"
	case "boolean":
		return "true"
	case "null":
		return "null"
	case "array":
		if s.items == nil || depth >= deepest {
			return "[]"
		}
		return "[" + s.items.sampleJSON(depth+1) + "]"
	case "object":
		b := []byte("{")
		for _, name := range s.required {
			if p := s.property(name); p != nil && depth < deepest {
				b = append(wire.AppendKey(b, name), p.sampleJSON(depth+1)...)
			}
		}
		return string(append(b, '}'))
	}
	return `"…"`
}
