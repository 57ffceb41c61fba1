package testserver

import (
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Error codes of JSON-RPC and MCP.
const (
	codeParse             = -32700
	codeInvalidRequest    = -32600
	codeMethodNotFound    = -32601
	codeInvalidParams     = -32602
	codeInternal          = -32603
	codeRefused           = -32000 // HTTP, before 2026-07-28
	codeNoSession         = -32001 // likewise
	codeNotFound          = -32002 // resources, before 2026-07-28
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
	codeVersion           = -32022
)

// A message is a request, a notification or a response. Its values are JSON.
type message struct {
	id     []byte // nil for a notification
	method string
	params []byte
	result []byte
	err    []byte
}

func (m *message) isResponse() bool { return m.method == "" }

// key returns the id in a form that distinguishes 1 from "1", however strings are
// escaped.
func (m *message) key() string { return idKey(m.id) }

func idKey(raw []byte) string {
	if kindOf(raw) == wire.String {
		return `"` + textOf(raw)
	}
	return string(raw)
}

// parseMessage reads a message. If it is invalid, parseMessage returns an error
// code and description, and the id if there is one to respond to.
func parseMessage(line []byte) (m message, code int, what string) {
	if err := wire.Valid(line); err != nil {
		return m, codeParse, err.Error()
	}
	if kindOf(line) != wire.Object {
		return m, codeInvalidRequest, "a message is an object, not " + kindOf(line).String()
	}
	f := newFields("message", line)
	m = message{id: f.raw["id"], params: f.raw["params"], result: f.raw["result"], err: f.raw["error"]}
	if m.id != nil && !isID(m.id) {
		m.id = nil
		return m, codeInvalidRequest, "message.id: " + string(f.raw["id"]) + " is neither a string nor an integer"
	}
	if f.text("jsonrpc") != "2.0" {
		f.fail("jsonrpc", `want "2.0"`)
	}
	if m.params != nil {
		f.is("params", wire.Object)
	}
	known := []string{"jsonrpc", "id", "method", "params"}
	if f.has("method") {
		if m.method = f.text("method"); m.method == "" {
			f.fail("method", "empty")
		}
	} else {
		known = []string{"jsonrpc", "id", "result", "error"}
		checkResponse(f)
	}
	for _, key := range f.keys() {
		if !slices.Contains(known, key) {
			f.fail(key, "no member of such a message")
		}
	}
	if *f.err != "" {
		return m, codeInvalidRequest, *f.err
	}
	return m, 0, ""
}

func isID(raw []byte) bool { return kindOf(raw) == wire.String || isInteger(raw) }

func checkResponse(f *fields) {
	switch {
	case f.has("result") && f.has("error"):
		f.fail("", "a result and an error")
	case f.has("error"):
		e := f.object("error")
		e.text("message")
		if e.need("code"); e.has("code") && !isInteger(e.raw["code"]) {
			e.fail("code", "want an integer")
		}
	case f.has("result"):
		f.need("id")
		f.object("result")
	default:
		f.fail("", "neither a method nor a result nor an error")
	}
}

// response returns a response; id is nil if the request could not be read.
func response(id []byte, member, value string) []byte {
	if id == nil {
		id = []byte("null")
	}
	return []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"` + member + `":` + value + "}")
}

// errorResponse returns an error response; data may be empty.
func errorResponse(id []byte, code int, what, data string) []byte {
	if data != "" {
		data = `,"data":` + data
	}
	return response(id, "error", `{"code":`+itoa(code)+`,"message":`+quote(what)+data+"}")
}

// request returns a request; params may be empty.
func request(id, method, params string) []byte {
	if params != "" {
		params = `,"params":` + params
	}
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + params + "}")
}

// notification returns a notification; params may be empty.
func notification(method, params string) []byte {
	if params != "" {
		params = `,"params":` + params
	}
	return []byte(`{"jsonrpc":"2.0","method":` + quote(method) + params + "}")
}
