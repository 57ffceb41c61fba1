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

// admitModern validates a message of the modern era (2026-07-28
// basic/transports/streamable-http).
func (x *exchange) admitModern() bool {
	for _, name := range []string{headerSession, headerLast} {
		if x.r.Header.Get(name) != "" {
			x.h.violation("%s in the modern era", name)
		}
	}
	switch m := x.msg; {
	case m.response:
		x.h.violation("a response in the modern era")
		x.refuse(http.StatusBadRequest, codeInvalidRequest, "A response, which clients do not send in this protocol version")
		return false
	case !m.request && m.method != "":
		x.h.violation("%s in the modern era, which has no client notifications over HTTP", m.method)
		x.w.WriteHeader(http.StatusAccepted)
		return false
	case !m.request || m.batch:
		return true // the session refuses it
	}
	x.malformed = x.msg.meta.optText(metaVersion) == "" || !x.msg.meta.is(metaCapabilities, wire.Object)
	what := x.mismatch()
	if what == "" {
		return true
	}
	if x.msg.method == "initialize" && !x.msg.meta.has(metaVersion) {
		what += "; this server speaks " + strings.Join(x.h.srv.Speaks(true), ", ") // a legacy client may send this
	} else {
		x.h.violation("%s: %s", x.msg.method, what)
	}
	x.refuse(http.StatusBadRequest, codeHeaderMismatch, "Header mismatch: "+what)
	return false
}

// mismatch describes the first difference between the headers and the body.
func (x *exchange) mismatch() string {
	version := x.msg.meta.optText(metaVersion)
	if what := x.differs(headerVersion, version, false); what != "" {
		return what
	}
	if !slices.Contains(x.h.srv.Speaks(true), version) {
		return "" // the session refuses other versions
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
	if x.msg.params.has(key) {
		if what := x.differs(headerName, x.msg.params.optText(key), true); what != "" {
			return what
		}
	}
	if x.msg.method == "tools/call" {
		return x.mismatchInParams()
	}
	return ""
}

// differs compares a header with the value that it must have. An encoded header
// may be in Base64.
func (x *exchange) differs(name, want string, encoded bool) string {
	values := x.r.Header.Values(name)
	if len(values) != 1 {
		return name + " is sent " + strconv.Itoa(len(values)) + " times"
	}
	have := values[0]
	if encoded {
		var ok bool
		if have, ok = decodeHeader(have); !ok {
			return name + ": " + strconv.Quote(values[0]) + " is not encoded as required"
		}
	}
	if have != want {
		return name + ": " + strconv.Quote(have) + " does not match " + strconv.Quote(want) + " in the body"
	}
	return ""
}

// decodeHeader undoes the encoding of a header value.
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

// A headerParameter is an argument of a tool that a header repeats.
type headerParameter struct {
	header string
	path   []string
}

// headerParameters finds them in the schema of a tool.
func headerParameters(schema *fields, path []string) (list []headerParameter) {
	properties := schema.optObject("properties")
	for _, key := range properties.keys() {
		path, property := append(slices.Clip(path), key), properties.optObject(key)
		if name := property.optText("x-mcp-header"); name != "" {
			list = append(list, headerParameter{headerParam + name, path})
		}
		list = append(list, headerParameters(property, path)...)
	}
	return list
}

// mismatchInParams compares the arguments of a tool with their headers.
func (x *exchange) mismatchInParams() string {
	schema := newFields("schema", x.h.srv.Schema(x.msg.params.optText("name")))
	for _, p := range headerParameters(schema, nil) {
		last := len(p.path) - 1
		object := x.msg.params.optObject("arguments")
		for _, key := range p.path[:last] {
			object = object.optObject(key)
		}
		value := object.raw[p.path[last]]
		what, want := "", string(value)
		switch kindOf(value) {
		case wire.Invalid, wire.Null:
			if x.r.Header.Values(p.header) != nil {
				what = p.header + " without a value in the body"
			}
		case wire.Number:
			what = x.differsInNumber(p.header, want)
		case wire.String:
			what = x.differs(p.header, textOf(value), true)
		default:
			what = x.differs(p.header, want, true)
		}
		if what != "" {
			return what
		}
	}
	return ""
}

// differsInNumber compares numerically. It still reports a client that writes an
// integer in another form than plain decimal.
func (x *exchange) differsInNumber(name, want string) string {
	values := x.r.Header.Values(name)
	if len(values) != 1 {
		return name + " is sent " + strconv.Itoa(len(values)) + " times"
	}
	if _, err := strconv.ParseInt(values[0], 10, 64); err != nil || strings.HasPrefix(values[0], "+") {
		x.h.violation("%s: %q is not a decimal integer", name, values[0])
	}
	have, err := strconv.ParseFloat(values[0], 64)
	if number, err2 := strconv.ParseFloat(want, 64); err != nil || err2 != nil || have != number {
		return name + ": " + strconv.Quote(values[0]) + " does not match " + want + " in the body"
	}
	return ""
}
