// Package display prepares texts of servers for people: it replaces secrets, and escapes
// characters that hide something.
package display

import (
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

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
// alone or as a part of encoded data. Line breaks may be anywhere inside, and a text may
// be escaped twice. Each line of a secret that is at least 8 bytes long is also a secret,
// and so is each string and number in one that is JSON.
// Redact ignores secrets shorter than 5 bytes without line breaks.
func Redact(s string, secrets ...string) string {
	for _, secret := range secrets {
		if minSecret <= len(secret) && shortest(secret) <= len(s) { // no form is shorter
			return NewRedactor(secrets...).Redact(s)
		}
	}
	return s
}

// shortest returns a lower limit of the length of a text that quotes a secret, a line or,
// if it is JSON, a value of it.
func shortest(secret string) int {
	if wire.IndexAny(secret, breaks+`\{[`) >= 0 {
		return minSecret
	}
	return len(wire.Trim(secret))
}

// A Redactor replaces secrets in texts. The time that it takes does not depend on the
// number of secrets. A nil *Redactor replaces nothing.
type Redactor struct {
	forms   map[string]*family // how a text without escapes quotes the secrets, by their heads
	heads   map[uint32]uint64  // a set of the lengths of the keys of forms, by their first 4 bytes
	begins  [1 << 11]uint32    // a set of the hashes of these bytes
	longest int
}

// longHead is the length in bytes of the head of a long form. Heads and shorter forms are
// compared with the text wherever their first bytes match.
const longHead = 64

// longForm is the length in bytes of the longest form that is compared with the text
// wherever its head is. The search for longer ones needs no time for what was compared.
const longForm = 1 << 10

// A family holds the forms of longHead and more that have the same head, those longer than
// longForm apart.
type family struct{ forms, longest []string }

// NewRedactor returns a Redactor for secrets.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{forms: make(map[string]*family), heads: make(map[uint32]uint64)}
	for _, secret := range secrets {
		r.addSecret(secret)
	}
	return r
}

// addSecret adds a secret, and the parts of it that a program may print one by one.
func (r *Redactor) addSecret(secret string) {
	if len(secret) < minSecret {
		return
	}
	r.longest = max(r.longest, 2*len(secret))
	r.add(secret)
	if s := wire.Trim(secret); s != secret { // programs often trim the contents of a file, too
		r.add(s)
	}
	// A program may print the lines of a key one by one. In JSON and in many files of
	// variables, they are escaped.
	for begin, i := 0, 0; i <= len(secret); i++ {
		isEscaped := strings.HasPrefix(secret[i:], `\n`)
		if i < len(secret) && secret[i] != '\n' && !isEscaped {
			continue
		}
		if line := wire.Trim(secret[begin:i]); len(line) >= minEncoded && len(line) < len(secret) {
			r.add(line)
		}
		if isEscaped {
			i++
		}
		begin = i + 1
	}
	if in := wire.NewReader([]byte(secret)); in.Kind() == wire.Object || in.Kind() == wire.Array {
		in.AnyKeys()
		in.Mend()
		r.addParts(&in)
	}
}

// addParts adds the strings and numbers of the next value, as a program may print JSON
// again with other members and spaces.
func (r *Redactor) addParts(in *wire.Reader) {
	switch in.Kind() {
	case wire.Object:
		for in.Object(); in.More(); {
			in.Key()
			r.addParts(in)
		}
	case wire.Array:
		for in.Array(); in.More(); {
			r.addParts(in)
		}
	case wire.String:
		r.addSecret(in.String())
	case wire.Number:
		r.addSecret(string(in.Raw()))
	default:
		in.Skip()
	}
}

func (r *Redactor) add(secret string) {
	for _, form := range forms(secret) {
		r.addForm(form)
		if strings.IndexByte(form, '+') >= 0 {
			r.addForm(exchange(form, '+', ' ')) // in a URL, a plus sign may be a space
		}
	}
}

