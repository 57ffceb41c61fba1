package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

func TestMended(t *testing.T) {
	const open, end = `{"type":"object","properties":{"p":`, `}}`
	for _, test := range []struct {
		provider      string
		property, out string
		rule          string
	}{
		{"openai", `{"type":"array"}`, `{"type":"array","items":{}}`, "items"},
		{"openai", `{"type":["null","array"],"prefixItems":[{}]}`, `{"type":["null","array"],"prefixItems":[{}],"items":{}}`, "items"},
		{"openai", `{"type":"array","items":[{"type":"array"}]}`, `{"type":"array","prefixItems":[{"type":"array","items":{}}],"items":{}}`, "draft items"},
		{"openai", `{"pattern":"^(?=a)b"}`, `{"description":"pattern: ^(?=a)b"}`, "pattern"},
		{"openai", `{"description":"A b.","pattern":"\\p{L}"}`, `{"description":"A b.\npattern: \\p{L}"}`, "pattern"},
		{"openai", `{"patternProperties":{"(?<!a)b":{}},"additionalProperties":false}`, `{"patternProperties":{},"additionalProperties":true,"description":"Names may match the pattern (?<!a)b"}`, "pattern"},
		{"openai", `{"enum":[1,1,"a"]}`, `{"enum":[1,"a"]}`, "enum"},
		{"anthropic", `{"minimum":1,"exclusiveMinimum":true}`, `{"minimum":1,"exclusiveMinimum":1}`, "draft"},
		{"anthropic", `{"required":["a","a"]}`, `{"required":["a"]}`, "draft"},
		{"anthropic", `{"type":"int"}`, `{"type":"integer"}`, "draft"},
		{"anthropic", `{"type":["string","blob"]}`, `{}`, "draft"},
		{"anthropic", `"string"`, `{"type":"string"}`, "draft"},
		{"anthropic", `"blob"`, `{}`, "draft"},
		{"anthropic", `{"description":5,"minLength":"2","maxLength":2.0,"multipleOf":"0","uniqueItems":"true","type":["string",null]}`, `{"description":"5\nmultipleOf: 0","minLength":2,"maxLength":2.0,"uniqueItems":true,"type":["string","null"]}`, "draft"},
		{"gemini", `{"properties":{"a":true,"b":false},"additionalProperties":true,"items":true}`, `{"properties":{"a":{},"b":{"not":{}}},"additionalProperties":true,"items":{}}`, "boolean"},
		{"openai", `{"type":"array","items":false}`, `{"type":"array","items":{"not":{}}}`, "items"},
		{"anthropic", `{"anyOf":[]}`, `{}`, "draft"},
		{"anthropic", `{"$id":"#a"}`, `{"$anchor":"a"}`, "draft"},
		{"anthropic", `{"$ref":"#/$defs/x","description":"d"}`, `{"description":"d\n$ref: #/$defs/x"}`, "reference"},
		{"gemini", `{"$ref":"#/properties/p/x","x":{"type":"null"}}`, `{"x":{"type":"null"},"anyOf":[{"$ref":"#/$defs/d1"}]}`, "definitions siblings"},
		{"gemini", `{"$ref":"#/properties","$dynamicRef":"#x"}`, `{"description":"$dynamicRef: #x","anyOf":[{"$ref":"#/$defs/d1"}]}`, "reference siblings"},
		{"gemini", `{"properties":{"kids":{"type":"array","items":{"$ref":"#/properties/p"}}},"required":["kids"]}`,
			`{"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/d1"}}},"description":"required: kids"}`, "cycle definitions"},
		{"gemini-parameters", `{"type":["string","null"],"enum":["a",null]}`, `{"type":"string","enum":["a"],"nullable":true}`, "openapi"},
		{"gemini-parameters", `{"type":"string","enum":["a"],"nullable":true}`, `{"type":"string","enum":["a"],"nullable":true}`, ""},
		{"gemini-parameters", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"integer"}}]}`,
			`{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"integer"}}]}`, ""},
		{"gemini-parameters", `{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"integer"}}]}`,
			`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`, "openapi"},
		{"gemini-parameters", `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}],"title":"T"}`,
			`{"anyOf":[{"type":"string","title":"T","nullable":true},{"type":"integer","title":"T","nullable":true}]}`, "openapi"},
		{"gemini-parameters", `{"enum":["",1]}`, `{"anyOf":[{"type":"string","description":"One of: \"\"."},{"type":"number","description":"One of: 1."}]}`, "openapi"},
		{"gemini-parameters", `{"type":"file"}`, `{"type":"string","description":"type: file"}`, "openapi"},
	} {
		p := providers[slices.IndexFunc(providers, func(p provider) bool { return p.name == test.provider })]
		got, _ := accepted(t, p, open+test.property+end)
		if !strings.HasPrefix(got, open+test.out+"}") {
			t.Errorf("%s: %s:\nhave %s\nwant %s", p.name, test.property, got, open+test.out+"}")
		}
		found, err := schema.Check(p.name, tool(open+test.property+end))
		for _, rule := range strings.Fields(test.rule) {
			if err != nil || !slices.ContainsFunc(found, func(f schema.Finding) bool {
				return f.Rule.Name == rule && strings.HasPrefix(f.Path, "/properties/p") && f.Rule.Source != "" && slices.Contains(f.Rule.Providers, p.name)
			}) {
				t.Errorf("%s: %s: found %v, want %s; %v", p.name, test.property, names(found), rule, err)
			}
		}
	}
}

func TestCyclesOfRequiredProperties(t *testing.T) {
	const node, other = `{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/%s"},{"type":"null"}]},"v":{}},"required":%s}`, `"required":["next"]`
	for _, test := range []struct{ a, b, want string }{ // what the definitions a and b, which refer to each other, require
		{`["next","v"]`, `["next"]`, "cycle at /$defs/b/properties/next"},
		{`["next"]`, `["v"]`, ""},
		{`["v"]`, `["next"]`, ""},
	} {
		s := `{"type":"object","properties":{"p":{"$ref":"#/$defs/a"}},"required":["p"],"$defs":{"a":` + fmt.Sprintf(node, "b", test.a) + `,"b":` + fmt.Sprintf(node, "a", test.b) + `}}`
		for _, p := range []provider{providers[3], providers[5]} {
			found, err := schema.Check(p.name, tool(s))
			if got := strings.Join(names(found), ", "); err != nil || got != test.want {
				t.Errorf("%s: %s: found %q, %v", p.name, s, got, err)
			}
			mended, _ := accepted(t, p, s)
			if test.want != "" && (strings.Contains(mended, other) || !strings.Contains(mended, `"required":["next","v"]`) || found[0].Lost != "required: next") {
				t.Errorf("%s: %s became %s", p.name, s, mended)
			}
		}
	}
	// The schema of the root, and one that has the properties of a union there.
	for _, s := range []string{`{"type":"object","properties":{"p":{"$ref":"#"}},"required":["p"]}`, `{"allOf":[{"properties":{"p":{"$ref":"#"}},"required":["p"]}]}`} {
		d, err := schema.Gemini(tool(s))
		if err != nil || strings.Contains(string(d), "\"required\":") || !strings.Contains(member(t, d, "description"), "required: p") {
			t.Errorf("%s became %s, %v", s, d, err)
		}
	}
}

