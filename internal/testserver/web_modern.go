package testserver

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// admitModern judges a message of the modern era (2026-07-28
// basic/transports/streamable-http).
func (x *exchange) admitModern() bool {
	for _, name := range []string{headerSession, headerLast} {
		if x.r.Header.Get(name) != "" {
			x.h.violation("%s in the modern era", name)
		}
	}
	switch m := x.msg; {
	case m.answers:
		x.h.violation("an answer in the modern era")
		x.refuse(http.StatusBadRequest, codeInvalidRequest, "An answer, which clients do not send in this revision")
		return false
	case !m.request && m.method != "":
		x.h.violation("%s in the modern era, which has no notifications of clients on HTTP", m.method)
		x.w.WriteHeader(http.StatusAccepted)
		return false
	case !m.request || m.batch:
		return true // the engine says what is wrong
	}
	x.malformed = text(x.msg.meta[metaVersion]) == "" || firstBytesKind(x.msg.meta[metaCapabilities]) != wire.Object
	what := x.mismatch()
	if what == "" {
		return true
	}
	if x.msg.method == "initialize" && x.msg.meta[metaVersion] == nil {
		what += "; this server speaks " + strings.Join(x.h.srv.Speaks(true), ", ") // no fault of a legacy client
	} else {
		x.h.violation("%s: %s", x.msg.method, what)
	}
	x.refuse(http.StatusBadRequest, codeHeaderMismatch, "Header mismatch: "+what)
	return false
}

// mismatch says in what the headers differ from the body.
func (x *exchange) mismatch() string {
	version := text(x.msg.meta[metaVersion])
	if what := x.differs(headerVersion, version, false); what != "" {
		return what
	}
	if !slices.Contains(x.h.srv.Speaks(true), version) {
		return "" // what other revisions want is not known; the engine refuses it
	}
	if what := x.differs(headerMethod, x.msg.method, false); what != "" {
		return what
	}
	key := ""
	switch x.msg.method {
	case "tools/call", "prompts/get":
		key = "name"
	case "resources/read":
		key = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		key = "taskId"
	}
	if raw := x.msg.params[key]; raw != nil {
		if what := x.differs(headerName, text(raw), true); what != "" {
			return what
		}
	}
	if x.msg.method == "tools/call" {
		return x.mismatchInParams()
	}
	return ""
}

// differs compares a header with what it must say.
func (x *exchange) differs(name, want string, encoded bool) string {
	values := x.r.Header.Values(name)
	if len(values) != 1 {
		return name + " is there " + strconv.Itoa(len(values)) + " times"
	}
	have := values[0]
	if encoded {
		var ok bool
		if have, ok = decodeHeader(have); !ok {
			return name + ": " + strconv.Quote(values[0]) + " is not encoded as it must be"
		}
	}
	if have != want {
		return name + ": " + strconv.Quote(have) + " does not match " + strconv.Quote(want) + " in the body"
	}
	return ""
}

// decode undoes the encoding of a value in a header.
func decodeHeader(value string) (string, bool) {
	for _, c := range []byte(value) {
		if c != '\t' && (c < ' ' || c > '~') {
			return "", false
		}
	}
	const prefix, suffix = "=?base64?", "?="
	if !strings.HasPrefix(value, prefix) || !strings.HasSuffix(value[len(prefix):], suffix) {
		return value, true
	}
	b, err := base64.StdEncoding.Strict().DecodeString(value[len(prefix) : len(value)-len(suffix)])
	return string(b), err == nil && utf8.Valid(b)
}

// A mirrored parameter is one that a header repeats.
type mirrored struct {
	header string
	path   []string
}

// mirrors finds the mirrored parameters in the schema of a tool.
func mirrors(schema []byte, path []string) (list []mirrored) {
	properties := object(object(schema)["properties"])
	for _, key := range wire.SortedKeys(properties) {
		path := append(slices.Clip(path), key)
		if name := text(object(properties[key])["x-mcp-header"]); name != "" {
			list = append(list, mirrored{headerParam + name, path})
		}
		list = append(list, mirrors(properties[key], path)...)
	}
	return list
}

// mismatchInParams compares arguments of a tool with their headers.
func (x *exchange) mismatchInParams() string {
	for _, m := range mirrors(x.h.srv.Schema(text(x.msg.params["name"])), nil) {
		value := x.msg.params["arguments"]
		for _, key := range m.path {
			value = object(value)[key]
		}
		want := string(value)
		switch firstBytesKind(value) {
		case wire.Invalid, wire.Null:
			if len(x.r.Header.Values(m.header)) > 0 {
				return m.header + " without a value in the body"
			}
			continue
		case wire.String:
			want = text(value)
		case wire.Number:
			if what := x.differsInNumber(m.header, want); what != "" {
				return what
			}
			continue
		}
		if what := x.differs(m.header, want, true); what != "" {
			return what
		}
	}
	return ""
}

// differsInNumber compares numerically, though a client must write integers in
// the plain form.
func (x *exchange) differsInNumber(name, want string) string {
	values := x.r.Header.Values(name)
	if len(values) != 1 {
		return name + " is there " + strconv.Itoa(len(values)) + " times"
	}
	if _, err := strconv.ParseInt(values[0], 10, 64); err != nil || strings.HasPrefix(values[0], "+") {
		x.h.violation("%s: %q is no decimal integer", name, values[0])
	}
	have, err := strconv.ParseFloat(values[0], 64)
	if number, err2 := strconv.ParseFloat(want, 64); err != nil || err2 != nil || have != number {
		return name + ": " + strconv.Quote(values[0]) + " does not match " + want + " in the body"
	}
	return ""
}
