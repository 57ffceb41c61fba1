package mcp

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Value decodes JSON into map[string]any, []any, string, float64, bool or nil,
// as encoding/json does. It returns an error if raw is invalid.
func Value(raw RawMessage) (any, error) {
	r := wire.NewReader(raw)
	v := readValue(&r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

func readValue(r *wire.Reader) any {
	switch r.Kind() {
	case wire.Object:
		m := make(map[string]any)
		for r.Object(); r.More(); {
			key := string(r.Key())
			m[key] = readValue(r)
		}
		return m
	case wire.Array:
		list := []any{}
		for r.Array(); r.More(); {
			list = append(list, readValue(r))
		}
		return list
	case wire.String:
		return r.String()
	case wire.Number:
		return r.Float()
	case wire.Bool:
		return r.Bool()
	}
	r.Skip() // null
	return nil
}
