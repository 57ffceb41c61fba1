package testserver

import (
	"slices"
	"strings"
)

// An era selects the protocol versions that have a method.
type era int

const (
	both era = iota
	legacyOnly
	modernOnly
)

type method struct {
	era   era
	needs string // the capability that offers it
	run   func(*call)
}

var methods = map[string]method{
	"initialize":               {legacyOnly, "", (*call).initialize},
	"ping":                     {legacyOnly, "", func(c *call) { c.result("") }},
	"logging/setLevel":         {legacyOnly, "logging", (*call).setLevel},
	"resources/subscribe":      {legacyOnly, "subscribe", (*call).subscribe},
	"resources/unsubscribe":    {legacyOnly, "subscribe", (*call).subscribe},
	"server/discover":          {modernOnly, "", (*call).discover},
	"subscriptions/listen":     {modernOnly, "", (*call).listen},
	"tools/list":               {both, "tools", (*call).listFeatures},
	"tools/call":               {both, "tools", (*call).callTool},
	"resources/list":           {both, "resources", (*call).listFeatures},
	"resources/templates/list": {both, "resources", (*call).listFeatures},
	"resources/read":           {both, "resources", (*call).readResource},
	"prompts/list":             {both, "prompts", (*call).listFeatures},
	"prompts/get":              {both, "prompts", (*call).getPrompt},
	"completion/complete":      {both, "completions", (*call).completion},
	"skills/list":              {both, "skills", (*call).listFeatures},
	"skills/get":               {both, "skills", (*call).getSkill},
	"tasks/get":                {both, "tasks", (*call).getTask},
	"tasks/result":             {legacyOnly, "tasks", (*call).resultOfTask},
	"tasks/list":               {legacyOnly, "tasks", (*call).listTasks},
	"tasks/cancel":             {both, "tasks", (*call).cancelTask},
	"tasks/update":             {modernOnly, "tasks", (*call).updateTask},
}

// instructions returns the member of that name.
func (s *Server) instructions() string {
	text := instructions
	if s.opts.Custom != nil {
		text = s.opts.Instructions
	}
	if text == "" {
		return ""
	}
	return `,"instructions":` + quote(text)
}

const instructions = "Everything here exists to be tried: call echo first, then everything."

func (c *call) initialize() {
	wanted := c.params.text("protocolVersion")
	caps := c.params.object("capabilities")
	checkCapabilities(caps)
	checkImplementation(c.params.object("clientInfo"))
	if *c.params.err == "" && !slices.Contains(legacy, wanted) && wanted >= Modern {
		c.params.fail("protocolVersion", "a protocol version without initialize")
	}
	if c.refuseInvalid() {
		return
	}
	versions := c.s.srv.Speaks(false)
	if !slices.Contains(versions, wanted) {
		wanted = versions[0]
	}
	c.s.mu.Lock()
	c.s.version, c.s.caps = wanted, caps
	c.s.level = slices.Index(levels, "info")
	c.s.mu.Unlock()
	c.result(`"protocolVersion":` + quote(wanted) +
		`,"capabilities":` + c.s.srv.capabilities(false) +
		`,"serverInfo":` + c.s.srv.identity(true) + c.s.srv.instructions())
}

func (c *call) discover() {
	c.s.mu.Lock()
	c.s.discovered = true
	c.s.mu.Unlock()
	c.cacheable(`"supportedVersions":` + quoteAll(c.s.srv.opts.ProtocolVersions) +
		`,"capabilities":` + c.s.srv.capabilities(true) + c.s.srv.instructions())
}

func (c *call) setLevel() {
	level := c.params.oneOf("level", levels...)
	if c.refuseInvalid() {
		return
	}
	c.s.mu.Lock()
	c.s.level = slices.Index(levels, level)
	c.s.mu.Unlock()
	c.result("")
}

// list responds with a page of a list.
func (c *call) list(member string, items []string) {
	srv := c.s.srv
	at, size := 0, srv.opts.PageSize
	if c.params.has("cursor") {
		cursor := c.params.optText("cursor")
		srv.mu.Lock()
		page, ok := srv.cursors[c.method+cursor]
		srv.mu.Unlock()
		if at = page; !ok {
			c.params.fail("cursor", "not one that the server gave")
		}
	}
	if c.refuseInvalid() {
		return
	}
	items = items[min(at, len(items)):]
	next := ""
	if size > 0 && len(items) > size {
		items = items[:size]
		next = `,"nextCursor":` + quote(srv.cursor(c.method, at+size))
	}
	c.cacheable(`"` + member + `":[` + strings.Join(items, ",") + "]" + next)
}

// cursor returns a new cursor that is hard to transport unchanged.
func (s *Server) cursor(method string, at int) string {
	cursor := " «" + itoa(at) + "»\t\"+/%3D="
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursors[method+cursor] = at
	return cursor
}
