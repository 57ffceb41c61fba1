package jsonschema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDecode checks that decode accepts the texts that encoding/json accepts, and
// returns the same values.
func FuzzDecode(f *testing.F) {
	members := make([]string, 600)
	for i := range members {
		members[i] = `"` + strings.Repeat("k", i) + `":[{}]`
	}
	for _, text := range []string{
		`null`, ` true `, `false`, `-0`, `0.10`, `1e400`, `12E-3`, `9007199254740993`, `01`, `1.`, `.5`, `-`, `1e`, `+1`, `1 2`, `1]`, ``, ` `, `tru`, `nul`,
		`""`, `"\"\\\/\b\f\n\r\té"`, `"\u00e9 \ud83d\ude00"`, `"\ud83d"`, `"\ud83dx\udE00"`, `"\ud83d\u0041"`, `"\x"`, `"\u12"`, `"\u+123"`, `"\"`, `"`,
		"\"\xff\xff\"", "\"\x00\"", "\"\t\"", "\"\\\n\"", "\"caf\u00e9 \xe2\x82\"", `"\é"`,
		`[]`, `[ ]`, `[1,"2",[null]]`, `[,]`, `[1,]`, `[1 2]`, `[1`, `[`, `]`, `{}`, `{ }`, `{"a":1,"a":{"b":2}}`, `{"a":1,"b":2,"a":3,"c":4,"a":5,"d":6,"e":7,"f":8,"g":9,"h":10,"i":11,"a":12}`, `{"a":{"x":1},"a":{"y":2}}`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a":1`, `{"a" :1 , "b": 2}`, `{"a":1]`, `[1}`, "\ufeff1", "1\x00",
		"{" + strings.Join(members, ",") + "}", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b := newBudget(t.Context(), "decoding")
		doc, err := decode(text, &b)
		if valid := json.Valid(text); valid != (err == nil) {
			t.Fatalf("%q: %v, valid %v", text, err, valid)
		}
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(t, value{doc, 0}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
	})
}

// plain returns a value as encoding/json has it.
func plain(t *testing.T, v value) any {
	switch v.kind() {
	case null:
		return nil
	case boolean:
		return v.isTrue()
	case numeric:
		return json.Number(v.text())
	case text:
		if n := utf8.RuneCountInString(v.text()); n != v.count() {
			t.Errorf("%q: %d characters, want %d", v.text(), v.count(), n)
		}
		return v.text()
	case list:
		all := []any{}
		for i, item := range v.items() {
			if i != len(all) {
				t.Errorf("item %d is %d", len(all), i)
			}
			all = append(all, plain(t, item))
		}
		return all
	}
	all := map[string]any{}
	for name, member := range v.members() {
		if v.member(name.text()) != member {
			t.Errorf("member %q is not found", name.text())
		}
		all[name.text()] = plain(t, member)
	}
	if v.count() != len(all) || v.member("no such name").kind() != absent && all["no such name"] == nil {
		t.Errorf("%d members, want %d", v.count(), len(all))
	}
	return all
}

// TestDecodingLooksAtContext: for each 64 KiB or so, whatever the text has.
func TestDecodingLooksAtContext(t *testing.T) {
	for _, part := range []string{"1,", `"a",`, `[],`, `{},`, `"\n",`, `{"a":1,"b":2},`} {
		ctx := &countingContext{Context: t.Context()}
		b := newBudget(ctx, "decoding")
		if _, err := decode([]byte("["+strings.Repeat(part, 1<<20/len(part))+"1]"), &b); err != nil || ctx.looks < 1<<20/perLook {
			t.Errorf("%s: %v, %d looks", part, err, ctx.looks)
		}
	}
	for _, text := range []string{`"` + strings.Repeat(`\u00e9`, 1<<20/6) + `"`, "{" + strings.Repeat(`"a":1,`, 1<<20/6) + `"b":1}`} {
		over, cancel := context.WithCancel(t.Context())
		cancel()
		ctx := &countingContext{Context: over, until: 1<<20/perLook - 1}
		b := newBudget(ctx, "decoding")
		if _, err := decode([]byte(text), &b); !errors.Is(err, context.Canceled) {
			t.Errorf("%.20s: %v after %d looks", text, err, ctx.looks)
		}
	}
}

// A countingContext ends when it has been looked at some times.
type countingContext struct {
	context.Context
	looks, until int
}

func (c *countingContext) Err() error {
	if c.looks++; c.looks > c.until {
		return c.Context.Err()
	}
	return nil
}

// A value of many members, such as a table by name, is no larger than what
// encoding/json returned.
func BenchmarkDecode(b *testing.B) {
	text := []byte(`{"rows":[` + strings.Repeat(`{"name":"row","values":[1,2.5,true,null],"note":"text with an é and an \n"},`, 1000) + `{}]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		budget := newBudget(b.Context(), "decoding")
		if _, err := decode(text, &budget); err != nil {
			b.Fatal(err)
		}
	}
}
