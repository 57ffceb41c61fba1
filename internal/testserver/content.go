package testserver

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// An image of one pixel, and audio of 0 samples.
const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

	icons        = `"icons":[{"src":"data:image/png;base64,` + pixel + `","mimeType":"image/png","sizes":["1x1"]}]`
	imageContent = `{"type":"image","data":"` + pixel + `","mimeType":"image/png","annotations":{"audience":["user"]}}`

	textURI     = "echo://text"
	greetingURI = "echo://greeting/"
)

type resource struct {
	uri, name, title, description, mimeType string
	text                                    string
	blob                                    []byte // instead of text
	ask                                     string // the kind of input whose response is the text
}

var resources = []resource{
	{uri: textURI, name: "text", title: "A text", description: "A few lines of text.", mimeType: "text/plain",
		text: "Hello from a resource.\nThis is its second line: Grüße, 世界 🙂\n"},
	{uri: "echo://picture", name: "picture", title: "A picture", description: "One pixel.", mimeType: "image/png",
		blob: decode(pixel)},
	{uri: "echo://roots", name: "roots", title: "Your roots", description: "What the client says its roots are.",
		mimeType: "application/json", ask: "roots"},
}

func decode(s string) []byte {
	b, _ := base64.StdEncoding.DecodeString(s)
	return b
}

func (r *resource) definition() string {
	return `{"uri":` + quote(r.uri) + `,"name":` + quote(r.name) + `,"title":` + quote(r.title) +
		`,"description":` + quote(r.description) + `,"mimeType":` + quote(r.mimeType) +
		`,"annotations":{"audience":["user","assistant"],"priority":0.8,"lastModified":"2026-07-28T00:00:00Z"},` +
		`"size":` + itoa(len(r.text)+len(r.blob)) + "," + icons + "}"
}

func (r *resource) contents() string {
	body := `"text":` + quote(r.text)
	if r.blob != nil {
		body = `"blob":"` + base64.StdEncoding.EncodeToString(r.blob) + `"`
	}
	return `{"uri":` + quote(r.uri) + `,"mimeType":` + quote(r.mimeType) + "," + body + "}"
}

func (c *call) listResources() {
	var items []string
	for _, r := range resources {
		items = append(items, r.definition())
	}
	c.list("resources", items)
}

func (c *call) listTemplates() {
	c.list("resourceTemplates", []string{`{"uriTemplate":"` + greetingURI + `{name}","name":"greeting",` +
		`"title":"A greeting","description":"Greets whom you name.","mimeType":"text/plain",` + icons + `}`})
}

func (c *call) readResource() {
	uri := c.params.text("uri")
	if c.refuseInvalid() {
		return
	}
	r, ok := findResource(uri)
	if c.s.srv.opts.Skills && !ok {
		r, ok = findSkillFile(uri)
	}
	if ok && r.ask != "" {
		c.collectInputs(survey{kinds: []string{r.ask}}, func(answers []string) {
			r.text = answers[0]
			c.cacheable(`"contents":[` + r.contents() + "]")
		})
		return
	} else if ok {
		c.cacheable(`"contents":[` + r.contents() + "]")
		return
	}
	code := codeInvalidParams
	if !c.modern {
		code = codeNotFound
	}
	c.error(code, "Resource not found", `{"uri":`+quote(uri)+"}")
}

func findResource(uri string) (resource, bool) {
	if name, ok := strings.CutPrefix(uri, greetingURI); ok && name != "" {
		if text, err := url.PathUnescape(name); err == nil {
			name = text
		}
		return resource{uri: uri, mimeType: "text/plain", text: "Hello, " + name + "!"}, true
	}
	i := slices.IndexFunc(resources, func(r resource) bool { return r.uri == uri })
	if i < 0 {
		return resource{}, false
	}
	return resources[i], true
}

// A prompt has at most one argument.
type prompt struct {
	name, title, description      string
	argument, argumentDescription string
	ask                           string // the kind of input needed
}

var prompts = []prompt{
	{name: "hello", title: "Say hello", description: "Begins a conversation."},
	{name: "review", title: "Review", description: "Asks for a review of something written in a language.",
		argument: "language", argumentDescription: "The language it is written in"},
	{name: "introduce", title: "Introduce yourself", description: "Asks the user for a name and begins with it.",
		ask: "elicitation"},
}

var languages = []string{"c", "c++", "clojure", "go", "java", "javascript", "python", "rust", "typescript", "zig"}

func (p *prompt) definition() string {
	b := `{"name":"` + p.name + `","title":"` + p.title + `","description":"` + p.description + `",`
	if p.argument != "" {
		b += `"arguments":[{"name":"` + p.argument + `","description":"` + p.argumentDescription + `","required":true}],`
	}
	return b + icons + "}"
}

func (c *call) listPrompts() {
	var items []string
	for _, p := range prompts {
		items = append(items, p.definition())
	}
	c.list("prompts", items)
}

func (c *call) getPrompt() {
	name, args := c.params.text("name"), c.params.optObject("arguments")
	args.texts()
	if c.refuseInvalid() {
		return
	}
	i := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == name })
	if i < 0 {
		c.error(codeInvalidParams, "Unknown prompt: "+name, "")
		return
	}
	p := prompts[i]
	if p.argument != "" && !args.has(p.argument) {
		c.error(codeInvalidParams, "The prompt "+name+" needs the argument "+p.argument, "")
		return
	}
	if p.ask != "" {
		c.collectInputs(survey{kinds: []string{p.ask}}, func(answers []string) { c.messages(p, "I am "+answers[0], "") })
	} else if p.argument != "" {
		c.messages(p, "Please review this "+args.text(p.argument)+" program.", resources[0].contents())
	} else {
		c.messages(p, "Hello!", "")
	}
}

// messages responds with a message of the user and, if resource is not empty, one
// of the assistant.
func (c *call) messages(p prompt, text, resource string) {
	messages := `{"role":"user","content":` + textBlock(text) + "}"
	if resource != "" {
		messages += `,{"role":"assistant","content":{"type":"resource","resource":` + resource + "}}"
	}
	c.result(`"description":"` + p.description + `","messages":[` + messages + "]")
}

// completion completes the argument of the prompt and of the template.
func (c *call) completion() {
	ref, arg := c.params.object("ref"), c.params.object("argument")
	kind := ref.oneOf("type", "ref/prompt", "ref/resource")
	name, value := arg.text("name"), arg.text("value")
	c.params.optObject("context").optObject("arguments").texts()
	var choices []string
	known := false
	if kind == "ref/prompt" {
		known = ref.text("name") == "review" && name == "language"
		choices = languages
	} else {
		known = ref.text("uri") == greetingURI+"{name}" && name == "name"
		choices = []string{"Ada", "Alan", "Barbara", "Edsger", "Grace"}
	}
	if c.refuseInvalid() {
		return
	}
	if !known {
		c.error(codeInvalidParams, "Nothing to complete there", "")
		return
	}
	choices = slices.DeleteFunc(slices.Clone(choices), func(s string) bool { return !strings.HasPrefix(s, value) })
	c.result(`"completion":{"values":` + quoteAll(choices) + `,"total":` + itoa(len(choices)) + `,"hasMore":false}`)
}
