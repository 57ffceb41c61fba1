package testserver

import (
	"bytes"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A message is what HTTP must know of one; the engine looks at the rest.
type webMessage struct {
	id      []byte // as it is written, or nil
	method  string
	params  map[string][]byte
	meta    map[string][]byte
	batch   bool
	request bool // it wants an answer; in a batch at least one does
	answers bool // it is an answer, or a batch of nothing else
	mixed   bool // a batch of answers and others
}

func parse(body []byte) (m webMessage) {
	if body = bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		return parseBatch(body)
	}
	all := object(body)
	m.id, m.method = all["id"], text(all["method"])
	if kind := firstBytesKind(m.id); kind != wire.String && kind != wire.Number {
		m.id = nil
	}
	m.params = object(all["params"])
	m.meta = object(m.params["_meta"])
	m.answers = all["method"] == nil && (all["result"] != nil || all["error"] != nil)
	m.request = !m.answers && all["id"] != nil
	return m
}

func parseBatch(body []byte) webMessage {
	m := webMessage{batch: true}
	answers, others := false, false
	r := wire.NewReader(body)
	for r.Array(); r.More(); {
		item := parse(r.Raw())
		m.request = m.request || item.request
		answers = answers || item.answers
		others = others || !item.answers
	}
	m.answers, m.mixed = answers && !others, answers && others
	return m
}

// object returns the members of an object, or nil.
func object(raw []byte) map[string][]byte {
	if firstBytesKind(raw) != wire.Object {
		return nil
	}
	members := map[string][]byte{}
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		key := string(r.Key())
		members[key] = r.Raw()
	}
	if r.End() != nil {
		return nil
	}
	return members
}

// text returns a string, or "".
func text(raw []byte) string {
	if firstBytesKind(raw) != wire.String {
		return ""
	}
	r := wire.NewReader(raw)
	return string(r.Bytes())
}

func firstBytesKind(raw []byte) wire.Kind {
	r := wire.NewReader(raw)
	return r.Kind()
}

// tells reports whether a message of the engine is a notification or request.
// What a fault has made of an answer need not be JSON, so this only looks at
// how it begins.
func tells(msg []byte) bool {
	head := msg[:min(len(msg), 200)]
	i := bytes.Index(head, []byte(`"method":`))
	return i >= 0 && head[0] == '{' && !bytes.Contains(head[:i], []byte(`"result"`)) && !bytes.Contains(head[:i], []byte(`"error"`))
}

// errorCode returns the code of an answer that is an error, or 0.
func errorCode(msg []byte) int {
	if tells(msg) || !bytes.Contains(msg[:min(len(msg), 200)], []byte(`"error":{`)) {
		return 0
	}
	raw := object(object(msg)["error"])["code"]
	r := wire.NewReader(raw)
	if code := r.Int(); r.End() == nil {
		return int(code)
	}
	return 0
}
