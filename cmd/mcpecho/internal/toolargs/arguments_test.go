package toolargs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testSchema = `{
	"type": "object",
	"$defs": {"color": {"type": "string", "enum": ["red", "1"]}, "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
	"properties": {
		"s": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"},
		"a": {"type": "array", "items": {"type": "string"}}, "o": {"type": "object"}, "any": {}, "true": true,
		"optional": {"anyOf": [{"type": "string"}, {"type": "null"}]},
		"either": {"type": ["string", "integer"]},
		"mixed": {"oneOf": [{"type": "number"}, {"type": "array"}]},
		"open": {"anyOf": [{"type": "string"}, {}]},
		"color": {"$ref": "#/$defs/color"}, "node": {"$ref": "#/$defs/node"},
		"choice": {"enum": ["1", "2"]}, "level": {"enum": [1, 2]}, "fixed": {"const": "x"}
	}
}`

func TestArgumentsFollowTheSchema(t *testing.T) {
	s := ParseSchema([]byte(testSchema))
	tests := []struct{ arg, want string }{
		{"s=000123", `"000123"`},
		{"s=true", `"true"`},
		{`s="quoted"`, `"\"quoted\""`},
		{"s=", `""`},
		{"s=a=b", `"a=b"`},
		{"s:=12", `12`},
		{"n=12", `12`},
		{"n=1.50", `1.50`},
		{"n=1e400", `1e400`},
		{"n= 7 ", `7`},
		{"n=x", `requires number`},
		{`n="1"`, `requires number`},
		{"n=true", `requires number`},
		{"n=", `requires number`},
		{"n:=null", `null`},
		{"i=9007199254740993", `9007199254740993`},
		{"i=three", `requires integer`},
		{"b=true", `true`},
		{"b=yes", `requires boolean`},
		{`a=["x"]`, `["x"]`},
		{"a=x", `requires array of string`},
		{`o={"k":[1, 2]}`, `{"k":[1, 2]}`},
		{"o=[]", `requires object`},
		{"any=12", `12`},
		{"any=000123", `"000123"`},
		{"any=text", `"text"`},
		{"true=[1]", `[1]`},
		{"optional=12", `"12"`},
		{"optional=null", `"null"`},
		{"either=12", `12`},
		{"either=twelve", `"twelve"`},
		{"either=true", `"true"`},
		{"mixed=[1]", `[1]`},
		{"mixed=x", `requires number or array`},
		{"open=12", `12`},
		{"open=x", `"x"`},
		{"color=1", `"1"`},
		{"color=red", `"red"`},
		{`node={"next":{}}`, `{"next":{}}`},
		{"choice=1", `"1"`},
		{"level=1", `1`},
		{"level=one", `requires one of 1, 2`},
		{"fixed=x", `"x"`},
		{"none=1", `no argument`},
		{"S=1", `no argument "S" (did you mean "s"?)`},
	}
	for _, test := range tests {
		given, err := Read(t.Context(), []string{test.arg}, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.arg, err)
		}
		raw, err := given.Object("tool", s)
		key, _, _ := strings.Cut(test.arg, "=")
		want := `{"` + strings.TrimSuffix(key, ":") + `":` + test.want + "}"
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %s", test.arg, err, test.want)
			}
		} else if string(raw) != want || !json.Valid(raw) {
			t.Errorf("%s: got %s, want %s", test.arg, raw, want)
		}
	}
}

// noFile returns the error of this system for a file that does not exist.
func noFile(t *testing.T) string {
	t.Helper()
	var err *fs.PathError
	if _, e := os.Open(filepath.Join(t.TempDir(), "none")); !errors.As(e, &err) {
		t.Fatal(e)
	}
	return err.Err.Error()
}

func TestArgumentsFromFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text, number, binary := write("text", "two\nlines\n"), write("number", "42\n"), write("binary", "\xff\x00")
	tests := []struct{ arg, want string }{
		{"s=@" + text, `{"s":"two\nlines\n"}`},
		{"s=@" + number, `{"s":"42\n"}`},
		{"n=@" + number, `{"n":42}`},
		{"any:=@" + number, `{"any":42}`},
		{`s:="@home"`, `{"s":"@home"}`},
		{"s=@" + binary, "not UTF-8"},
		{"n:=@" + text, "not JSON"},
		{"s=@" + filepath.Join(dir, "none"), noFile(t)},
	}
	for _, test := range tests {
		var raw json.RawMessage
		given, err := Read(t.Context(), []string{test.arg}, nil)
		if err == nil {
			raw, err = given.Object("tool", ParseSchema([]byte(testSchema)))
		}
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %s", test.arg, err, test.want)
			}
		} else if string(raw) != test.want {
			t.Errorf("%s: got %s, want %s", test.arg, raw, test.want)
		}
	}
}

func TestSchemaWithAdditionalProperties(t *testing.T) {
	for schema, open := range map[string]bool{
		`{"type":"object"}`: true,
		`{"type":"object","additionalProperties":false}`:       false,
		`{"type":"object","properties":{}}`:                    false,
		`{"properties":{},"additionalProperties":true}`:        true,
		`{"properties":{},"additionalProperties":{}}`:          true,
		`{"properties":{},"patternProperties":{"^x":{}}}`:      true,
		`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{}}}}`: true,
		`{"$ref":"https://example.com/schema"}`:                true,
		`{"properties":{},"anyOf":[{"required":["a"]}]}`:       true,
		`{"properties":{"a":{"additionalProperties":true}}}`:   false,
		`true`:                   true,
		`[]`:                     true,
		``:                       true,
		`{"properties":{"a":{}}`: false, // broken off; the server knows better
	} {
		if s := ParseSchema([]byte(schema)); s.Open != open {
			t.Errorf("%s: open is %v", schema, s.Open)
		}
	}
}

// A schema that refers to itself must not be followed for ever.
func TestRecursiveSchema(t *testing.T) {
	for _, schema := range []string{
		`{"$ref":"#"}`,
		`{"properties":{"a":{"$ref":"#"}}}`,
		`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"allOf":[{"$ref":"#/allOf/0"}]}`,
	} {
		s := ParseSchema([]byte(schema))
		if s.Kind() == "" {
			t.Errorf("%s: no kind", schema)
		}
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(testSchema))
	f.Add([]byte(`{"type":5,"properties":[],"required":"a","enum":{},"items":[{}],"anyOf":[1]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := ParseSchema(raw)
		given := &Given{Each: []Argument{{Key: "a", Value: "1"}}}
		if b, err := given.Object("tool", s); err == nil && !json.Valid(b) {
			t.Errorf("%s of %s", b, raw)
		}
		_ = strings.Join(Example(s).Texts(), " ") + s.Kind()
	})
}

// Some generators of schemas require arguments that have a default.
func TestRequiredArgumentsWithDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	s := ParseSchema([]byte(`{"type":"object","properties":{"scale":{"enum":["css","device"],"default":"css"},"size":{"type":"object","default":{
		"w": 1}},"url":{"type":"string"}},"required":["url","scale","size"]}`))
	for args, want := range map[string]string{
		"url=x":              `{"url":"x","scale":"css","size":{"w":1}}`,
		"url=x scale=device": `{"url":"x","scale":"device","size":{"w":1}}`,
		"scale=css":          `the tool "shot" requires url`,
	} {
		given, err := Read(t.Context(), strings.Fields(args), nil)
		if err != nil {
			t.Fatal(err)
		}
		object, err := given.Object("shot", s)
		if err != nil {
			object = []byte(err.Error())
		}
		if have := strings.ReplaceAll(string(object), "\t", ""); !strings.HasPrefix(have, want) {
			t.Errorf("%s: %s, want %s", args, have, want)
		}
	}
	if have := strings.Join(Signature(s), ", "); have != `url: string, scale?: "css"|"device", size?: object` {
		t.Error(have)
	}
}
