package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestStringIsDecoded(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`""`, ``},
		{`"plain"`, `plain`},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u20AC\uFFFD\u0000"`, "Aé€\uFFFD\x00"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\uD83D\uDE00 and \uDBFF\uDFFF"`, "😀 and \U0010FFFF"},
		{`"é€😀\n天"`, "é€😀\n天"},
		{`"\u2028\u007f` + "\u2028\x7f" + `"`, "\u2028\x7f\u2028\x7f"},
		{`"` + strings.Repeat("é", 100) + `\u0021"`, strings.Repeat("é", 100) + "!"},
	} {
		r := wire.NewReader([]byte(tt.text))
		if got := r.String(); got != tt.want || r.End() != nil {
			t.Errorf("String of %s is %q, error %v; want %q", tt.text, got, r.Err(), tt.want)
		}
		r = wire.NewReader([]byte(tt.text))
		if got := r.Bytes(); got == nil || string(got) != tt.want || r.End() != nil {
			t.Errorf("Bytes of %s is %q, error %v; want %q", tt.text, got, r.Err(), tt.want)
		}
		r = wire.NewReader([]byte(`{` + tt.text + `:0}`))
		r.Object()
		r.More()
		if got := r.Key(); got == nil || string(got) != tt.want {
			t.Errorf("Key of %s is %q, error %v; want %q", tt.text, got, r.Err(), tt.want)
		}
	}
}

func TestStringThatIsNotValidIsRefused(t *testing.T) {
	for _, tt := range []struct{ inside, err string }{
		{"a\nb", `control character in string at byte 2`},
		{"\x00", `control character in string at byte 1`},
		{"\x1f", `control character in string at byte 1`},
		{`\`, `unexpected end of input in string at byte 3`}, // the quote is escaped
		{`\x`, `invalid escape in string at byte 1`},
		{`\'`, `invalid escape in string at byte 1`},
		{`\U0041`, `invalid escape in string at byte 1`},
		{`\u`, `invalid escape in string at byte 1`},
		{`\u004`, `invalid escape in string at byte 1`},
		{`\u00g1`, `invalid escape in string at byte 1`},
		{`\u+041`, `invalid escape in string at byte 1`},
		{`\ud800`, `invalid escape in string at byte 1`},
		{`a\udc00`, `invalid escape in string at byte 2`},
		{`\ud800\ud800`, `invalid escape in string at byte 1`},
		{`\udc00\ud800`, `invalid escape in string at byte 1`},
		{`\ud800\u0041`, `invalid escape in string at byte 1`},
		{`\ud800\n`, `invalid escape in string at byte 1`},
		{`\ud800xxxxxx`, `invalid escape in string at byte 1`},
		{`\ud800\udc0`, `invalid escape in string at byte 1`},
		{"\xff", `invalid UTF-8 in string at byte 1`},
		{"é\x80", `invalid UTF-8 in string at byte 3`},
		{"\xc0\xaf", `invalid UTF-8 in string at byte 1`},          // overlong
		{"\xe0\x80\xaf", `invalid UTF-8 in string at byte 1`},      // overlong
		{"\xed\xa0\x80", `invalid UTF-8 in string at byte 1`},      // surrogate
		{"\xf4\x90\x80\x80", `invalid UTF-8 in string at byte 1`},  // beyond U+10FFFF
		{"\xe2\x82", `invalid UTF-8 in string at byte 1`},          // cut off
		{"\xe2\\n\x82\xac", `invalid UTF-8 in string at byte 1`},   // torn by an escape
		{`\n` + "\uFFFD\xff", `invalid UTF-8 in string at byte 6`}, // U+FFFD itself is fine
		{"\xff" + `\n and plain text`, `invalid UTF-8 in string at byte 1`},
		{strings.Repeat("é", 9) + "\x80", `invalid UTF-8 in string at byte 19`},
	} {
		checkError(t, wire.Valid([]byte(`"`+tt.inside+`"`)), "JSON: "+tt.err)
	}
	for _, text := range []string{`"`, `"abc`, `"abcdefghijk`, `"é`, `"abc\n`} {
		if err := wire.Valid([]byte(text)); err == nil || !strings.Contains(err.Error(), "unexpected end of input in string") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The scanner takes eight bytes at a time: each special byte is met at each
// place in a word, with each kind of byte around it.
func TestSpecialByteIsFoundAtEveryPlace(t *testing.T) {
	for _, fill := range []string{" ", "!", "#", "[", "]", "\x7f", "é", "天", "😀", "\uFFFD"} {
		for before := range 20 {
			for after := range 10 {
				head, tail := strings.Repeat(fill, before), strings.Repeat(fill, after)
				r := wire.NewReader([]byte(`"` + head + `\n` + tail + `"`))
				if got := r.String(); got != head+"\n"+tail || r.End() != nil {
					t.Fatalf("%d × %q, escape, %d ×: %q, error %v", before, fill, after, got, r.Err())
				}
				r = wire.NewReader([]byte(`"` + head + `"` + tail))
				if got := r.String(); got != head || r.Offset() != len(head)+2 {
					t.Fatalf("%d × %q, quote, %d ×: %q, offset %d, error %v", before, fill, after, got, r.Offset(), r.Err())
				}
				for c := range 0x20 {
					if wire.Valid([]byte(`"`+head+string(rune(c))+tail+`"`)) == nil {
						t.Fatalf("%d × %q, control character %#x, %d ×: accepted", before, fill, c, after)
					}
				}
				if wire.Valid([]byte(`"`+head+"\xff"+tail+`"`)) == nil {
					t.Fatalf("%d × %q, byte 0xff, %d ×: accepted", before, fill, after)
				}
			}
		}
	}
}

func TestBytesShareTheTextUnlessEscaped(t *testing.T) {
	data := []byte(`["plain","esc\u0061ped"]`)
	r := wire.NewReader(data)
	r.Array()
	r.More()
	shared := r.Bytes()
	if &shared[0] != &data[2] {
		t.Error("a plain string was copied")
	}
	r.More()
	copy(r.Bytes(), "XXXXXXX")
	if string(data) != `["plain","esc\u0061ped"]` {
		t.Errorf("the text is now %s", data)
	}
}

// TestLongStringsAreDecodedInPlace: only if the memory is not much more than the
// string needs, and only if the text is read once.
func TestLongStringsAreDecodedInPlace(t *testing.T) {
	hex := strings.Repeat(`\u0416`, 1000)
	for _, tt := range []struct {
		name, inside string
		reset        bool
		inPlace      bool
	}{
		{"an escape every 5 bytes", long, false, true},
		{"escapes of six bytes for two", hex, false, false},
		{"read twice", long, true, false},
	} {
		text := []byte(`{"a":"` + tt.inside + `","b":"` + tt.inside + `"}`)
		var want struct{ A, B string }
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		r := wire.NewReader(text)
		r.Trust()
		r.Postpone()
		mark := r.Mark()
		read := func() (list []string) {
			for r.Object(); r.More(); {
				r.Key()
				list = append(list, r.String())
			}
			if err := r.End(); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			return list
		}
		if got := read(); !r.Postponed() || got[0] != tt.inside {
			t.Errorf("%s: postponed %t", tt.name, r.Postponed())
		}
		if tt.reset {
			r.Reset(mark)
			read()
		}
		before := string(text)
		r.Again()
		if got := read(); got[0] != want.A || got[1] != want.B {
			t.Errorf("%s: have %d and %d bytes, want %d", tt.name, len(got[0]), len(got[1]), len(want.A))
		}
		if changed := string(text) != before; tt.inPlace && !changed || tt.reset && changed {
			t.Errorf("%s: the text is changed: %t", tt.name, changed)
		}
	}
}

func TestLaxTakesBrokenStringsOnly(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"\"a\xffb\"", "a\xffb"},
		{"\"a\nb\x00\"", "a\nb\x00"},
		{`"\ud800"`, "\uFFFD"},
		{`"\udc00A"`, "\uFFFDA"},
		{`"\ud800\u0041"`, "\uFFFDA"},
		{`"\ud800\n"`, "\uFFFD\n"},
		{`"\ud800\ud83d\ude00"`, "\uFFFD😀"},
	} {
		r := wire.NewReader([]byte(tt.text))
		r.Lax()
		if got := r.String(); got != tt.want || r.End() != nil {
			t.Errorf("%q: %q, error %v; want %q", tt.text, got, r.Err(), tt.want)
		}
	}
	for _, text := range []string{`"a`, `"\x"`, `"\u00"`, `[1,]`, `{"a":1,"a":2}`, `01`, nested(129, "[", "]")} {
		r := wire.NewReader([]byte(text))
		r.Lax()
		if walk(&r); r.End() == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

// TestUTF8AtEveryPlaceOfAWord puts sequences, whole and broken, at every offset
// in a word and before text of each kind, and compares with package utf8 and
// encoding/json.
func TestUTF8AtEveryPlaceOfAWord(t *testing.T) {
	middles := []string{
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2\x80", "\xdf\xbf", "\xdf", "\xc3(", "\xe0\x9f\xbf", "\xe0\xa0\x80",
		"\xe1\x80", "\xe1\x80(", "\xec\xbf\xbf", "\xed\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
		"\xf0\x8f\xbf\xbf", "\xf0\x90\x80\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98", "\xf0\x9f\x98(", "\xf4\x8f\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "é", "天", "😀", `\u00e9`, `\ud83d\ude00`, `\\`, `\"`,
	}
	fills := []string{"", "a", "é", "天", "😀", `\n`, `\\`, strings.Repeat("x", 80), strings.Repeat("я", 9), strings.Repeat("яa", 6), strings.Repeat("天", 9), strings.Repeat("😀", 9)}
	for _, middle := range middles {
		for _, fill := range fills {
			for n := range 17 {
				inside := strings.Repeat("a", n) + fill + middle + middle + fill + strings.Repeat("b", n%9)
				text := []byte(`"` + inside + `"`)
				valid := utf8.ValidString(inside)
				if err := wire.Valid(text); (err == nil) != valid {
					t.Fatalf("%q: %v", text, err)
				}
				var want string
				if err := json.Unmarshal(text, &want); err != nil {
					t.Fatal(err)
				}
				for _, trusted := range []bool{false, true} {
					r := wire.NewReader(text)
					if trusted {
						r.Trust()
					}
					if got := r.String(); valid && (got != want || r.End() != nil) {
						t.Fatalf("%q was read as %q (trusted %t), error %v", text, got, trusted, r.Err())
					}
				}
				var again string
				if err := json.Unmarshal(wire.AppendString(nil, inside), &again); err != nil || again != string([]rune(inside)) {
					t.Fatalf("%q was written as %q, error %v", inside, again, err)
				}
			}
		}
	}
}
