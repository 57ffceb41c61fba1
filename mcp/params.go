package mcp

import (
	"errors"
	"sync"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// appendParams appends the params object of a request. era is nil for a
// notification, and token 0 for a call without progress.
func appendParams(b []byte, era era, q *request, token int64) (_ []byte, err error) {
	b = append(b, '{')
	if q.params != nil {
		if b, err = q.params(q, b); err != nil {
			return b, err
		}
	}
	if len(q.inputs.answers) > 0 {
		if era != nil && era.legacy() { // it is another server: this one asks no such questions
			return b, ErrInputRequired
		}
		b = append(wire.AppendComma(b), q.inputs.answers...)
	}
	start := len(b)
	b = append(wire.AppendKey(b, "_meta"), '{')
	empty := len(b)
	if era != nil {
		b = era.appendMeta(b, q.meta)
	}
	if token != 0 {
		b = wire.AppendInt(wire.AppendKey(b, "progressToken"), token)
	}
	if len(q.meta) > 0 {
		if b, err = appendMeta(b, q.meta); err != nil {
			return b, err
		}
	}
	if len(b) == empty {
		b = b[:start]
	} else {
		b = append(b, '}')
	}
	return append(b, '}'), nil
}

func appendMeta(b []byte, meta map[string]any) (_ []byte, err error) {
	for _, key := range wire.SortedKeys(meta) {
		switch key {
		case "progressToken", metaVersion, metaClientInfo, metaCapabilities:
			return b, errors.New("the client itself sets the key " + wire.Quote(key) + " of Meta")
		}
		if b, err = wire.AppendValue(wire.AppendKey(b, key), meta[key]); err != nil {
			return b, diag.Op("Meta "+wire.Quote(key), err)
		}
	}
	return b, nil
}

// setParams sets the params of a raw call. It separates _meta from the other
// members, as the client adds to it.
func (q *request) setParams(params any) error {
	b, err := appendObjectOf(nil, params)
	if err != nil {
		return diag.Op("params", err)
	}
	var members []byte
	r := wire.NewReader(b)
	for r.Object(); r.More(); {
		key := string(r.Key())
		if key != "_meta" {
			value := r.Raw()
			members = append(wire.AppendKey(members, key), value...)
			if key == namedBy(q.method) {
				text := wire.NewReader(value)
				q.name = text.String() // which transports state in a header
			}
			continue
		}
		q.meta = make(map[string]any)
		for r.Object(); r.More(); {
			key := string(r.Key())
			q.meta[key] = RawMessage(r.Raw())
		}
	}
	if err := r.End(); err != nil {
		return diag.Op("params", err)
	}
	q.params = func(_ *request, b []byte) ([]byte, error) { return append(b, members...), nil }
	if raw, ok := params.(RawMessage); ok && len(raw) > 0 {
		q.traits |= keepsEmpty
	}
	return nil
}

func namedBy(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	}
	return "-"
}

func (q *request) appendNamed(b []byte) ([]byte, error) {
	b = wire.AppendString(wire.AppendKey(b, "name"), q.name)
	b, err := appendObjectOf(wire.AppendKey(b, "arguments"), q.args)
	if err != nil {
		return b, diag.Op("arguments", err)
	}
	return b, nil
}

// appendObjectOf appends v, which a program gave as an object: {} for nil and
// for an empty or null JSON text.
func appendObjectOf(b []byte, v any) (_ []byte, err error) {
	start := len(b)
	switch v := v.(type) {
	case nil:
	case string:
		return b, errTextGiven
	case []byte:
		if len(v) > 0 {
			b, err = wire.AppendRaw(b, v)
		}
	case RawMessage:
		if len(v) > 0 {
			b, err = wire.AppendRaw(b, v)
		}
	default:
		b, err = wire.AppendValue(b, v)
	}
	switch {
	case err != nil:
		return b, err
	case len(b) == start, string(b[start:]) == "null":
		return append(b[:start], "{}"...), nil
	case b[start] != '{':
		return b, errNoObject
	}
	return b, nil
}

func (q *request) appendURI(b []byte) ([]byte, error) {
	return wire.AppendString(wire.AppendKey(b, "uri"), q.name), nil
}

// maxBuffer is the size of the largest buffer for params that is kept for reuse.
const maxBuffer = 2 << 20

// paramBuffers holds buffers for params.
var paramBuffers = sync.Pool{New: func() any { return new([]byte) }}

func putBuffer(b *[]byte) {
	if cap(*b) <= maxBuffer {
		paramBuffers.Put(b)
	}
}

var (
	errNoObject  = errors.New("not a JSON object")
	errTextGiven = errors.New("a string is not a JSON object; for JSON text use json.RawMessage(s)")
)
