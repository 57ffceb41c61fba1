package recording

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// MaskJSON returns JSON text on one line, with [diag.Mask] in place of the values of
// members whose names are those of secrets and of the credentials in strings. hide
// returns a string of the text, or JSON in a string, without what else is secret.
func MaskJSON(text []byte, hide func(string) string) ([]byte, error) {
	r := wire.NewReader(text)
	r.AnyKeys()
	b := appendMasked(nil, &r, hide, false)
	return b, r.End()
}

// appendMasked appends the next value of r. schema reports that its keys are
// property names of a JSON Schema, whose values are schemas and not secrets.
func appendMasked(b []byte, r *wire.Reader, hide func(string) string, schema bool) []byte {
	switch r.Kind() {
	case wire.Object:
		b = append(b, '{')
		for r.Object(); r.More(); {
			key := string(r.Key())
			b = wire.AppendKey(b, hide(key))
			if isSecretKey(key) && canBeSecret(r.Kind(), schema) {
				r.Skip()
				b = append(b, `"`+diag.Mask+`"`...)
				continue
			}
			b = appendMasked(b, r, hide, key == "properties")
		}
		return append(b, '}')
	case wire.Array:
		b = append(b, '[')
		for r.Array(); r.More(); {
			b = appendMasked(wire.AppendComma(b), r, hide, false)
		}
		return append(b, ']')
	case wire.String:
		raw := r.Raw()
		inner := wire.NewReader(raw)
		text := inner.String()
		if m := maskString(text, hide); m != text {
			return wire.AppendString(b, m)
		}
		return append(b, raw...) // with the original escapes
	}
	raw := r.Raw()
	if m := hide(string(raw)); m != string(raw) {
		return wire.AppendString(b, m) // a number
	}
	return append(b, raw...)
}

// canBeSecret reports whether a value of that kind can be a secret.
func canBeSecret(k wire.Kind, schema bool) bool {
	return k == wire.String || k == wire.Number || k == wire.Array || k == wire.Object && !schema
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
// author and keywords. Progress tokens and counts of tokens are not secrets.
func isSecretKey(key string) bool {
	key = strings.Map(func(c rune) rune {
		if strings.ContainsRune("_- ./:", c) {
			return -1
		}
		return c
	}, strings.ToLower(key))
	if strings.HasSuffix(key, "token") {
		return key != "progresstoken"
	}
	for _, word := range [...]string{"authorization", "password", "passwd", "passphrase", "secret", "apikey", "accesskey",
		"privatekey", "credential", "cookie", "session", "pwd", "jwt"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
