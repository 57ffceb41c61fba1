package testserver

import (
	"slices"
	"strings"
)

// Reserved members of _meta.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaClientInfo   = metaPrefix + "clientInfo"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServerInfo   = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
)

var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// A refusal describes why a request is not served.
type refusal struct {
	code      int
	what      string
	data      string
	permitted bool // the specification permits the request
}

// validate decides whether a request may be served, and in which era.
func (s *Session) validate(c *call) *refusal {
	for _, look := range []func(*call) *refusal{s.validateEra, s.validateMeta, s.validateMethod, s.validateInput, s.register} {
		if r := look(c); r != nil {
			return r
		}
		if *c.params.err != "" {
			return &refusal{code: codeInvalidParams, what: *c.params.err}
		}
	}
	return nil
}

// validateEra checks the order of messages (2026-07-28 basic/versioning,
// 2025-11-25 basic/lifecycle).
func (s *Session) validateEra(c *call) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	speaksLegacy, speaksModern := s.srv.Speaks(false) != nil, s.srv.Speaks(true) != nil && !s.overHTTP
	isModern := c.meta.has(metaVersion)
	switch {
	case c.method == "initialize":
		return s.validateInitializeLocked(speaksLegacy)
	case s.version != "" && isModern:
		return &refusal{code: codeInvalidRequest, what: "a request of the modern era in a legacy session"}
	case s.version != "":
		if !s.ready && c.method != "ping" {
			return &refusal{code: codeInvalidRequest, what: "sent before notifications/initialized"}
		}
		return nil
	case isModern && speaksModern:
		c.modern = true
		return nil
	case isModern && c.method == "server/discover":
		return &refusal{code: codeMethodNotFound, what: "Method not found", permitted: true}
	case c.method == "ping" && speaksLegacy:
		return nil
	case speaksModern:
		c.modern = true // validateMeta reports what is missing
		return nil
	}
	return &refusal{code: codeInvalidRequest, what: "sent before initialize"}
}

func (s *Session) validateInitializeLocked(speaksLegacy bool) *refusal {
	switch {
	case s.initID != "":
		return &refusal{code: codeInvalidRequest, what: "sent twice"}
	case s.discovered:
		// A client whose limit for the probe is over sends it without having seen the
		// response. The machines of a kit's users may be slow.
		return &refusal{code: codeInvalidRequest, what: "sent after server/discover had succeeded", permitted: s.srv.opts.Custom != nil}
	case !speaksLegacy:
		supported := s.srv.Speaks(true)
		return &refusal{
			code:      codeMethodNotFound,
			what:      "This server speaks " + strings.Join(supported, ", ") + " and has no initialize",
			data:      `{"supported":` + quoteAll(supported) + `}`,
			permitted: true,
		}
	}
	return nil
}

// validateMeta checks _meta (2026-07-28 basic, _meta).
func (s *Session) validateMeta(c *call) *refusal {
	for _, key := range c.meta.keys() {
		if !isMetaKey(key) {
			c.meta.fail(key, "no valid key of _meta")
		}
	}
	if c.meta.has("progressToken") {
		if c.token = c.meta.raw["progressToken"]; !isID(c.token) {
			c.meta.fail("progressToken", "neither a string nor an integer")
		}
	}
	if !c.modern {
		return nil
	}
	version := c.meta.text(metaVersion)
	supported := s.srv.Speaks(true)
	if version != "" && !slices.Contains(supported, version) {
		data := `{"supported":` + quoteAll(s.srv.opts.ProtocolVersions) + `,"requested":` + quote(version) + `}`
		return &refusal{code: codeVersion, what: "Unsupported protocol version", data: data, permitted: true}
	}
	c.caps = c.meta.object(metaCapabilities)
	checkCapabilities(c.caps)
	if c.meta.has(metaClientInfo) {
		checkImplementation(c.meta.object(metaClientInfo))
	}
	c.level = len(levels)
	if c.meta.has(metaLogLevel) {
		c.level = slices.Index(levels, c.meta.oneOf(metaLogLevel, levels...))
	}
	return nil
}

func (s *Session) validateMethod(c *call) *refusal {
	m, ok := methods[c.method]
	what := ""
	switch {
	case strings.HasPrefix(c.method, "notifications/"):
		what = "A notification with an id"
	case (!ok || m.needs == "skills") && s.srv.extends(c.method):
		return nil
	case !ok:
		what = "Method not found"
	case m.era == modernOnly && !c.modern, m.era == legacyOnly && c.modern:
		what = "Method not found in this protocol version"
	case m.needs == "skills" && !s.srv.opts.Skills, m.needs == "tasks" && !s.srv.hasTasks(), m.needs != "" && !s.srv.offers(m.needs):
		what = "Method not found: the server has not declared " + m.needs
	default:
		return nil
	}
	// Early servers have tools that they do not declare, so a client may ask.
	return &refusal{code: codeMethodNotFound, what: what, permitted: ok && c.method == "tools/list" && !c.modern}
}

// register adds the call to the session. A legacy session uses an id once; in the
// modern era it must differ from those in flight.
func (s *Session) register(c *call) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[c.key] != nil || !c.modern && s.isUsedLocked(c.key) {
		return &refusal{code: codeInvalidRequest, what: "the id " + string(c.id) + " is used again"}
	}
	if c.token != nil && s.tokens[idKey(c.token)] {
		return &refusal{code: codeInvalidParams, what: "the progress token " + string(c.token) + " is in use"}
	}
	if !c.modern {
		c.caps, c.level = s.caps, s.level
	}
	if c.method == "initialize" {
		s.initID = c.key
	}
	s.useLocked(c.key)
	s.calls[c.key] = c
	if c.token != nil {
		s.tokens[idKey(c.token)] = true
	}
	return nil
}

func checkCapabilities(f *fields) {
	for _, key := range []string{"experimental", "roots", "sampling", "elicitation", "tasks", "extensions"} {
		o := f.optObject(key)
		for _, sub := range o.keys() {
			if sub == "listChanged" {
				o.optBool(sub)
			} else {
				o.optObject(sub)
			}
		}
	}
}

// checkImplementation checks clientInfo.
func checkImplementation(f *fields) {
	f.text("name")
	f.text("version")
	for _, key := range []string{"title", "description", "websiteUrl"} {
		f.optText(key)
	}
	for i, raw := range f.list("icons") {
		f.sub("icons["+itoa(i)+"]", raw).text("src")
	}
}

// isMetaKey reports whether key is a valid key of _meta: an optional prefix of
// labels separated by dots, ended by a slash, and a name.
func isMetaKey(key string) bool {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	} else {
		for label := range strings.SplitSeq(prefix, ".") {
			if !isWord(label, "-") || '0' <= label[0] && label[0] <= '9' {
				return false
			}
		}
	}
	return name == "" || isWord(name, "-_.")
}

// isWord reports whether s begins and ends with a letter or digit, and has only
// these and the characters of inner between them.
func isWord(s, inner string) bool {
	for i, c := range s {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case i == 0 || i == len(s)-1 || !strings.ContainsRune(inner, c):
			return false
		}
	}
	return s != ""
}