// TestManyParts: what is merged of many parts nests no deeper than they do, and a long
// pattern is not repeated.
func TestManyParts(t *testing.T) {
	parts := ""
	for i := range 150 {
		parts += fmt.Sprintf(`,{"properties":{"p":{"pattern":"%d"}}}`, i)
	}
	d, err := schema.OpenAI(tool(`{"allOf":[` + parts[1:] + `]}`))
	if err != nil || wire.Valid(d) != nil || strings.Count(string(d), `"allOf"`) != 1 {
		t.Errorf("%d times allOf, %v, %v", strings.Count(string(d), `"allOf"`), err, wire.Valid(d))
	}
	d, err = schema.OpenAI(tool(`{"type":"object","properties":{"p":{"patternProperties":{"(?=` + strings.Repeat("x", 300) + `)":{}}}}}`))
	if err != nil || strings.Contains(string(d), "xxx") || !strings.Contains(string(d), "more than fits here") {
		t.Errorf("%s, %v", d, err)
	}
}

// TestManyLosses: what many parts lose is not copied again for each of them, nor is a long
// description beside them.
func TestManyLosses(t *testing.T) {
	const n, short = 500, 150
	repeat := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1, strings.Repeat("d", short))
		}
		return b.String()
	}
	for _, test := range []struct{ provider, schema string }{
		{"openai", `{"type":"object","properties":{"p":{"patternProperties":{` + repeat(`"(?=%d)":{"x":"%d %s"},`) + `"a":{}},"description":"` + strings.Repeat("d", n*short) + `"}}}`},
		{"openai", `{"type":"object","allOf":[` + repeat(`{"not":{"const":"%d %d %s"}},`) + `{}]}`},
		{"gemini-parameters", `{"type":"object","properties":{"p":{"$ref":"#/$defs/0"}},"$defs":{` + repeat(`"%d":{"$ref":"#/$defs/%d","description":"%s"},`) + `"500":{}}}`},
	} {
		p := providers[slices.IndexFunc(providers, func(p provider) bool { return p.name == test.provider })]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := p.define(tool(test.schema))
		found, err2 := schema.Check(p.name, tool(test.schema))
		runtime.ReadMemStats(&after)
		if times := (after.TotalAlloc - before.TotalAlloc) / uint64(len(test.schema)); err != nil || err2 != nil || len(found) == 0 || times > 150 {
			t.Errorf("%s: %.60s…: allocates %d times its length, %d findings, %v, %v", p.name, test.schema, times, len(found), err, err2)
		}
	}
}

