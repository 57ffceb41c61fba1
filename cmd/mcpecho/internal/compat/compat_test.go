package compat

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// schemas compares two schemas of a side.
func schemas(t testing.TB, s side, old, new string) []Change {
	t.Helper()
	a, err := parse([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	b, err := parse([]byte(new))
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	compareSchemas(r, `tool "x"`, s, a, b)
	return r.changes()
}

func kinds(changes []Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Kind.String())
	}
	return strings.Join(all, " ")
}

func TestSchemaRules(t *testing.T) {
	const object = `{"type":"object","properties":{"a":`
	for _, tt := range []struct{ name, old, new, input, output string }{
		{"equal", `{"type":"object"}`, `{ "type": "object" }`, "", ""},
		{"order of members", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"properties":{"b":{},"a":{}},"type":"object"}`, "", ""},
		{"becomes required", object + `{}}}`, object + `{}},"required":["a"]}`, "breaking", "ok"},
		{"becomes optional", object + `{}},"required":["a"]}`, object + `{}}}`, "ok", "breaking"},
		{"type narrowed", object + `{"type":["string","null"]}}}`, object + `{"type":"string"}}}`, "breaking", "ok"},
		{"type widened", object + `{"type":"integer"}}}`, object + `{"type":"number"}}}`, "ok", "breaking"},
		{"type changed", object + `{"type":"integer"}}}`, object + `{"type":"string"}}}`, "breaking", "breaking"},
		{"type added", object + `{}}}`, object + `{"type":"string"}}}`, "breaking", "ok"},
		{"enum value removed", object + `{"enum":["a","b"]}}}`, object + `{"enum":["a"]}}}`, "breaking", "ok"},
		{"enum value added", object + `{"enum":["a"]}}}`, object + `{"enum":["b","a"]}}}`, "ok", "breaking"},
		{"const becomes enum", object + `{"const":"a"}}}`, object + `{"enum":["a","b"]}}}`, "ok", "breaking"},
		{"const with type", object + `{"const":"a"}}}`, object + `{"const":"a","type":"string"}}}`, "", ""},
		{"enum added", object + `{"type":"string"}}}`, object + `{"type":"string","enum":["a"]}}}`, "breaking", "ok"},
		{"enum removed", object + `{"type":"string","enum":["a"]}}}`, object + `{"type":"string"}}}`, "ok", "breaking"},
		{"minimum stricter", object + `{"minimum":1}}}`, object + `{"minimum":1.5}}}`, "breaking", "ok"},
		{"minimum equal", object + `{"minimum":10}}}`, object + `{"minimum":1e1}}}`, "", ""},
		{"minimum exclusive", object + `{"minimum":1}}}`, object + `{"exclusiveMinimum":1}}}`, "breaking", "ok"},
		{"maximum looser", object + `{"maximum":-10}}}`, object + `{"maximum":-2}}}`, "ok", "breaking"},
		{"maxLength added", object + `{"type":"string"}}}`, object + `{"type":"string","maxLength":5}}}`, "breaking", "ok"},
		{"minLength 0 added", object + `{"type":"string"}}}`, object + `{"type":"string","minLength":0}}}`, "", ""},
		{"minItems removed", object + `{"type":"array","minItems":2}}}`, object + `{"type":"array"}}}`, "ok", "breaking"},
		{"bound of another type", object + `{"type":"string","minimum":1}}}`, object + `{"type":"string","minimum":2}}}`, "", ""},
		{"items narrowed", object + `{"type":"array"}}}`, object + `{"type":"array","items":{"type":"string"}}}}`, "breaking", "ok"},
		{"unique", object + `{"type":"array"}}}`, object + `{"type":"array","uniqueItems":true}}}`, "breaking", "ok"},
		{"property removed, closed", object + `{}},"additionalProperties":false}`, `{"type":"object","additionalProperties":false}`, "breaking", "ok"},
		{"required property removed, closed", object + `{}},"required":["a"],"additionalProperties":false}`, `{"type":"object","additionalProperties":false}`, "breaking", "breaking"},
		{"property removed, open", object + `{}}}`, `{"type":"object"}`, "unknown", "breaking"},
		{"optional property added, closed", `{"type":"object","additionalProperties":false}`, object + `{}},"additionalProperties":false}`, "ok", "breaking"},
		{"optional property added, open", `{"type":"object"}`, object + `{}}}`, "noted", "noted"},
		{"required property added", `{"type":"object"}`, object + `{}},"required":["a"]}`, "breaking", "noted ok"},
		{"property added to others with a type", `{"type":"object","additionalProperties":{"type":"string"}}`, object + `{"type":"number"}},"additionalProperties":{"type":"string"}}`, "noted breaking", "noted breaking"},
		{"required property gets a type", `{"required":["a"]}`, `{"required":["a"],"properties":{"a":{"type":"string"}}}`, "breaking", "ok"},
		{"property added beside oneOf", `{"oneOf":[{"properties":{"a":{}}}]}`, `{"oneOf":[{"properties":{"a":{}}}],"properties":{"a":{"type":"string"}}}`, "unknown", "noted"},
		{"opened", `{"type":"object","additionalProperties":false}`, `{"type":"object"}`, "ok", "breaking"},
		{"closed", `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, "breaking", "ok"},
		{"anyOf branch added", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "ok", "breaking"},
		{"anyOf branch removed", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"}]}`, "breaking", "ok"},
		{"anyOf in another order", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, "", ""},
		{"becomes nullable", `{"type":"string"}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "ok", "breaking"},
		{"nullable in another way", `{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "", ""},
		{"anyOf branch narrowed", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}`, "breaking", "ok"},
		{"allOf added", `{"type":"object"}`, `{"type":"object","allOf":[{"required":["a"]}]}`, "breaking", "ok"},
		{"allOf of one", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"string"}}}`, "", ""},
		{"oneOf", `{"oneOf":[{"type":"string"}]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, "unknown", "unknown"},
		{"not", `{}`, `{"not":{"type":"string"}}`, "unknown", "unknown"},
		{"if", `{"if":{}}`, `{}`, "unknown", "unknown"},
		{"pattern", `{"pattern":"a"}`, `{"pattern":"b"}`, "unknown", "unknown"},
		{"format", `{"type":"string"}`, `{"type":"string","format":"date"}`, "unknown", "unknown"},
		{"own keyword", `{}`, `{"x-mine":1}`, "unknown", "unknown"},
		{"unevaluated", `{"unevaluatedProperties":false}`, `{"unevaluatedProperties":false,"properties":{"a":{}}}`, "unknown", "unknown"},
		{"remote reference", `{"$ref":"https://example.com/a.json"}`, `{"$ref":"https://example.com/b.json"}`, "unknown", "unknown"},
		{"remote reference, unchanged", object + `{"$ref":"https://example.com/a.json"}}}`, object + `{"$ref":"https://example.com/a.json"}},"minProperties":1}`, "breaking", "ok"},
		{"masked value", object + `{"const":"***"}}}`, object + `{"const":"***"}}}`, "unknown", "unknown"},
		{"default", object + `{"default":1}}}`, object + `{"default":2}}}`, "unknown", "ok"},
		{"x-mcp-header", object + `{"x-mcp-header":"A"}}}`, object + `{"x-mcp-header":"B"}}}`, "breaking", "noted"},
		{"texts", object + `{"description":"one"}}}`, object + `{"description":"two"}}}`, "noted", "noted"},
		{"definition changed", object + `{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, object + `{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`, "ok", "breaking"},
		{"definition moved", object + `{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, object + `{"$ref":"#/definitions/m"}},"definitions":{"m":{"type":"integer"}}}`, "", ""},
		{"definition unused", object + `{}},"$defs":{"n":{"type":"integer"}}}`, object + `{}},"$defs":{"n":{"type":"number"}}}`, "", ""},
		{"definition of oneOf changed", `{"oneOf":[{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"integer"}}}`, `{"oneOf":[{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"number"}}}`, "unknown", "unknown"},
		{"recursion", `{"properties":{"next":{"$ref":"#"},"v":{"type":"string"}}}`, `{"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}}}`, "breaking", "breaking"},
		{"endless references", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a","title":"x"}}}`, "noted unknown", "noted unknown"},
		{"reference with siblings", `{"$ref":"#/$defs/a","maxLength":3,"$defs":{"a":{"type":"string"}}}`, `{"$ref":"#/$defs/a","maxLength":2,"$defs":{"a":{"type":"string"}}}`, "breaking", "ok"},
		{"dialect", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "noted", "noted"},
		{"dialect that matters", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}]}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, "unknown", "unknown"},
		{"own id", object + `{"$id":"x","type":"string"}}}`, object + `{"$id":"x","type":"string"}},"minProperties":0}`, "unknown", "unknown"},
		{"patternProperties", `{"patternProperties":{"^a":{}},"additionalProperties":false}`, `{"patternProperties":{"^a":{}},"properties":{"ab":{}},"additionalProperties":false}`, "unknown", "unknown"},
		{"false", `{"properties":{"a":false}}`, `{"properties":{"a":{}}}`, "ok", "breaking"},
		{"multipleOf", `{"multipleOf":2}`, `{"multipleOf":4}`, "unknown", "unknown"},
	} {
		if got := kinds(schemas(t, input, tt.old, tt.new)); got != tt.input {
			t.Errorf("%s: as input %q, want %q: %v", tt.name, got, tt.input, schemas(t, input, tt.old, tt.new))
		}
		if got := kinds(schemas(t, output, tt.old, tt.new)); got != tt.output {
			t.Errorf("%s: as output %q, want %q: %v", tt.name, got, tt.output, schemas(t, output, tt.old, tt.new))
		}
	}
}

