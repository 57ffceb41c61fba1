package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/schemagen"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// A provider is a Definer and the checker that judges its definitions.
type provider struct {
	name   string
	define schema.Definer
	path   []string // of the schema in a definition
}

var providers = []provider{
	{"anthropic", schema.Anthropic, []string{"input_schema"}},
	{"openai", schema.OpenAI, []string{"function", "parameters"}},
	{"openai", schema.OpenAIResponses, []string{"parameters"}},
	{"gemini", schema.Gemini, []string{"parametersJsonSchema"}},
	{"gemini-parameters", schema.GeminiParameters, []string{"parameters"}},
	{"vertex", schema.Vertex, []string{"parametersJsonSchema"}},
}

// corpus returns schemas as servers have them, and worse ones.
func corpus(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var schemas []string
	for _, s := range list {
		schemas = append(schemas, string(s))
	}
	return schemas
}

// accepted returns the schema for a provider, after it has made sure that the provider
// accepts it, and that a schema that was fine is the server's own.
func accepted(t testing.TB, p provider, s string) (mended string, ok bool) {
	t.Helper()
	d, err := p.define(tool(s))
	if err != nil {
		if !errors.Is(err, schema.ErrTooComplex) && json.Valid([]byte(s)) && !strings.Contains(err.Error(), "deeper") && !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %s: %v", p.name, s, err)
		}
		return "", false
	}
	var found []schema.Finding
	mended = lookup(t, d, p.path...)
	if mended == "" {
		return "", false // of GeminiParameters, without parameters
	}
	if found, err = schema.Check(p.name, tool(mended)); err != nil || len(found) > 0 {
		t.Errorf("%s would reject\n%s, made from\n%s:\n%s, %v", p.name, mended, s, names(found), err)
	}
	if found, err = schema.Check(p.name, tool(s)); err == nil && len(found) == 0 && mended != s {
		t.Errorf("%s: %s was fine and became %s", p.name, s, mended)
	}
	return mended, true
}

// names returns the rules and places of findings.
func names(found []schema.Finding) (list []string) {
	for _, f := range found {
		list = append(list, f.Rule.Name+" at "+f.Path)
	}
	return list
}

func lookup(t testing.TB, raw mcp.RawMessage, keys ...string) string {
	t.Helper()
	for _, key := range keys {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		raw = m[key]
	}
	return string(raw)
}

func TestProvidersAcceptTheCorpus(t *testing.T) {
	for _, p := range providers {
		for _, s := range corpus(t) {
			accepted(t, p, s)
			accepted(t, p, `{"type":"object","properties":{"nested":`+s+`}}`)
		}
	}
}

// TestProvidersAcceptToolsOfServers takes the tools that servers by others list, which
// internal/lab/providers records.
func TestProvidersAcceptToolsOfServers(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tools", "tools.jsonl"))
	if err != nil {
		t.Skip("the zip of the module does not have them: ", err)
	}
	changed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var listed mcp.Tool
		if err := json.Unmarshal([]byte(line), &listed); err != nil {
			t.Fatal(err)
		}
		s := string(listed.InputSchema)
		for _, p := range providers {
			if mended, ok := accepted(t, p, s); ok && mended != s {
				changed[p.name]++
			}
			if _, err := p.define(named(listed.Name)); err != nil {
				t.Errorf("%s: the name %s: %v", p.name, listed.Name, err)
			}
		}
	}
	t.Logf("changed: %v", changed)
}

// TestValuesStayValid makes schemas and values. Each value that a schema accepts is
// accepted by the schema for each provider.
func TestValuesStayValid(t *testing.T) {
	schemas := 1500
	if testing.Short() {
		schemas = 300
	}
	g := schemagen.New(rand.New(rand.NewPCG(5, 6)))
	refused, values := map[string]int{}, 0
	try := func(s string, doc any) {
		was, err := jsonschema.Compile(context.Background(), mcp.RawMessage(s))
		if err != nil {
			return
		}
		g.Undeclared = false
		var valid [][]byte
		for range 20 {
			if v, err := json.Marshal(g.Value(doc)); err == nil && v[0] == '{' && was.Validate(context.Background(), v) == nil {
				valid = append(valid, v)
			}
		}
		for _, p := range providers {
			mended, ok := accepted(t, p, s)
			if !ok || p.name == "gemini-parameters" {
				continue
			}
			is, err := jsonschema.Compile(context.Background(), mcp.RawMessage(mended))
			if err != nil {
				t.Errorf("%s: %s became %s: %v", p.name, s, mended, err)
				continue
			}
			for _, v := range valid {
				args, err := schema.Arguments(tool(s), v)
				if err != nil {
					t.Errorf("%s for %s: %v", v, s, err)
				}
				values++
				if err := is.Validate(context.Background(), args); err != nil {
					if refused[p.name]++; refused[p.name] == 1 {
						t.Logf("%s: %s is valid for %s, but not for %s: %v", p.name, v, s, mended, err)
					}
				}
			}
		}
	}
	for range schemas {
		doc := g.Document()
		s, _ := json.Marshal(doc)
		var clone any
		_ = json.Unmarshal(s, &clone)
		try(string(s), clone)
	}
	t.Logf("%d values; refused: %v", values, refused)
	if values < 1000 {
		t.Error("the generator proves too little")
	}
	for name, n := range refused {
		if n*100 > values { // undeclared members of one variant that another declares
			t.Errorf("%s refuses %d values that the servers accept", name, n)
		}
	}
}
