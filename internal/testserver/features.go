package testserver

import (
	"embed"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// The folder has the definitions and contents of the server's own features as the
// server sends them. In features.json, $icons and $pixel stand for texts that occur
// often.
//
//go:embed features
var featureFiles embed.FS

const (
	textURI     = "echo://text"
	greetingURI = "echo://greeting/"

	// pixel is an image.
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	icons = `"icons":[{"src":"data:image/png;base64,` + pixel + `","mimeType":"image/png","sizes":["1x1"]}]`
)

// own is features.json: lists, contents by URI, and everything, which is content of
// every kind.
var own = sync.OnceValue(func() *fields {
	text, err := featureFiles.ReadFile("features/features.json")
	if err != nil {
		panic(err) // it is part of the program
	}
	full := strings.NewReplacer(`"icons":"$icons"`, icons, "$pixel", pixel).Replace(string(wire.AppendCompact(nil, text)))
	return newFields("features.json", []byte(full))
})

// lists maps methods to the member of their result.
var lists = map[string]string{
	"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates",
	"prompts/list": "prompts", "skills/list": "skills",
}

func (c *call) listFeatures() { c.list(lists[c.method], c.s.srv.definitions(lists[c.method])) }

// definitions returns the elements of a list.
func (s *Server) definitions(member string) (items []string) {
	if s.opts.Custom != nil {
		return s.opts.Custom.List(member)
	}
	switch member {
	case "tools":
		for _, t := range s.allTools() {
			items = append(items, t.definition)
		}
	case "skills":
		items = skillEntries()
	default:
		for _, raw := range own().list(member) {
			items = append(items, string(raw))
		}
	}
	return items
}

func (c *call) readResource() {
	uri := c.params.text("uri")
	if c.refuseInvalid() {
		return
	}
	contents := string(own().object("contents").raw[uri])
	if c.s.srv.opts.Skills && contents == "" {
		contents = skillFile(uri)
	}
	name, greets := strings.CutPrefix(uri, greetingURI)
	switch {
	case uri == "echo://roots":
		c.collectInputs(survey{kinds: []string{"roots"}}, func(answers []string) {
			c.cacheable(`"contents":[` + textContents(uri, "application/json", answers[0]) + "]")
		})
		return
	case greets && name != "":
		if text, err := url.PathUnescape(name); err == nil {
			name = text
		}
		contents = textContents(uri, "text/plain", "Hello, "+name+"!")
	}
	if contents != "" {
		c.cacheable(`"contents":[` + contents + "]")
		return
	}
	code := codeInvalidParams
	if !c.modern {
		code = codeNotFound
	}
	c.error(code, "Resource not found", `{"uri":`+quote(uri)+"}")
}

func textContents(uri, mimeType, text string) string {
	return `{"uri":` + quote(uri) + `,"mimeType":"` + mimeType + `","text":` + quote(text) + "}"
}

func (c *call) getPrompt() {
	name, args := c.params.text("name"), c.params.optObject("arguments")
	args.texts()
	if c.refuseInvalid() {
		return
	}
	switch {
	case name == "hello":
		c.messages("Begins a conversation.", "Hello!", "")
	case name == "introduce":
		c.collectInputs(survey{kinds: []string{"elicitation"}}, func(answers []string) {
			c.messages("Asks the user for a name and begins with it.", "I am "+answers[0], "")
		})
	case name != "review":
		c.error(codeInvalidParams, "Unknown prompt: "+name, "")
	case !args.has("language"):
		c.error(codeInvalidParams, "The prompt "+name+" needs the argument language", "")
	default:
		c.messages("Asks for a review of something written in a language.",
			"Please review this "+args.text("language")+" program.", string(own().object("contents").raw[textURI]))
	}
}

// messages responds with a message of the user and, if resource is not empty, one
// of the assistant.
func (c *call) messages(description, text, resource string) {
	messages := `{"role":"user","content":` + textBlock(text) + "}"
	if resource != "" {
		messages += `,{"role":"assistant","content":{"type":"resource","resource":` + resource + "}}"
	}
	c.result(`"description":"` + description + `","messages":[` + messages + "]")
}

var (
	languages = []string{"c", "c++", "clojure", "go", "java", "javascript", "python", "rust", "typescript", "zig"}
	names     = []string{"Ada", "Alan", "Barbara", "Edsger", "Grace"}
)

// completion completes the argument of the prompt review and of the template.
func (c *call) completion() {
	if c.checkFeature(); c.refuseInvalid() {
		return
	}
	ref, arg := c.params.object("ref"), c.params.object("argument")
	var choices []string
	switch ref.optText("name") + ref.optText("uri") + " " + arg.text("name") {
	case "review language":
		choices = languages
	case greetingURI + "{name} name":
		choices = names
	default:
		c.error(codeInvalidParams, "Nothing to complete there", "")
		return
	}
	value := arg.text("value")
	choices = slices.DeleteFunc(slices.Clone(choices), func(s string) bool { return !strings.HasPrefix(s, value) })
	c.result(`"completion":{"values":` + quoteAll(choices) + `,"total":` + itoa(len(choices)) + `,"hasMore":false}`)
}