// catalog returns a catalog with lists of items in JSON.
func catalog(lists ...string) *Catalog {
	k := &Catalog{server: server{version: mcp.ProtocolVersion20260728}}
	for i, list := range lists {
		for _, item := range strings.Split(list, "\n") {
			if item != "" {
				k.lists[i] = append(k.lists[i], mcp.RawMessage(item))
			}
		}
	}
	return k
}

func TestItems(t *testing.T) {
	tool := func(more string) *Catalog { return catalog(`{"name":"x"` + more + `}`) }
	prompt := func(args string) *Catalog { return catalog("", `{"name":"p","arguments":[`+args+`]}`) }
	for _, tt := range []struct {
		name     string
		old, new *Catalog
		want     string
	}{
		{"equal", tool(""), tool(""), ""},
		{"tool gone", tool(""), catalog(), "breaking"},
		{"tool added", catalog(), tool(""), "ok"},
		{"description", tool(`,"description":"a"`), tool(`,"description":"b"`), "noted"},
		{"outputSchema removed", tool(`,"outputSchema":{}`), tool(""), "breaking"},
		{"outputSchema added", tool(""), tool(`,"outputSchema":{}`), "ok"},
		{"read-only lost", tool(`,"annotations":{"readOnlyHint":true}`), tool(""), "breaking"},
		{"read-only gained", tool(""), tool(`,"annotations":{"readOnlyHint":true}`), "ok"},
		{"destructive gained", tool(`,"annotations":{"destructiveHint":false}`), tool(`,"annotations":{"destructiveHint":true}`), "breaking"},
		{"destructive lost", tool(""), tool(`,"annotations":{"destructiveHint":false}`), "ok"},
		{"idempotent lost", tool(`,"annotations":{"idempotentHint":true}`), tool(""), "unknown"},
		{"task required", tool(""), tool(`,"execution":{"taskSupport":"required"}`), "breaking"},
		{"own member", tool(""), tool(`,"_meta":{"a":1}`), "unknown"},
		{"item too deep", tool(`,"inputSchema":` + strings.Repeat("[", 130) + strings.Repeat("]", 130)), tool(""), "unknown ok"},
		{"schema too long", tool(`,"inputSchema":{"a":"` + strings.Repeat("x", maxText) + `"}`), tool(`,"inputSchema":{}`), "unknown"},
		{"twice", catalog(`{"name":"x"}` + "\n" + `{"name":"x","title":"y"}`), tool(""), "unknown"},
		{"argument required", prompt(`{"name":"a"}`), prompt(`{"name":"a","required":true}`), "breaking"},
		{"argument optional", prompt(`{"name":"a","required":true}`), prompt(`{"name":"a"}`), "ok"},
		{"new required argument", prompt(``), prompt(`{"name":"a","required":true}`), "breaking"},
		{"new optional argument", prompt(``), prompt(`{"name":"a"}`), "ok"},
		{"argument removed", prompt(`{"name":"a"}`), prompt(``), "unknown"},
		{"resource gone", catalog("", "", `{"uri":"a:b","name":"x"}`), catalog(), "breaking"},
		{"MIME type", catalog("", "", `{"uri":"a:b","mimeType":"text/plain"}`), catalog("", "", `{"uri":"a:b","mimeType":"text/html"}`), "unknown"},
		{"template gone", catalog("", "", "", `{"uriTemplate":"a:{b}","name":"x"}`), catalog(), "breaking"},
	} {
		if got := kinds(Compare(tt.old, tt.new)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestValues are masked and short, and hold no control characters.
func TestValues(t *testing.T) {
	old := `{"type":"object","properties":{"api_key":{"default":"abcdefgh"},"b":{"default":"sk-abcdefgh"},"c":{"description":"` + strings.Repeat("x", 5000) +
		`one"},"d":{"description":"https://user:pass@example.com/"},"e\u001b[2J":{"enum":["a\u001b[2J\u202e"]}}}`
	new := strings.NewReplacer("abcdefgh", "ijklmnop", "xone", "xtwo", "example.com/", "example.com/x", `a\u001b`, `b\u001b`).Replace(old)
	changes := schemas(t, input, old, new)
	if len(changes) != 6 {
		t.Fatalf("%d changes: %v", len(changes), changes)
	}
	for _, c := range changes {
		all := c.Item + c.Path + c.Text + c.Old + c.New
		if len(c.Old) > 2*maxQuote || len(c.New) > 2*maxQuote || strings.ContainsAny(all, "\x1b\u202e") {
			t.Errorf("%q", all)
		}
		for _, secret := range []string{"abcdefgh", "ijklmnop", "pass"} {
			if strings.Contains(all, secret) {
				t.Errorf("%q shows %s", all, secret)
			}
		}
	}
	if c := changes[2]; !strings.HasSuffix(c.Old, `xone"`) || !strings.HasSuffix(c.New, `xtwo"`) {
		t.Errorf("%q and %q do not show the difference", c.Old, c.New)
	}
}

func TestManyChanges(t *testing.T) {
	var old strings.Builder
	for i := range 3000 {
		old.WriteString(`{"name":"t` + itoa(i) + `"}` + "\n")
	}
	changes := Compare(catalog(old.String()), catalog())
	if last := changes[len(changes)-1]; len(changes) != maxChanges+1 || last.Text != "2000 more changes" || last.Kind != Breaking || Worst(changes) != Breaking {
		t.Errorf("%d changes, the last one is %v", len(changes), last)
	}
}

// TestStepsAreLimited for references that meet in ever new pairs.
func TestStepsAreLimited(t *testing.T) {
	circle := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
		for i := range n {
			b.WriteString(`"d` + itoa(i) + `":{"items":{"$ref":"#/$defs/d` + itoa((i+1)%n) + `"}},`)
		}
		return strings.TrimSuffix(b.String(), ",") + "}}"
	}
	changes := schemas(t, input, circle(500), circle(499))
	if len(changes) != 1 || changes[0].Kind != Unknown || !strings.Contains(changes[0].Text, "too many steps") || len(changes[0].Path) > 2*maxPath {
		t.Errorf("%v", changes)
	}
}

// TestSharedListsAreLimited for a list of values that many properties refer to.
func TestSharedListsAreLimited(t *testing.T) {
	var refs, others, values strings.Builder
	for i := range 200 {
		refs.WriteString(`"p` + itoa(i) + `":{"$ref":"#/$defs/e"},`)
		others.WriteString(`"p` + itoa(i) + `":{"enum":[` + itoa(i) + `]},`)
	}
	for i := range 2000 {
		values.WriteString(`"v` + itoa(i) + `",`)
	}
	changes := schemas(t, input, `{"properties":{`+refs.String()+`"x":{}},"$defs":{"e":{"enum":[`+values.String()+`1]}}}`, `{"properties":{`+others.String()+`"x":{}}}`)
	if text := changes[len(changes)-1].Text; len(text) > len("99999 more changes") {
		t.Error(text)
	}
}