func TestUnionsAtTheRoot(t *testing.T) {
	for _, test := range []struct{ schema, want, lost string }{
		{`{"oneOf":[{"properties":{"op":{"const":"add"},"v":{"type":"string"}},"required":["op","v"],"additionalProperties":false},
			{"properties":{"op":{"const":"set"},"v":{"type":"array","items":{"type":"string"}}},"required":["op","v"],"additionalProperties":false},
			{"properties":{"op":{"const":"list"}},"required":["op"],"additionalProperties":false}]}`,
			`{"properties":{"op":{"type":"string","enum":["add","set","list"]},"v":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}},` +
				`"required":["op"],"additionalProperties":false,"type":"object"}`,
			`Required arguments: op="add", v; or op="set", v; or op="list".`},
		{`{"anyOf":[{"$ref":"#/$defs/a"},{"type":"object","properties":{"x":{"type":"null"}}},{"type":"array"}],"$defs":{"a":{"properties":{"x":{"type":"string"}},"additionalProperties":false}}}`,
			`{"$defs":{"a":{"properties":{"x":{"type":"string"}},"additionalProperties":false}},"properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}},"type":"object"}`, ""},
		{`{"type":"object","properties":{"k":{"type":"string","description":"D"}},"allOf":[{"properties":{"k":{"enum":["a"]}}}],"anyOf":[{"required":["k"]},{"required":["l"]}]}`,
			`{"type":"object","properties":{"k":{"type":"string","description":"D","enum":["a"]}}}`, `Required arguments: k; or l.`},
		{`{"type":"object","properties":{"k":{"enum":["a","b"]},"l":{}},"allOf":[{"if":{"properties":{"k":{"const":"a"}}},"then":{"required":["l"]}},{"title":"T","minProperties":1}]}`,
			`{"type":"object","properties":{"k":{"enum":["a","b"]},"l":{}}}`, `if: {"properties":{"k":{"const":"a"}}}\nthen: {"required":["l"]}\nminProperties: 1`},
	} {
		for _, p := range providers[:4] {
			if got, _ := accepted(t, p, test.schema); got != test.want {
				t.Errorf("%s: %s:\nhave %s\nwant %s", p.name, test.schema, got, test.want)
			}
		}
		d, _ := schema.Anthropic(tool(test.schema))
		if got := member(t, d, "description"); !strings.HasSuffix(got, strings.ReplaceAll(test.lost, `"`, `\"`)+`"`) || test.lost == "" && got != `"d"` {
			t.Errorf("description %s, want %s", got, test.lost)
		}
	}
}

