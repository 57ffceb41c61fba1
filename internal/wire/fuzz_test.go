package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// tree reads a value as encoding/json does with UseNumber.
func tree(r *wire.Reader) any {
	switch r.Kind() {
	case wire.Object:
		m := map[string]any{}
		for r.Object(); r.More(); {
			key := string(r.Key())
			m[key] = tree(r)
		}
		return m
	case wire.Array:
		a := []any{}
		for r.Array(); r.More(); {
			a = append(a, tree(r))
		}
		return a
	case wire.Bool:
		return r.Bool()
	case wire.Number:
		return json.Number(r.Number())
	case wire.Null:
		r.Null()
		return nil
	}
	return r.String()
}

func decode(t *testing.T, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", text, err)
	}
	return v
}

var seeds = []string{
	`null`, `true`, ` false `, `0`, `-1.50e+3`, `1e999`, `01`, `"a\u0041\n\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", "\"a\nb\"",
	`[]`, `[1,"2",[3],{}]`, `[1,]`, `{"a":1,"b":{"c":[null]}}`, `{"a":1,"\u0061":2}`, `{"a":1,}`, `{"é":"天地玄黃"} x`,
	"{\n  \"a\": [\r\n\t1\n  ]\n}", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}`,
}

// long is the beginning of a string that is so long that it is decoded in place.
var long = strings.Repeat(`long\n`, 700)

// checkInPlace reads the same text as the inside of long strings, decoded in place
// and not.
func checkInPlace(t *testing.T, inside []byte) {
	text := []byte(`["` + long + string(inside) + `",1,{"a":"b\n","` + string(inside) + `":"` + long + string(inside) + `"}]`)
	r := wire.NewReader(text)
	want := tree(&r)
	if r.End() != nil {
		return
	}
	r = wire.NewReader(text)
	r.Trust()
	r.Postpone()
	if tree(&r); r.End() != nil || !r.Postponed() {
		t.Fatalf("%q: postponed %t, error %v", inside, r.Postponed(), r.Err())
	}
	r.Again()
	if got := tree(&r); r.End() != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("in place, %q was read as %#v, error %v, want %#v", inside, got, r.Err(), want)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(strings.Trim(s, `"`)))
	}
	f.Add([]byte(`\u0416\u00e9\u4e2d\ud83d\ude00\n\\u20ac a\"b\u20ac`))
	f.Add([]byte(nested(129, "[", "]")))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkInPlace(t, text)
		if err := wire.Valid(text); err != nil {
			checkStricter(t, text, err)
			return
		}
		want := decode(t, text)
		r := wire.NewReader(text)
		raw := r.Raw()
		if string(raw) != strings.Trim(string(text), " \t\r\n") || r.End() != nil {
			t.Errorf("Raw of %q is %q, error %v", text, raw, r.Err())
		}
		line := wire.AppendLine(nil, text)
		if bytes.ContainsAny(line, "\r\n") || !reflect.DeepEqual(decode(t, line), want) {
			t.Errorf("on one line %q is %q", text, line)
		}
		r = wire.NewReader(text)
		r.Trust()
		if got := r.Raw(); !bytes.Equal(got, raw) || r.End() != nil {
			t.Errorf("trusted, Raw of %q is %q, error %v", text, got, r.Err())
		}
		for how, prepare := range map[string]func(*wire.Reader){
			"strict": func(*wire.Reader) {}, "lax": (*wire.Reader).Lax, "trusted": (*wire.Reader).Trust,
		} {
			r := wire.NewReader(text)
			prepare(&r)
			mark := r.Mark()
			tree(&r)
			r.Reset(mark)
			got := tree(&r)
			switch err := r.End(); {
			case err == nil && !reflect.DeepEqual(got, want):
				t.Errorf("%q was read as %#v (%s), want %#v", text, got, how, want)
			case err != nil && !strings.Contains(err.Error(), "occurs twice") && !strings.Contains(err.Error(), "512 members"):
				t.Errorf("%q is valid, but reading it (%s) failed: %v", text, how, err)
			}
		}
	})
}

// checkStricter fails the test if encoding/json accepts the text and none of
// our rules forbids it.
func checkStricter(t *testing.T, text []byte, err error) {
	if !json.Valid(text) {
		return
	}
	switch msg := err.Error(); {
	case strings.Contains(msg, "nested deeper") && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 128:
	case strings.Contains(msg, "invalid UTF-8") && !utf8.Valid(text):
	case strings.Contains(msg, "invalid escape") && bytes.Contains(bytes.ToLower(text), []byte(`\ud`)):
	default:
		t.Errorf("encoding/json accepts %q, we say: %v", text, err)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range append(seeds, "", "\x00\x1f\x7f", "\xed\xa0\x80", "\uFFFD\u2028", strings.Repeat("12345678", 3)+"\xc3") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := wire.AppendString(nil, s)
		want := string([]rune(s)) // U+FFFD for each invalid byte
		var got string
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Errorf("%q became %s, which encoding/json reads as %q, error %v", s, text, got, err)
		}
		r := wire.NewReader(text)
		if got := r.String(); got != want || r.End() != nil {
			t.Errorf("%q became %s, which we read as %q, error %v", s, text, got, r.Err())
		}
		if bytes.ContainsAny(text, "\r\n") {
			t.Errorf("%q became more than a line: %s", s, text)
		}
	})
}

func FuzzAppendValue(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		checkRoundTrip(t, text, func(text []byte) (any, error) { return decode(t, text), nil })
		checkRoundTrip(t, text, func(text []byte) (v any, err error) {
			err = json.Unmarshal(text, &v)
			return v, err
		})
	})
}

// checkRoundTrip fails the test unless what read makes of the text is the same
// after it was written and read again.
func checkRoundTrip(t *testing.T, text []byte, read func([]byte) (any, error)) {
	v, err := read(text)
	if err != nil {
		return // a number that is not a float64
	}
	b, err := wire.AppendValue(nil, v)
	if err != nil {
		if !strings.Contains(err.Error(), "nested deeper") || wire.Valid(text) == nil {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
	if err := wire.Valid(b); err != nil || bytes.ContainsAny(b, "\r\n") {
		t.Errorf("%q became %q, error %v", text, b, err)
	}
	if again, err := read(b); err != nil || !reflect.DeepEqual(again, v) {
		t.Errorf("%q became %q, error %v", text, b, err)
	}
}
