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
	return maskJSON(text, hide, func(string) bool { return false })
}

// maskJSON is MaskJSON with a function that reports whether a string with a further name is
// secret.
func maskJSON(text []byte, hide func(string) string, isSecret func(name string) bool) ([]byte, error) {
	r := reader(text)
	m := masker{hide, isSecret}
	b := m.append(make([]byte, 0, len(text)), &r, elsewhere)
	return b, r.End()
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
	hide     func(string) string
	isSecret func(name string) bool
}

// A place is where a value is.
type place uint8

const (
	elsewhere place = iota
	inSchemas       // the keys of an object are names, and its values JSON Schemas
	inSecret        // below the name of a secret
)

// append appends the next value of r.
func (m *masker) append(b []byte, r *wire.Reader, at place) []byte {
	switch kind := r.Kind(); kind {
	case wire.Object:
		b = append(b, '{')
		for r.Object(); r.More(); {
			key := string(r.Key())
			b = wire.AppendKey(b, m.hide(key))
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
		if at == inSecret {
			r.Skip()
			return append(b, `"`+diag.Mask+`"`...)
		}
		raw := r.Raw()
		text, masked := string(raw), ""
		if kind == wire.Number {
			masked = m.hide(text)
		} else {
			inner := wire.NewReader(raw)
			text = inner.String()
			masked = maskString(text, m.hide)
		}
		if masked != text {
			return wire.AppendString(b, masked)
		}
		return append(b, raw...) // with the original escapes
	}
	return append(b, r.Raw()...)
}

// below returns the place of a member in an object.
func (m *masker) below(at place, key string, kind wire.Kind) place {
	switch {
	case at == inSecret, isSecretKey(key, kind) && (at != inSchemas || kind != wire.Object), kind == wire.String && m.isSecret(key):
		return inSecret
	case key == "properties" || key == "$defs" || key == "definitions":
		return inSchemas
	}
	return elsewhere
}

// maskString masks secrets and HTTP credentials in a string, and in JSON inside it.
func maskString(s string, hide func(string) string) string {
	s = hide(s)
	for _, scheme := range [...]string{"Bearer ", "Basic ", "DPoP "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme + diag.Mask
		}
	}
	if text := wire.Trim(s); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if inner, err := MaskJSON([]byte(s), hide); err == nil && strings.Contains(string(inner), diag.Mask) {
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
	if strings.HasSuffix(key, "token") {
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