// A described tool has a description and a union.
type described string

func (described) Name() string          { return "t" }
func (d described) Description() string { return string(d) }
func (described) InputSchema() mcp.RawMessage {
	return mcp.RawMessage(`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`)
}

func TestLongDescriptions(t *testing.T) {
	long := strings.Repeat("Ein Satz über Öl. ", 100)
	for _, define := range []schema.Definer{schema.OpenAI, schema.OpenAIResponses} {
		d, err := define(described(long))
		text := member(t, d, "description")
		if text == "" {
			text = member(t, d, "function", "description")
		}
		const lost = `. […]\nRequired arguments: a; or b."`
		if n := utf8.RuneCountInString(text) - 3; err != nil || n > 1024 || n < 1000 || !strings.HasSuffix(text, lost) {
			t.Errorf("%d characters: %s, %v", n, text, err)
		}
	}
	if found, _ := schema.Check("openai", described(long)); !slices.Contains(names(found), "description at ") {
		t.Errorf("found %v", names(found))
	}
	if d, _ := schema.Anthropic(described(long)); !strings.Contains(string(d), long) {
		t.Errorf("Anthropic: %s", d)
	}
	if d, _ := schema.OpenAI(described(strings.Repeat("ö", 3000))); utf8.RuneCountInString(member(t, d, "function", "description")) > 1027 {
		t.Errorf("without sentences: %s", d)
	}
}

// A named tool has any name.
type named string

func (n named) Name() string              { return string(n) }
func (named) Description() string         { return "" }
func (named) InputSchema() mcp.RawMessage { return mcp.RawMessage(`{"type":"object","properties":{}}`) }

func TestNamesThatProvidersReject(t *testing.T) {
	for name, want := range map[string][3]bool{"a": {true, true, true}, "1a": {true, true, false}, "-a": {true, true, false}, "": {}, "a.b": {}, "ä": {}, strings.Repeat("x", 65): {}} {
		for i, define := range []schema.Definer{schema.Anthropic, schema.OpenAI, schema.Gemini} {
			if _, err := define(named(name)); (err == nil) != want[i] || err != nil && !strings.Contains(err.Error(), "the provider accepts only names") {
				t.Errorf("provider %d, %q: %v", i, name, err)
			}
			if found, _ := schema.Check([]string{"anthropic", "openai", "gemini"}[i], named(name)); (len(found) == 0) != want[i] {
				t.Errorf("provider %d, %q: %v", i, name, names(found))
			}
		}
	}
}

func TestStrictSchemasAreChecked(t *testing.T) {
	found, err := schema.Check("openai-strict", tool(`{"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":false},"b":{"allOf":[{}]}},"required":["a"]}`))
	if got := strings.Join(names(found), ", "); err != nil || got != "strict-keyword at /properties/b/allOf, strict-closed at , strict-required at /properties/b" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := schema.Check("mistral", tool(`{}`)); err == nil || !strings.Contains(err.Error(), "openai-strict") {
		t.Errorf("an unknown provider: %v", err)
	}
	if _, err := schema.Check("openai", nil); err == nil {
		t.Error("Check accepts a nil tool")
	}
}

func TestRulesHaveSources(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range schema.Rules() {
		if r.Name == "" || seen[r.Name] || r.Text == "" || r.Mended == "" || r.Source == "" || len(r.Providers) == 0 {
			t.Errorf("rule %+v", r)
		}
		seen[r.Name] = true
	}
}

