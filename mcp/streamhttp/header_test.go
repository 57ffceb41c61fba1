package streamhttp

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestEncodeValue has the table of the specification first (2026-07-28:
// Streamable HTTP, Value Encoding).
func TestEncodeValue(t *testing.T) {
	for in, want := range map[string]string{
		"us-west1":                "us-west1",
		"Hello, 世界":               "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":                "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":            "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":      "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"":                        "",
		"us west 1":               "us west 1",
		" x":                      "=?base64?IHg=?=",
		"x ":                      "=?base64?eCA=?=",
		"\tx":                     "=?base64?CXg=?=",
		"a\tb":                    "=?base64?YQli?=",
		"a\r\nInjected: yes":      "=?base64?YQ0KSW5qZWN0ZWQ6IHllcw==?=",
		"\x00":                    "=?base64?AA==?=",
		"\x7f":                    "=?base64?fw==?=",
		"=?base64??=":             "=?base64?PT9iYXNlNjQ/Pz0=?=",
		"=?base64?":               "=?base64?",
		"=?BASE64?x?=":            "=?BASE64?x?=",
		"x=?base64?x?=":           "x=?base64?x?=",
		"file:///a%20b.json?x=1#": "file:///a%20b.json?x=1#",
		`"quoted", \ and (more)`:  `"quoted", \ and (more)`,
	} {
		if got := encodeValue(in); got != want {
			t.Errorf("encodeValue(%q) = %q, want %q", in, got, want)
		}
	}
}

// decodeValue is what servers do.
func decodeValue(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "=?base64?")
	if !ok {
		return s, true
	}
	if rest, ok = strings.CutSuffix(rest, "?="); !ok {
		return s, true
	}
	b, err := base64.StdEncoding.DecodeString(rest)
	return string(b), err == nil
}

func FuzzEncodeValue(f *testing.F) {
	for _, s := range []string{"", "x", " x", "x\n", "=?base64?x?=", "世", "\xff", "=?base64?=", "=?base64??=", "a\tb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		encoded := encodeValue(s)
		if !httpx.ValidValue(encoded) || strings.TrimSpace(encoded) != encoded {
			t.Errorf("%q becomes %q, which cannot be sent", s, encoded)
		}
		if got, ok := decodeValue(encoded); got != s || !ok {
			t.Errorf("%q becomes %q, which means %q", s, encoded, got)
		}
	})
}

// TestEncodedValuesArrive sends them over a real connection.
func TestEncodedValuesArrive(t *testing.T) {
	values := []string{"x", "", " x ", "a b", "a\r\nX: y", "世界", "=?base64?x?=", strings.Repeat("long", 1000), "\x00\x01", "a\tb"}
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, _ := decodeValue(r.Header.Get("Mcp-Name"))
		got = append(got, v)
	}))
	defer s.Close()
	for _, v := range values {
		req, _ := http.NewRequest("POST", s.URL, nil)
		req.Header["Mcp-Name"] = []string{encodeValue(v)}
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if !slices.Equal(got, values) {
		t.Errorf("got %q", got)
	}
}

// schema returns one with the properties given.
func schema(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }

func TestFindBindings(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"none", schema(`"a":{"type":"string"}`), ""},
		{"no schema", ``, ""},
		{"string", schema(`"a":{"type":"string","x-mcp-header":"A"}`), "a=Mcp-Param-A:string"},
		{"the name before the type", schema(`"a":{"x-mcp-header":"A","type":"string"}`), "a=Mcp-Param-A:string"},
		{"integer and boolean", schema(`"a":{"type":"integer","x-mcp-header":"A-b"},"c":{"type":"boolean","x-mcp-header":"x_y"}`), "a=Mcp-Param-A-B:integer c=Mcp-Param-X_y:boolean"},
		{"nested", schema(`"a":{"type":"object","properties":{"b":{"properties":{"c":{"type":"string","x-mcp-header":"C"}}}}}`), "a.b.c=Mcp-Param-C:string"},
		{"may be null", schema(`"a":{"type":["string","null"],"x-mcp-header":"A"}`), "a=Mcp-Param-A:string"},
		{"escaped", schema(`"a":{"type":"string","x\u002dmcp-header":"A"}`), "a=Mcp-Param-A:string"},
		{"every letter of a token", schema(`"a":{"type":"string","x-mcp-header":"!#$%&'*+-.^_` + "`" + `|~09azAZ"}`), "a=Mcp-Param-!#$%&'*+-.^_`|~09azaz:string"},
		{"a property of that name", schema(`"x-mcp-header":{"type":"string"}`), ""},
		{"a property of that name with one", schema(`"x-mcp-header":{"type":"string","x-mcp-header":"X"}`), "x-mcp-header=Mcp-Param-X:string"},
		{"in values", schema(`"a":{"type":"object","default":{"x-mcp-header":1},"const":{"x-mcp-header":1},"enum":[{"x-mcp-header":1}],"examples":[{"x-mcp-header":1}]}`), ""},
		{"in required", `{"type":"object","properties":{"x-mcp-header":{"type":"string"}},"required":["x-mcp-header"]}`, ""},
		{"in a text", schema(`"a":{"type":"string","description":"not an x-mcp-header"}`), ""},

		{"empty", schema(`"a":{"type":"string","x-mcp-header":""}`), "!not a valid"},
		{"no string", schema(`"a":{"type":"string","x-mcp-header":1}`), "!not a string"},
		{"null", schema(`"a":{"type":"string","x-mcp-header":null}`), "!not a string"},
		{"space", schema(`"a":{"type":"string","x-mcp-header":"A b"}`), "!not a valid"},
		{"colon", schema(`"a":{"type":"string","x-mcp-header":"A:b"}`), "!not a valid"},
		{"line break", schema(`"a":{"type":"string","x-mcp-header":"A\r\nB: c"}`), "!not a valid"},
		{"tab", schema(`"a":{"type":"string","x-mcp-header":"A\tB"}`), "!not a valid"},
		{"not ASCII", schema(`"a":{"type":"string","x-mcp-header":"Ä"}`), "!not a valid"},
		{"number", schema(`"a":{"type":"number","x-mcp-header":"A"}`), "!whose type is not"},
		{"object", schema(`"a":{"type":"object","x-mcp-header":"A"}`), "!whose type is not"},
		{"array", schema(`"a":{"type":"array","items":{"type":"string"},"x-mcp-header":"A"}`), "!whose type is not"},
		{"null type", schema(`"a":{"type":"null","x-mcp-header":"A"}`), "!whose type is not"},
		{"no type", schema(`"a":{"x-mcp-header":"A"}`), "!whose type is not"},
		{"two types", schema(`"a":{"type":["string","integer"],"x-mcp-header":"A"}`), "!whose type is not"},
		{"nonsense among the types", schema(`"a":{"type":["string",1],"x-mcp-header":"A"}`), "!whose type is not"},
		{"only null", schema(`"a":{"type":["null"],"x-mcp-header":"A"}`), "!whose type is not"},
		{"twice", schema(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}`), "!name of another"},
		{"twice but for the case", schema(`"a":{"type":"string","x-mcp-header":"My-field"},"b":{"type":"string","x-mcp-header":"mY-Field"}`), "!name of another"},
		{"twice at different depths", schema(`"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"a"}}}`), "!name of another"},
		{"at the root", `{"type":"object","x-mcp-header":"A"}`, "!not on a property"},
		{"in items", schema(`"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`), "!not on a property"},
		{"in prefixItems", schema(`"a":{"type":"array","prefixItems":[{"type":"string","x-mcp-header":"A"}]}`), "!not on a property"},
		{"in properties of items", schema(`"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}`), "!not on a property"},
		{"in oneOf", schema(`"a":{"oneOf":[{"type":"string","x-mcp-header":"A"}]}`), "!not on a property"},
		{"in anyOf at the root", `{"anyOf":[` + schema(`"a":{"type":"string","x-mcp-header":"A"}`) + `]}`, "!not on a property"},
		{"in allOf", `{"allOf":[` + schema(`"a":{"type":"string","x-mcp-header":"A"}`) + `]}`, "!not on a property"},
		{"in not", schema(`"a":{"not":{"type":"string","x-mcp-header":"A"}}`), "!not on a property"},
		{"in then", `{"if":{},"then":` + schema(`"a":{"type":"string","x-mcp-header":"A"}`) + `}`, "!not on a property"},
		{"in $defs", `{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`, "!not on a property"},
		{"in $defs of that name", `{"$defs":{"x-mcp-header":{"type":"string"}}}`, ""},
		{"in patternProperties", `{"patternProperties":{"a":{"type":"string","x-mcp-header":"A"}}}`, "!not on a property"},
		{"in additionalProperties", `{"additionalProperties":{"type":"string","x-mcp-header":"A"}}`, "!not on a property"},
		{"in dependentSchemas", `{"dependentSchemas":{"a":` + schema(`"b":{"type":"string","x-mcp-header":"A"}`) + `}}`, "!not on a property"},
		{"in something unknown", `{"x-other":{"x-mcp-header":"A"}}`, "!not on a property"},
		{"one good, one bad", schema(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"number","x-mcp-header":"B"}`), "!whose type is not"},
		{"no JSON", `{"x-mcp-header"`, "!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := findBindings([]byte(tt.schema))
			if reason, bad := strings.CutPrefix(tt.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("found %v, error %v", found, err)
				}
				return
			}
			var got []string
			for _, b := range found {
				got = append(got, strings.Join(b.path, ".")+"="+b.header+":"+b.kind)
			}
			if s := strings.Join(got, " "); s != tt.want || err != nil {
				t.Errorf("found %q, error %v, want %q", s, err, tt.want)
			}
		})
	}
}

func TestSetParams(t *testing.T) {
	bindings := []binding{
		{[]string{"s"}, "Mcp-Param-S", "string"},
		{[]string{"i"}, "Mcp-Param-I", "integer"},
		{[]string{"b"}, "Mcp-Param-B", "boolean"},
		{[]string{"o", "s"}, "Mcp-Param-Os", "string"},
	}
	for _, tt := range []struct{ args, want string }{
		{`{"s":"x","i":42,"b":true,"o":{"s":"y"}}`, "S=x I=42 B=true Os=y"},
		{`{"s":"","i":-7,"b":false}`, "S= I=-7 B=false"},
		{`{"s":null,"i":null,"b":null,"o":null}`, ""},
		{`{}`, ""},
		{``, ""},
		{`{"o":{"s":null}}`, ""},
		{`{"o":[{"s":"x"}]}`, ""},
		{`{"s":"a\r\nb"}`, "S==?base64?YQ0KYg==?="},
		{`{"s":"\u4e16"}`, "S==?base64?5LiW?="},
		{`{"i":42.0}`, "I=42"},
		{`{"i":1e3}`, "I=1000"},
		{`{"i":9007199254740991}`, "I=9007199254740991"},
		{`{"i":-9007199254740991}`, "I=-9007199254740991"},
		{`{"i":9007199254740992}`, "!argument i"},
		{`{"i":-9007199254740992}`, "!argument i"},
		{`{"i":1.5}`, "!argument i"},
		{`{"i":1e400}`, "!argument i"},
		{`{"s":1,"i":"x","b":"x","o":"x"}`, ""}, // for the server to refuse
		{`{"S":"x","x":{"s":"x"}}`, ""},
	} {
		params := `{"name":"x","s":"not an argument"}`
		if tt.args != "" {
			params = `{"name":"x","arguments":` + tt.args + `}`
		}
		h := http.Header{}
		err := setParams(h, bindings, []byte(params))
		if reason, bad := strings.CutPrefix(tt.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v, error %v", tt.args, h, err)
			}
			continue
		}
		var got []string
		for _, b := range bindings {
			if v := h[b.header]; v != nil {
				got = append(got, strings.TrimPrefix(b.header, "Mcp-Param-")+"="+v[0])
			}
		}
		if s := strings.Join(got, " "); s != tt.want || err != nil {
			t.Errorf("%s: %q, error %v, want %q", tt.args, s, err, tt.want)
		}
	}
}

// FuzzParams takes any schema and any arguments. What becomes of them can be
// sent, says what the arguments say, and is what a reader of another kind finds
// too.
func FuzzParams(f *testing.F) {
	f.Add(schema(`"a":{"type":"string","x-mcp-header":"A"}`), `{"a":"x\r\ny"}`)
	f.Add(schema(`"a":{"type":"integer","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"boolean","x-mcp-header":"C"}}}`), `{"a":1,"b":{"c":true}}`)
	f.Add(`{"x-mcp-header":{"x-mcp-header":[]}}`, `{}`)
	f.Add(schema(`"a":{"oneOf":[{"x-mcp-header":"A"}]}`), `[]`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		bindings, err := findBindings([]byte(schema))
		if err != nil {
			return
		}
		if len(bindings) > 0 && !json.Valid([]byte(schema)) {
			t.Fatalf("found %v in what is not JSON", bindings)
		}
		h := http.Header{}
		if err := setParams(h, bindings, []byte(`{"arguments":`+args+`}`)); err != nil {
			return
		}
		if err := httpx.CheckHeader(h); err != nil {
			t.Fatal(err)
		}
		if !json.Valid([]byte(args)) || !utf8.ValidString(args) {
			return // the connection doesn't get such arguments
		}
		var all any
		dec := json.NewDecoder(strings.NewReader(args))
		dec.UseNumber()
		if dec.Decode(&all) != nil {
			return
		}
		for _, b := range bindings {
			got, ok := h[b.header]
			if !ok {
				continue
			}
			v := all
			for _, name := range b.path {
				v = v.(map[string]any)[name]
			}
			decoded, _ := decodeValue(got[0])
			switch v := v.(type) {
			case string:
				if b.kind != "string" || decoded != v && strings.ToValidUTF8(decoded, "") != strings.ReplaceAll(v, "\ufffd", "") {
					t.Errorf("%q became %q", v, got[0])
				}
			case bool:
				if b.kind != "boolean" || decoded != map[bool]string{true: "true", false: "false"}[v] {
					t.Errorf("%v became %q", v, got[0])
				}
			case json.Number:
				a, _ := v.Float64()
				n, _ := json.Number(decoded).Float64()
				if b.kind != "integer" || a != n {
					t.Errorf("%v became %q", v, got[0])
				}
			default:
				t.Errorf("%v became %q", v, got[0])
			}
		}
	})
}

// TestBindingIsReplaced: what holds is the schema that came last.
func TestBindingIsReplaced(t *testing.T) {
	c := &conn{bindings: make(map[string]*toolBindings)}
	for _, tt := range []struct {
		schema string
		ok     bool
		want   int
	}{
		{schema(`"a":{"type":"string","x-mcp-header":"A"}`), true, 1},
		{schema(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"B"}`), true, 2},
		{schema(`"a":{"type":"string","x-mcp-header":""}`), false, 0},
		{schema(`"a":{"type":"string","x-mcp-header":"A"}`), true, 1},
		{schema(`"a":{"type":"string"}`), true, 0},
	} {
		if err := c.bindArguments("x", jsonrpc.RawMessage(tt.schema)); (err == nil) != tt.ok || tt.want > 0 && len(c.bindings["x"].all) != tt.want || tt.want == 0 && c.bindings["x"] != nil {
			t.Errorf("%s: %v, %v", tt.schema, c.bindings, err)
		}
	}
}
