package testserver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tool is defined by fragments of JSON.
type tool struct {
	name, title, description string
	properties               string // of the arguments
	required                 string
	output                   string // the schema of structured content, or empty
	hints                    string // annotations beside the title
	run                      func(*call, *fields)
}

const (
	readOnly   = `"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false`
	idempotent = `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false`
	additive   = `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false`
)

func tools() []tool {
	return []tool{
		{"echo", "Echo", "Returns the message it is given.",
			`"message":{"type":"string","description":"What to return"}`, `"message"`, "", readOnly, (*call).echo},
		{"add", "Add", "Adds two numbers.",
			`"a":{"type":"number","description":"First number"},"b":{"type":"number","description":"Second number"}`,
			`"a","b"`, `{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`, readOnly, (*call).add},
		{"slow", "Slow", "Takes its time and reports progress. Stops when it is cancelled.",
			`"seconds":{"type":"number","minimum":0,"default":1,"description":"How long it takes"},` +
				`"steps":{"type":"integer","minimum":1,"default":10,"description":"How often it reports"}`,
			"", "", readOnly, (*call).slow},
		{"fail", "Fail", "Fails, as tools do: the result says so.",
			`"message":{"type":"string","default":"This tool always fails.","description":"What it says"}`,
			"", "", readOnly, (*call).failing},
		{"image", "Image", "Returns a small picture.", "", "", "", readOnly, func(c *call, _ *fields) { c.content(imageContent) }},
		{"everything", "Everything", "Returns content of every kind, and of one that does not exist yet.",
			"", "", "", readOnly, (*call).everything},
		{"big", "Big", "Returns a text of a given length.",
			`"bytes":{"type":"integer","minimum":0,"maximum":1073741824,"default":1048576,"description":"Length of the text"}`,
			"", "", readOnly, (*call).big},
		{"log", "Log", "Sends a log message of every level that the client wants.", "", "", "", readOnly, (*call).logAll},
		{"update", "Update", "Says that a resource and the lists of resources and prompts have changed.",
			`"uri":{"type":"string","default":"` + textURI + `","description":"The resource"}`, "", "", idempotent, (*call).update},
		{"add_tool", "Add a tool", "Adds a tool to the list and says that the list has changed.", "", "", "", additive, (*call).addTool},
		{"end_listen", "End subscriptions", "Ends all subscriptions that were opened with subscriptions/listen.",
			"", "", "", idempotent, (*call).endListen},
		{"ask_roots", "Ask for roots", "Asks the client for its roots and returns them.",
			"", "", "", readOnly, asks(survey{kinds: []string{"roots"}})},
		{"ask_sampling", "Ask a model", "Asks the client's model a question and returns the answer.",
			"", "", "", readOnly, asks(survey{kinds: []string{"sampling"}})},
		{"ask_elicitation", "Ask the user", "Asks the user for a name and returns the answer.",
			"", "", "", readOnly, asks(survey{kinds: []string{"elicitation"}})},
		{"ask_everything", "Ask everything", "Asks for roots, a model and the user at once, and returns what came.",
			"", "", "", readOnly, asks(survey{kinds: []string{"elicitation", "roots", "sampling"}})},
		{"ask_in_turn", "Ask in turn", "Asks for the user, then for roots, and returns what came.",
			"", "", "", readOnly, asks(survey{kinds: []string{"elicitation", "roots"}, inTurn: true})},
		{"ask_stateless", "Ask without a state", "Asks for roots and keeps no state.",
			"", "", "", readOnly, asks(survey{kinds: []string{"roots"}, stateless: true})},
	}
}

func (t *tool) definition() string {
	b := `{"name":"` + t.name + `","title":"` + t.title + `","description":` + quote(t.description) +
		`,"inputSchema":` + t.input()
	if t.output != "" {
		b += `,"outputSchema":` + t.output
	}
	if support := taskSupport[t.name]; support != "" {
		b += `,"execution":{"taskSupport":"` + support + `"}`
	}
	return b + `,"annotations":{"title":"` + t.title + `",` + t.hints + "}," + icons + "}"
}

// input returns the schema of the arguments.
func (t *tool) input() string {
	b := `{"type":"object","properties":{` + t.properties + "}"
	if t.required != "" {
		b += `,"required":[` + t.required + "]"
	}
	return b + "}"
}

// Schema returns the schema of the arguments of a tool, or nil if there is no such
// tool.
func (s *Server) Schema(name string) []byte {
	if s.opts.Custom != nil {
		return s.opts.Custom.Schema(name)
	}
	t, ok := s.find(name)
	if !ok {
		return nil
	}
	return []byte(t.input())
}

func (s *Server) find(name string) (tool, bool) {
	list := s.tools
	if strings.HasPrefix(name, "tool_") {
		list = s.allTools()
	}
	i := slices.IndexFunc(list, func(t tool) bool { return t.name == name })
	if i < 0 {
		return tool{}, false
	}
	return list[i], true
}

// allTools returns the tools and the additional ones, which are copies of echo.
func (s *Server) allTools() []tool {
	s.mu.Lock()
	more := s.opts.Tools + s.added
	s.mu.Unlock()
	all := slices.Clip(s.tools)
	for i := range more {
		t := all[0]
		t.name = toolName(i + 1)
		t.title = fmt.Sprintf("Tool %d", i+1)
		all = append(all, t)
	}
	return all
}

