package recording

import (
	"bytes"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// MaskJSON returns JSON text on one line, with [diag.Mask] in place of the strings and
// numbers in members whose names are those of secrets and of the credentials in strings. hide
// returns a string of the text, or JSON in a string, without what else is secret.
func MaskJSON(text []byte, hide func(string) string) ([]byte, error) {
	return (&masker{hide: hide}).mask(text)
}

// reader reads what the client reads, and objects that it does not interpret.
func reader(message []byte) wire.Reader {
	r := wire.NewReader(bytes.TrimPrefix(message, []byte("\ufeff")))
	r.AnyKeys()
	r.Mend()
	return r
}

func isReadable(message []byte) bool {
	r := reader(message)
	r.Skip()
	return r.End() == nil
}

type masker struct {
	hide      func(string) string
	ambiguous func(name string) bool // whether a string with a further name is masked; may be nil
	found     []string               // the values below the names of secrets
}

// A place is where a value is.
type place uint8

const (
	elsewhere   place = iota
	inSchemas         // the keys of an object are names, and its values JSON Schemas
	inAmbiguous       // a string with a name that is sometimes that of a secret
	inSecret          // below the name of a secret
)

func (m *masker) mask(text []byte) ([]byte, error) {
	r := reader(text)
	b := m.append(make([]byte, 0, len(text)), &r, elsewhere)
	return b, r.End()
}

// append appends the next value of r.
func (m *masker) append(b []byte, r *wire.Reader, at place) []byte {
	switch kind := r.Kind(); kind {
	case wire.Object:
		b = append(b, '{')
		for r.Object(); r.More(); {
			key := string(r.Key())
			shown := m.hide(key)
			if at == inSecret && strings.ContainsAny(key, "0123456789") { // it may be a secret by which the server finds something
				shown = m.secret(key)
			}
			b = wire.AppendKey(b, shown)
			b = m.append(b, r, m.below(at, key, r.Kind()))
		}
		return append(b, '}')
	case wire.Array:
		b = append(b, '[')
		if at == inSchemas {
			at = elsewhere
		}
		for r.Array(); r.More(); {
			b = m.append(wire.AppendComma(b), r, at)
		}
		return append(b, ']')
	case wire.String, wire.Number:
		raw := r.Raw()
		text := string(raw)
		if kind == wire.String {
			text = unquoted(raw)
		}
		var masked string
		switch {
		case at == inSecret:
			masked = m.secret(text)
		case at == inAmbiguous:
			masked = diag.Mask
		case kind == wire.Number:
			masked = m.hide(text)
		default:
			masked = m.maskString(text)
		}
		if masked != text {
			return wire.AppendString(b, masked)
		}
		return append(b, raw...) // with the original escapes
	}
	return append(b, r.Raw()...)
}

// secret returns the mask of a value, which it notes.
func (m *masker) secret(value string) string {
	m.found = append(m.found, value)
	return diag.Mask
}

// unquoted returns a string of JSON, nearly always without a second look at it.
func unquoted(raw []byte) string {
	if len(raw) > 1 && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	r := wire.NewReader(raw)
	return r.String()
}

// below returns the place of a member in an object.
func (m *masker) below(at place, key string, kind wire.Kind) place {
	switch {
	case kind == wire.Bool || kind == wire.Null: // which are not masked anywhere
	case at == elsewhere && isPlain(key):
	case at == inSecret, isSecretKey(key, kind) && (at != inSchemas || kind != wire.Object):
		return inSecret
	case kind == wire.String && m.ambiguous != nil && m.ambiguous(key):
		return inAmbiguous
	case key == "properties" || key == "$defs" || key == "definitions":
		return inSchemas
	}
	return elsewhere
}

// isPlain reports whether a name is one of those that most messages have, and not that of a
// secret. It saves a third of the time that a message takes.
func isPlain(key string) bool {
	switch key {
	case "jsonrpc", "id", "method", "params", "result", "name", "arguments", "content", "type", "text", "description", "_meta":
		return true
	}
	return false
}

// maskString masks secrets and HTTP credentials in a string, and in JSON inside it.
func (m *masker) maskString(s string) string {
	s = m.hide(s)
	for _, scheme := range [...]string{"Bearer ", "Basic ", "DPoP "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme + diag.Mask
		}
	}
	if text := wire.Trim(s); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		inside := masker{hide: m.hide}
		if inner, err := inside.mask([]byte(s)); err == nil && strings.Contains(string(inner), diag.Mask) {
			m.found = append(m.found, inside.found...)
			return string(inner)
		}
	}
	return s
}

// isSecretKey reports whether a member of a message with this name is a secret. The
// list is narrower than that of [diag.IsSecretName], as messages have keys such as
// author and keywords. Progress tokens and counts of tokens are not secrets, and numbers
// are only if the name ends in such a word: others are counts and lengths, which a replay
// has as numbers.
func isSecretKey(key string, kind wire.Kind) bool {
	key = strings.Map(func(c rune) rune {
		if strings.ContainsRune("_- ./:", c) {
			return -1
		}
		return c
	}, strings.ToLower(key))
	if key == "auth" || strings.HasSuffix(key, "token") {
		return key != "progresstoken"
	}
	contains := strings.Contains
	if kind == wire.Number {
		contains = strings.HasSuffix
	}
	for _, word := range [...]string{"authorization", "password", "passwd", "passphrase", "secret", "apikey", "accesskey",
		"privatekey", "credential", "cookie", "session", "pwd", "jwt"} {
		if contains(key, word) {
			return true
		}
	}
	return false
}