func (r *Redactor) addForm(form string) {
	if wire.IndexAny(form, breaks) >= 0 {
		plain, _ := (&text{s: form}).unescape('\n')
		form = plain.s
	}
	if len(form) < minSecret {
		return
	}
	head, begin := form[:min(len(form), longHead)], uint32(0)
	f := r.forms[head]
	if f == nil {
		f = new(family)
		r.forms[head] = f
	}
	list := &f.forms
	if len(form) > longForm {
		list = &f.longest
	}
	if len(form) >= longHead && !slices.Contains(*list, form) {
		*list = append(*list, form)
	}
	for _, c := range []byte(form[:4]) {
		begin = begin<<8 | uint32(c)
	}
	r.heads[begin] |= 1 << (len(head) - 1)
	r.begins[hash(begin)/32] |= 1 << (hash(begin) % 32)
}

// hash returns a number below 1<<16.
func hash(begin uint32) uint32 { return begin * 0x9e3779b1 >> 16 }

// A Cache keeps a Redactor for the secrets of its last text, as secrets seldom change
// between texts.
type Cache struct{ last atomic.Pointer[cached] }

type cached struct {
	secrets []string
	*Redactor
}

// Redact is the function Redact, with the kept Redactor if it has the same secrets.
func (c *Cache) Redact(s string, secrets ...string) string {
	if len(s) < minSecret || len(secrets) == 0 {
		return s
	}
	r := c.last.Load()
	if r == nil || len(r.secrets) != len(secrets) || &r.secrets[0] != &secrets[0] && !slices.Equal(r.secrets, secrets) {
		r = &cached{secrets, NewRedactor(secrets...)}
		c.last.Store(r)
	}
	return r.Redactor.Redact(s)
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

// Printable is [diag.Printable] for text that may contain secrets. It replaces them as
// Redact does, even those that a control sequence interrupts.
func (r *Redactor) Printable(s string, max int) string {
	return diag.Cut(r.Redact(diag.Printable(r.Redact(s), 0)), max)
}

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
	if r == nil {
		return nil
	}
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
		t := text{s: s[x.base:min(len(s), from+step+overlap)]}
		if wire.IndexAny(t.s, breaks) >= 0 {
			t, _ = t.unescape('\n')
		}
		x.in(t, 2)
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

// in searches a text, and what it is without its escapes.
func (x *search) in(t text, depth int) {
	x.matches(&t)
	for i := 0; i < len(escapes) && depth > 0; i++ {
		if plain, ok := t.unescape(escapes[i]); ok {
			x.in(plain, depth-1)
		}
	}
}

// matches marks the bytes of the part that forms in t cover. Occurrences may overlap.
func (x *search) matches(t *text) {
	begin, marked := uint32(0), 0
	var long []*family // whose heads are in t
	for i := range len(t.s) {
		begin = begin<<8 | uint32(t.s[i])
		if h := hash(begin); x.begins[h/32]>>(h%32)&1 == 0 || i < 3 {
			continue
		}
		s := t.s[i-3:]
		for sizes := x.heads[begin]; sizes != 0; sizes &= sizes - 1 {
			n := bits.TrailingZeros64(sizes) + 1
			if n > len(s) {
				break
			}
			f := x.forms[s[:n]]
			if f == nil {
				continue
			}
			if n < longHead {
				marked = x.mark(t, marked, i-3, i-3+n)
			}
			for _, form := range f.forms {
				if n := len(form); n <= len(s) && s[n-1] == form[n-1] && t.end(i-3+n) > marked && s[:n] == form {
					marked = x.mark(t, marked, i-3, i-3+n)
				}
			}
			if f.longest != nil && !slices.Contains(long, f) {
				long = append(long, f)
			}
		}
	}
	for _, f := range long {
		for _, form := range f.longest {
			x.hide(t, form)
		}
	}
}

// mark marks the bytes of the part that t[begin:end] takes. All from there to marked are
// marked already; mark returns up to where they are now.
func (x *search) mark(t *text, marked, begin, end int) int {
	if x.hidden == nil {
		x.hidden = make([]bool, x.size)
	}
	marked = max(marked, t.offset(begin))
	for end := t.end(end); marked < end; marked++ {
		x.hidden[x.base+marked] = true
	}
	return marked
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
		if same == 0 {
			n := strings.Index(s[i:], form[:longHead])
			if n < 0 {
				break
			}
			i += n
		}
		for same > 0 && s[i] != form[same] {
			same = border[same]
		}
		if s[i] == form[same] {
			same++
		}
		if same == len(form) {
			marked = x.mark(t, marked, i+1-same, i+1)
			same = border[same]
		}
	}
}
