package servercheck

import (
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Monitor examines the messages as the server wrote them. The client of this module
// accepts harmless deviations that other clients refuse.
type Monitor struct {
	report  func(Finding)
	onlyIDs bool

	mu       sync.Mutex
	sent     map[string]string // methods of the requests without a response, by id
	notified int               // notifications sent, less the responses without an id
	said     map[string]bool   // kinds of the reported findings; each is reported once
}

// NewMonitor returns a Monitor that calls report with each finding, one at a time. With
// onlyIDs, it examines the ids of responses only.
func NewMonitor(onlyIDs bool, report func(Finding)) *Monitor {
	return &Monitor{report: report, onlyIDs: onlyIDs, sent: make(map[string]string), said: make(map[string]bool)}
}

// wrong reports a finding unless there is one of the same kind.
func (m *Monitor) wrong(kind, where, what string) {
	isID := kind == kindID || kind == kindNoID
	if !m.said[kind] && len(m.said) < maxFound && (isID || !m.onlyIDs) {
		m.said[kind] = true
		m.report(Finding{Where: where, What: what})
	}
}

// The kinds of findings about ids.
const kindID, kindNoID = "id", "no id"

// A parsed message has the members as they are written; nil if they are absent.
type parsed struct{ version, id, method, params, result, err []byte }

// Message examines a message that the client has sent or received.
func (m *Monitor) Message(sent bool, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data = wire.Trim(data)
	if len(data) > 0 && data[0] == '[' {
		r := wire.NewReader(data)
		for r.Array(); r.More(); {
			if raw := r.Raw(); raw != nil && !sent {
				m.received(raw)
			}
		}
		return
	}
	if !sent {
		m.received(data)
		return
	}
	var p parsed
	m.parse(data, &p, sent)
	switch {
	case p.method == nil:
	case p.id == nil:
		m.notified++
	case len(m.sent) < maxFound:
		m.sent[string(p.id)] = wire.TextOf(p.method)
	}
}

// parse reads the members of a message, and reports false if it is not a JSON object.
func (m *Monitor) parse(data []byte, p *parsed, sent bool) bool {
	r := wire.NewReader(data)
	if r.Kind() != wire.Object {
		return false
	}
	r.Mend()
	for r.Object(); r.More(); {
		key := string(r.Key())
		value := r.Raw()
		switch {
		case r.Err() != nil:
		case key == "jsonrpc":
			p.version = value
		case key == "id":
			p.id = value
		case key == "method":
			p.method = value
		case key == "params":
			p.params = value
		case key == "result":
			p.result = value
		case key == "error":
			p.err = value
		case !sent:
			key = key[:min(len(key), 100)]
			m.wrong("member "+key, "message", "it has the member "+wire.Quote(key)+", which JSON-RPC does not have: strict clients refuse it")
		}
	}
	return r.End() == nil
}

// received examines a message of the server. The client itself reports one that no
// client can use.
func (m *Monitor) received(data []byte) {
	var p parsed
	if !m.parse(data, &p, false) || wire.TextOf(p.version) != "2.0" {
		return
	}
	if p.method != nil {
		if string(p.params) == "null" {
			m.wrong("params", wire.TextOf(p.method), "its params are null, and must be an object or absent")
		}
		if method := wire.TextOf(p.method); p.id != nil && (method == "sampling/createMessage" || method == "elicitation/create") {
			m.wrong(method, method, "the server asks for what the client has not declared")
		}
		return
	}
	method := m.answered(p.id)
	switch {
	case m.onlyIDs:
		return
	case p.result == nil && p.err == nil:
		return
	case p.result != nil && p.err != nil:
		m.wrong("both", method, "the response has both a result and an error: one of them must be absent, not null")
	}
	if string(p.result) == "null" && string(p.err) == "null" {
		return
	}
	if p.err != nil && string(p.err) != "null" {
		m.error(method, p.err)
	}
	if p.result != nil {
		m.nulls(method, "", p.result)
	}
}

// answered returns the method of the request that a response belongs to, and examines
// its id.
func (m *Monitor) answered(id []byte) string {
	if method, ok := m.sent[string(id)]; ok {
		delete(m.sent, string(id))
		return method
	}
	r := wire.NewReader(id)
	number := wire.AppendInt(nil, r.Int())
	what := "the number is written in another way than in the request"
	if s := wire.TextOf(id); s != "" {
		number, what = []byte(s), "it is a string, and the request has a number"
	}
	if method, ok := m.sent[string(number)]; ok {
		delete(m.sent, string(number))
		m.wrong(kindID, method, "the id of the response is not that of the request: "+what+", so that most clients wait forever")
		return method
	}
	if (id == nil || string(id) == "null") && !m.provoked() {
		m.wrong(kindNoID, "message", "a response without the id of a request: most clients cannot tell which request it belongs to")
	}
	return "message"
}

// provoked reports whether a response without an id may be that to a probe for the modern
// era, which a legacy server does not know, or, if the ids alone are examined, to a
// notification.
func (m *Monitor) provoked() bool {
	for id, method := range m.sent {
		if method == "server/discover" {
			delete(m.sent, id)
			return true
		}
	}
	m.notified--
	return m.onlyIDs && m.notified >= 0
}

// error examines the error of a response.
func (m *Monitor) error(method string, raw []byte) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		m.wrong("error", method, "the error is not an object with a code and a message")
		return
	}
	if code := wire.NewReader(wire.Lookup(raw, "code")); code.Kind() != wire.Number {
		m.wrong("code", method, "the error has no number as its code")
	}
	if message := wire.NewReader(wire.Lookup(raw, "message")); message.Kind() != wire.String {
		m.wrong("text", method, "the error has no string as its message")
	}
}

// members are the optional members of results in which clients look. A server may have
// others, which may be null.
const members = " name title version description websiteUrl icons src mimeType sizes theme annotations audience priority lastModified " +
	"readOnlyHint destructiveHint idempotentHint openWorldHint tools resources resourceTemplates prompts contents content messages " +
	"nextCursor ttlMs cacheScope resultType uri uriTemplate size text blob type role resource required arguments inputSchema outputSchema " +
	"structuredContent isError execution taskSupport capabilities listChanged subscribe instructions protocolVersion serverInfo supportedVersions "

// opaque are members whose values belong to the server.
const opaque = " inputSchema outputSchema structuredContent "

// nulls finds members of a result that are null. They must be absent: no member of the
// protocol may be null, and strict clients refuse the whole result.
func (m *Monitor) nulls(method, path string, raw []byte) {
	r := wire.NewReader(raw)
	switch r.Kind() {
	case wire.Null:
		if path == "" {
			path = "result"
		}
		m.wrong("null "+method+" "+path, method, path+" is null, and must be absent: strict clients refuse the result")
	case wire.Object:
		for r.Object(); r.More(); {
			key := string(r.Key())
			value, word := r.Raw(), " "+key+" "
			if value != nil && strings.Contains(members, word) && (string(value) == "null" || !strings.Contains(opaque, word)) {
				m.nulls(method, joined(path, key), value)
			}
		}
	case wire.Array:
		for r.Array(); r.More(); {
			if value := r.Raw(); value != nil {
				m.nulls(method, path+"[]", value)
			}
		}
	}
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
