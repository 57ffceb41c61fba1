package mcp

import (
	"encoding/base64"

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

// decodeBase64 decodes the standard or the URL-safe alphabet, with or without
// padding and white space: servers send all of these.
func decodeBase64(s string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err == nil {
		return b, nil
	}
	text := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; c {
		case '-':
			text = append(text, '+')
		case '_':
			text = append(text, '/')
		case ' ', '\t', '\r', '\n':
		default:
			text = append(text, c)
		}
	}
	for n := 0; n < 2 && len(text) > 0 && text[len(text)-1] == '='; n++ {
		text = text[:len(text)-1]
	}
	n, again := base64.RawStdEncoding.Decode(text, text)
	if again != nil {
		return nil, err
	}
	return text[:n], nil
}