func toolName(n int) string { return fmt.Sprintf("tool_%03d", n) }

func (c *call) listTools() {
	var items []string
	for _, t := range c.s.srv.allTools() {
		items = append(items, t.definition())
	}
	c.list("tools", items)
}

func (c *call) callTool() {
	name, args := c.params.text("name"), c.params.optObject("arguments")
	if c.refuseInvalid() || !c.validateTask(name) || c.refuseInvalid() {
		return
	}
	t, ok := c.s.srv.find(name)
	if !ok {
		c.error(codeInvalidParams, "Unknown tool: "+name, "")
		return
	}
	// Invalid arguments are an error of the tool, not of the request.
	args.err = new(string)
	t.run(c, args)
}

// content responds with content blocks, separated by commas.
func (c *call) content(blocks string) { c.result(`"content":[` + blocks + `]`) }

func (c *call) text(s string) { c.content(textBlock(s)) }

// toolError responds with an error of the tool.
func (c *call) toolError(s string) {
	c.result(`"content":[` + textBlock(s) + `],"isError":true`)
}

// badArguments responds with an error if the arguments are invalid.
func (c *call) badArguments(args *fields) bool {
	if *args.err != "" {
		c.toolError("Bad arguments: " + *args.err)
	}
	return *args.err != ""
}

func (c *call) echo(args *fields) {
	message := args.text("message")
	if !c.badArguments(args) {
		c.text(message)
	}
}

func (c *call) add(args *fields) {
	sum := args.number("a") + args.number("b")
	if c.badArguments(args) {
		return
	}
	b, err := wire.AppendFloat(nil, sum)
	if err != nil {
		c.toolError("The sum is too large.")
		return
	}
	c.result(`"content":[` + textBlock(string(b)) + `],"structuredContent":{"sum":` + string(b) + "}")
}

func (c *call) slow(args *fields) {
	seconds, steps := args.optNumber("seconds", 1), int(args.optNumber("steps", 10))
	if seconds < 0 || seconds > 3600 || steps < 1 || steps > 10_000 {
		args.fail("", "want 0 to 3600 seconds and 1 to 10000 steps")
	}
	if c.badArguments(args) {
		return
	}
	c.later = func() {
		step := time.Duration(seconds / float64(steps) * float64(time.Second))
		for i := range steps {
			if !c.wait(step) {
				return
			}
			c.progress(float64(i+1), float64(steps), fmt.Sprintf("step %d of %d", i+1, steps))
		}
		c.text(fmt.Sprintf("Done after %v seconds.", seconds))
	}
}

func (c *call) failing(args *fields) {
	message := "This tool always fails."
	if args.has("message") {
		message = args.optText("message")
	}
	if !c.badArguments(args) {
		c.toolError(message)
	}
}

func (c *call) everything(*fields) {
	c.content(strings.Join([]string{
		`{"type":"text","text":"A text, “quoted” 🙂","annotations":{"audience":["user"],"priority":0.5}}`,
		imageContent,
		`{"type":"audio","data":"` + silence + `","mimeType":"audio/wav"}`,
		`{"type":"resource_link",` + strings.TrimPrefix(resources[1].definition(), "{"),
		`{"type":"resource","resource":` + resources[0].contents() + "}",
		`{"type":"resource","resource":` + resources[1].contents() + "}",
		`{"type":"hologram","format":"unheard-of","data":[1,2.50,{"z":null}]}`,
	}, ","))
}

func (c *call) big(args *fields) {
	n := int(args.optNumber("bytes", 1<<20))
	if n < 0 || n > 1<<30 {
		args.fail("bytes", "want 0 to 1073741824")
	}
	if !c.badArguments(args) {
		c.content(`{"type":"text","text":"` + strings.Repeat("x", n) + `"}`)
	}
}

func (c *call) logAll(*fields) {
	for i, level := range levels {
		c.log(level, "echo", `{"message":"This is what `+level+` looks like.","number":`+itoa(i+1)+"}")
	}
	c.text("Logged.")
}

func textBlock(s string) string { return `{"type":"text","text":` + quote(s) + "}" }

// mirror is a tool whose arguments HTTP repeats in headers (2026-07-28
// server/tools, x-mcp-header).
var mirror = tool{
	name: "mirror", title: "Mirror", description: "Returns its arguments, some of which travel in headers as well.",
	properties: `"text":{"type":"string","x-mcp-header":"Text"},"count":{"type":"integer","x-mcp-header":"Count"},` +
		`"flag":{"type":"boolean","x-mcp-header":"Flag"},"plain":{"type":"string"},` +
		`"where":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Where-Region"},` +
		`"x-mcp-header":{"type":"string"}}},"x-mcp-header":{"type":"string","x-mcp-header":"X!#$%&'*+.^_|~"}`,
	hints: readOnly,
	run: func(c *call, _ *fields) {
		args := string(c.params.raw["arguments"])
		if args == "" {
			args = "{}"
		}
		c.result(`"content":[` + textBlock(args) + `],"structuredContent":` + args)
	},
}
