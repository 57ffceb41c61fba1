package jsonschema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
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
		`[]`, `[ ]`, `[1,"2",[null]]`, `[,]`, `[1,]`, `[1 2]`, `[1`, `[`, `]`, `{}`, `{ }`, `{"a":1,"a":{"b":2}}`, `{"a":{"x":1},"a":{"y":2}}`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a":1`, `{"a" :1 , "b": 2}`, `{"a":1]`, `[1}`, "\ufeff1", "1\x00",
		"{" + strings.Join(members, ",") + "}", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decode(text)
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
		if want = plainNumbers(want); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %#v, want %#v", text, got, want)
		}
	})
}

// plainNumbers returns v with the type number for numbers.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	}
	return v
}

// A value of many members, such as a table by name, is no larger than what
// encoding/json returned.
func BenchmarkDecode(b *testing.B) {
	text := []byte(`{"rows":[` + strings.Repeat(`{"name":"row","values":[1,2.5,true,null],"note":"text with an é and an \n"},`, 1000) + `{}]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