// TestPatterns compares what the package takes for a pattern of Python with what Python
// compiles, for patterns that servers have.
func TestPatterns(t *testing.T) {
	for p, want := range map[string]bool{
		``: true, `^[a-z]+$`: true, `^\d{4}-\d{2}$`: true, `^(?:a|b)*?c{2,}?$`: true, `[^\]\\-]`: true, `a{`: true, `\.\/\-`: true, `\u00e9\x41`: true, `^$|x`: true,
		`(?=a)`: false, `(?!a)`: false, `(?<=a)b`: false, `(?<n>a)`: false, `\p{L}`: false, `\1`: false, `\k<n>`: false, `[z-a]`: false, `[\w-z]`: false,
		`(`: false, `)`: false, `[`: false, `[]`: false, `*a`: false, `a**`: false, `a{2}{3}`: false, `|*`: false, `\`: false, `\u{1F600}`: false, `\cA`: false,
		`[\d.-]+`: true, `[-a]`: true, `[a-]`: true, `[ä-ü]`: true, `日本+`: true,
	} {
		text, _ := json.Marshal(p)
		found, err := schema.Check("openai", tool(`{"type":"object","properties":{"p":{"pattern":`+string(text)+`}}}`))
		if err != nil || (len(found) == 0) != want {
			t.Errorf("%s: %v, %v; want %v", p, names(found), err, want)
		}
	}
}

func TestNamesOfArguments(t *testing.T) {
	const s = `{"type":"object","properties":{"$top":{"type":"integer"},"a b":{"$ref":"#/properties/$top"},"ok":{"type":"object","properties":{"$top":{}},"default":{"$top":1}}},` +
		`"required":["$top"],"dependentRequired":{"a b":["$top"]},"dependentSchemas":{"$top":{"required":["a b"]}},"if":{"$ref":"#/$defs/d"},"then":{"required":["a b"]},` +
		`"$defs":{"d":{"properties":{"a b":{"const":1}}}}}`
	const want = `{"type":"object","properties":{"top_4f7f5c1e":{"type":"integer"},"a_b_2eb8d5a0":{"$ref":"#/properties/top_4f7f5c1e"},"ok":{"type":"object","properties":{"$top":{}},"default":{"$top":1}}},` +
		`"required":["top_4f7f5c1e"],"dependentRequired":{"a_b_2eb8d5a0":["top_4f7f5c1e"]},"dependentSchemas":{"top_4f7f5c1e":{"required":["a_b_2eb8d5a0"]}},` +
		`"if":{"allOf":[{"properties":{"a_b_2eb8d5a0":{"const":1}}}]},"then":{"required":["a_b_2eb8d5a0"]},"$defs":{"d":{"properties":{"a b":{"const":1}}}}}`
	got, _ := accepted(t, providers[0], s)
	top, path := argnames.Alias("$top"), argnames.Alias("a b")
	if want := strings.NewReplacer("top_4f7f5c1e", top, "a_b_2eb8d5a0", path).Replace(want); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	args, err := schema.Arguments(tool(s), mcp.RawMessage(`{"`+top+`":1,"ok":{"`+top+`":2}}`))
	if err != nil || string(args) != `{"$top":1,"ok":{"`+top+`":2}}` {
		t.Errorf("%s, %v", args, err)
	}
	// Inside of an argument, the host restores no names: there, a schema that contains itself has its own.
	const self = `{"type":"object","properties":{"$top":{},"all":{"type":"array","items":{"$ref":"#"}}},"required":["$top"],"dependencies":{"all":["$top"]}}`
	const inner = `{"type":"object","properties":{"$top":{},"all":{"type":"array","items":{"$ref":"#/$defs/d1"}}},"required":["$top"],"dependencies":{"all":["$top"]}}`
	outer := strings.ReplaceAll(inner, "$top", top)
	if got, _ := accepted(t, providers[0], self); got != outer[:len(outer)-1]+`,"$defs":{"d1":`+inner+`}}` {
		t.Errorf("a schema that contains itself: %s", got)
	}
	for _, p := range providers[1:4] {
		if got, _ := accepted(t, p, `{"type":"object","properties":{"$top":{}}}`); !strings.Contains(got, `"$top"`) {
			t.Errorf("%s: %s", p.name, got)
		}
	}
	if got, _ := accepted(t, providers[5], `{"type":"object","properties":{"a.b":{}}}`); !strings.Contains(got, argnames.Alias("a.b")) {
		t.Errorf("Vertex: %s", got)
	}
	if _, err := schema.Anthropic(tool(`{"type":"object","properties":{"$top":{},"` + top + `":{}}}`)); err == nil || !strings.Contains(err.Error(), `tool "t"`) {
		t.Errorf("an alias that the schema declares: %v", err)
	}
	if _, err := schema.Arguments(nil, nil); err == nil {
		t.Error("Arguments accepts a nil tool")
	}
	if d, _ := schema.Anthropic(tool(`{"anyOf":[{"properties":{"$top":{}},"required":["$top"]},{"required":["b"]}]}`)); !strings.Contains(string(d), "Required arguments: "+top+"; or b.") {
		t.Errorf("the description: %s", d)
	}
}

// TestLargeValuesCountAsOften: a value deep in a schema counts as often as the schema or a
// definition repeats it. 100 KB became 50 MB, or took gigabytes.
func TestLargeValuesCountAsOften(t *testing.T) {
	const refs = 400
	deep := `{"a":{"b":{"c":{"d":"` + strings.Repeat("x", 100<<10) + `"}}}}`
	list := func(n int, format string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return strings.Join(parts, ",")
	}
	doubling := func(union, last string) string {
		text := ""
		for i := range 14 {
			text += fmt.Sprintf(`"A%d":{"%s":[{"$ref":"#/$defs/A%[3]d"},{"%[2]s":[{"$ref":"#/$defs/A%[3]d"}]}]},`, i, union, i+1)
		}
		return `{"$defs":{` + text + `"A14":` + last + `},"` + union + `":[{"$ref":"#/$defs/A0"},{"required":["x"]}]}`
	}
	for name, s := range map[string]string{
		"const":    `{"type":"object","$defs":{"X":{"const":` + deep + `}},"properties":{` + list(refs, `"p%d":{"$ref":"#/$defs/X"}`) + `}}`,
		"enum":     `{"type":"object","$defs":{"X":{"enum":[1,` + deep + `]}},"properties":{` + list(refs, `"p%d":{"$ref":"#/$defs/X"}`) + `}}`,
		"if":       doubling("allOf", `{"if":`+deep+`}`),
		"variants": doubling("anyOf", `{"properties":{"p":`+deep+`}}`),
		"ids":      `{"$id":"http://h/` + strings.Repeat("a", 100<<10) + `/","allOf":[` + list(3000, `{"$id":"i%d"}`) + `,{"$ref":"#x"}]}`,
		"paths":    `{"allOf":[` + list(2000, `{"$id":"i%d"}`) + `],"items":[` + list(2000, `{"$ref":"#/a/b/c/d/e/f/g/%d"}`) + `]}`,
		"findings": `{"properties":{"` + strings.Repeat("x", 100<<10) + `":{"allOf":[` + list(2000, `{"type":"any","title":"%d"}`) + `]}}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := schema.GeminiParameters(tool(s))
		_, errOpenAI := schema.OpenAI(tool(s))
		_, errCheck := schema.Check("openai", tool(s))
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 150<<20 || name != "ids" && !errors.Is(errors.Join(err, errOpenAI, errCheck), schema.ErrTooComplex) {
			t.Errorf("%s: %d bytes, %d MB are allocated: %v, %v, %v", name, len(d), bytes>>20, err, errOpenAI, errCheck)
		}
	}
}
