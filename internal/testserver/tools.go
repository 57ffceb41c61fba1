package testserver

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tool is one of the server's own.
type tool struct {
	name       string
	definition string // JSON
	run        func(*call, *fields)
}

// toolFunctions are what the tools of features.json do.
var toolFunctions = map[string]func(*call, *fields){
	"echo": (*call).echo, "add": (*call).add, "slow": (*call).slow, "fail": (*call).failing,
	"image": func(c *call, _ *fields) {
		c.content(`{"type":"image","data":"` + pixel + `","mimeType":"image/png","annotations":{"audience":["user"]}}`)
	},
	"everything": func(c *call, _ *fields) { c.content(string(bytes.Join(own().list("everything"), []byte(",")))) },
	"big":        (*call).big, "log": (*call).logAll, "mirror": (*call).mirror, "process": (*call).describe,
	"update": (*call).update, "add_tool": (*call).addTool, "end_listen": (*call).endListen,
	"research": (*call).research, "look_up": (*call).research,
	"ask_roots":       asks(survey{kinds: []string{"roots"}}),
	"ask_sampling":    asks(survey{kinds: []string{"sampling"}}),
	"ask_elicitation": asks(survey{kinds: []string{"elicitation"}}),
	"ask_everything":  asks(survey{kinds: []string{"elicitation", "roots", "sampling"}}),
	"ask_in_turn":     asks(survey{kinds: []string{"elicitation", "roots"}, inTurn: true}),
	"ask_stateless":   asks(survey{kinds: []string{"roots"}, stateless: true}),
}

// ownTools returns the tools of features.json, of all servers.
var ownTools = sync.OnceValue(func() (tools []tool) {
	for _, definition := range own().list("tools") {
		name := newFields("tool", definition).text("name")
		tools = append(tools, tool{name, string(definition), toolFunctions[name]})
	}
	return tools
})

// offerTool reports whether a server with these options has one of its own tools.
func (o *Options) offerTool(name string) bool {
	switch name {
	case "mirror":
		return o.HeaderTool
	case "research", "look_up":
		return o.Tasks
	case "process":
		return o.Child
	}
	return true
}

// Schema returns the schema of the arguments of a tool, or nil if there is no such
// tool.
func (s *Server) Schema(name string) []byte {
	if s.opts.Custom != nil {
		return s.opts.Custom.Schema(name)
	}
	t, _ := s.find(name)
	return newFields("tool", []byte(t.definition)).raw["inputSchema"]
}

func (s *Server) find(name string) (t tool, ok bool) {
	list := s.tools
	if strings.HasPrefix(name, "tool_") {
		list = s.allTools()
	}
	if i := slices.IndexFunc(list, func(t tool) bool { return t.name == name }); i >= 0 {
		return list[i], true
	}
	return t, false
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
		t.definition = strings.NewReplacer(`"echo"`, quote(t.name), `"Echo"`, fmt.Sprintf(`"Tool %d"`, i+1)).Replace(t.definition)
		all = append(all, t)
	}
	return all
}

func toolName(n int) string { return fmt.Sprintf("tool_%03d", n) }

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
func (c *call) mirror(*fields) {
	args := string(c.params.raw["arguments"])
	if args == "" {
		args = "{}"
	}
	c.result(`"content":[` + textBlock(args) + `],"structuredContent":` + args)
}
