// Package display prepares texts of servers for people: it replaces secrets, and escapes
// characters that hide something.
package display

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// minSecret is the length in bytes of the shortest secret that is replaced. Shorter
// values, such as ports and switches, occur in too many words.
const minSecret = 5

// minEncoded is the length in bytes of the shortest secret that is replaced in
// base64, where a few characters occur in many words.
const minEncoded = 8

// Redact returns s with [diag.Mask] in place of the secrets, in whichever form s quotes
// them: as they are; with any of their characters escaped as in URLs, or in strings of
// JSON, Go and JavaScript; in hexadecimal; or, from 8 bytes on, in base64,
// alone or as a part of what is encoded. A text may be escaped twice. Redact ignores
// secrets shorter than 5 bytes.
func Redact(s string, secrets ...string) string {
	for _, secret := range secrets {
		if minSecret <= len(secret) && len(secret) <= len(s) { // no form is shorter
			return NewRedactor(secrets...).Redact(s)
		}
	}
	return s
}

// PrintableWithout is [diag.Printable] for text that may contain secrets. It replaces
// them as [Redact] does, even those that a control sequence interrupts.
func PrintableWithout(s string, max int, secrets ...string) string {
	return diag.Cut(Redact(diag.Printable(Redact(s, secrets...), 0), secrets...), max)
}

// A Redactor replaces secrets in texts.
type Redactor struct {
	forms   []string // how a text without escapes quotes the secrets
	longest int
}

// NewRedactor returns a Redactor for secrets.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			r.forms = append(r.forms, forms(secret)...)
			r.longest = max(r.longest, 2*len(secret))
		}
	}
	return r
}

// Redact is the function Redact for the secrets of r.
func (r *Redactor) Redact(s string) string {
	hidden := r.find(s)
	if hidden == nil {
		return s
	}
	var b []byte
	for i := range len(s) {
		switch {
		case !hidden[i]:
			b = append(b, s[i])
		case i == 0 || !hidden[i-1]:
			b = append(b, diag.Mask...)
		}
	}
	return string(b)
}

// Finds reports whether Redact changes s.
func (r *Redactor) Finds(s string) bool { return r.find(s) != nil }

// The text is searched in parts that overlap by the longest form with every
// character escaped twice, so that the memory that its unescaped forms take is
// limited.
const (
	minPart      = 256 << 10
	maxExpansion = 100 // \U0000005c in place of each character of \U00000041
)

// find returns for each byte of s whether it belongs to a secret; nil means that
// none does.
func (r *Redactor) find(s string) []bool {
	x := search{Redactor: r, size: len(s)}
	overlap := r.longest * maxExpansion
	step := max(minPart, overlap)
	for from, slashes := 0, 0; r.longest > 0 && from < len(s); from += step {
		if from > 0 { // a part does not begin inside of an escape
			n := 0
			for n < step && s[from-1-n] == '\\' {
				n++
			}
			if slashes += n; n < step {
				slashes = n
			}
		}
		x.base = max(0, from-slashes%4)
		x.in(text{s: s[x.base:min(len(s), from+step+overlap)]}, 2)
	}
	return x.hidden
}

// A search is one for the forms of the secrets in a part of a text.
type search struct {
	*Redactor
	base   int // of the part in the text
	size   int // of the text
	hidden []bool
}

// A text is a part, or what is left of its escapes.
type text struct {
	s      string
	at     []int32 // where the part has each byte of s, and its end; nil if s is the part
	spaced bool    // s has spaces in place of plus signs
}

func (t *text) offset(i int) int {
	if t.at == nil {
		return i
	}
	return int(t.at[i])
}

// in searches a text, and what it is without its escapes.
func (x *search) in(t text, depth int) {
	for i, form := range x.forms {
		if t.spaced && strings.IndexByte(form, '+') >= 0 {
			form = exchange(form, '+', ' ')
		}
		if i == 0 || form != x.forms[i-1] {
			x.hide(&t, form)
		}
	}
	for i := 0; i < len(escapes) && depth > 0; i++ {
		if plain, ok := t.unescape(escapes[i]); ok {
			x.in(plain, depth-1)
		}
	}
}

// forms returns how a secret may appear in a text without escapes.
func forms(secret string) []string {
	list := []string{secret, string([]rune(secret)), inHex(secret, "0123456789abcdef"), inHex(secret, "0123456789ABCDEF")} // JSON has runes only
	// In base64, the characters that depend only on the secret are others for
	// each number of bytes in front of it, modulo 3.
	for before, first := range [...]int{0, 2, 3} {
		if len(secret) >= minEncoded {
			text := "\x00\x00"[:before] + secret
			std := string(wire.AppendBase64(nil, []byte(text))[1+first : 1+len(text)*8/6]) // without the quotes
			list = append(list, std, exchange(exchange(std, '+', '-'), '/', '_'))
		}
	}
	return list
}

func inHex(s, digits string) string {
	b := make([]byte, 2*len(s))
	for i := range b {
		b[i] = digits[s[i/2]>>(4*(1-i%2))&15]
	}
	return string(b)
}

// exchange returns s with one character in place of another.
func exchange(s string, old, by byte) string {
	b := []byte(s)
	for i, c := range b {
		if c == old {
			b[i] = by
		}
	}
	return string(b)
}

// hide marks the bytes of the part that a form in t takes, wherever it occurs.
// Occurrences may overlap.
func (x *search) hide(t *text, form string) {
	s := t.s
	i := strings.Index(s, form)
	if i < 0 {
		return
	}
	if x.hidden == nil {
		x.hidden = make([]bool, x.size)
	}
	// border[n] is the length of the longest beginning of form[:n] that is also its end,
	// where the next occurrence can begin (Knuth, Morris and Pratt). A search from each
	// byte would take minutes if a server repeated a long token of one character.
	border := make([]int, len(form)+1)
	for n, same := 1, 0; n < len(form); n++ {
		for same > 0 && form[n] != form[same] {
			same = border[same]
		}
		if form[n] == form[same] {
			same++
		}
		border[n+1] = same
	}
	marked := 0
	for same := 0; i < len(s); i++ {
		for same > 0 && s[i] != form[same] {
			same = border[same]
		}
		if s[i] == form[same] {
			same++
		}
		if same == len(form) {
			marked = max(marked, t.offset(i+1-same))
			for end := t.offset(i + 1); marked < end; marked++ {
				x.hidden[x.base+marked] = true
			}
			same = border[same]
		}
	}
}
