package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// suite calls try for each schema of the JSON Schema Test Suite and the values that it
// accepts, at the root and as a property.
func suite(t *testing.T, try func(s string, valid []string)) {
	t.Helper()
	dir := os.Getenv("STDMCP_JSONSCHEMA_SUITE")
	if dir == "" {
		t.Skip("not run: STDMCP_JSONSCHEMA_SUITE does not name the folder of the suite")
	}
	for draft, uri := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema", "draft7": "http://json-schema.org/draft-07/schema#",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema", "draft6": "http://json-schema.org/draft-06/schema#",
	} {
		files, err := filepath.Glob(filepath.Join(dir, "tests", draft, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal(draft, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []struct {
				Schema json.RawMessage
				Tests  []struct {
					Data  json.RawMessage
					Valid bool
				}
			}
			if err := json.Unmarshal(text, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				var valid, nested []string
				for _, test := range g.Tests {
					if test.Valid {
						valid = append(valid, string(test.Data))
						nested = append(nested, `{"nested":`+string(test.Data)+`}`)
					}
				}
				var b bytes.Buffer
				if err := json.Compact(&b, g.Schema); err != nil {
					t.Fatal(err)
				}
				s := b.String()
				if !strings.Contains(s, "$schema") && s[0] == '{' && len(s) > 2 {
					s = `{"$schema":"` + uri + `",` + s[1:]
				}
				try(s, valid)
				if !strings.Contains(s, "$ref") && !strings.Contains(s, "$dynamicRef") && !strings.Contains(s, "$recursiveRef") {
					head := ""
					if draft != "draft2020-12" {
						head = `"$schema":"` + uri + `",`
					}
					try(`{`+head+`"type":"object","properties":{"nested":`+b.String()+`}}`, nested)
				}
			}
		}
	}
}

// TestProvidersAcceptTheSuite takes the schemas of the JSON Schema Test Suite for those of
// tools. No provider rejects what a Definer writes, and what the server accepts stays
// valid but for the values that are counted.
func TestProvidersAcceptTheSuite(t *testing.T) {
	ctx := context.Background()
	schemas, values := 0, 0
	refused := map[string]int{}
	suite(t, func(s string, valid []string) {
		schemas++
		was, err := jsonschema.Compile(ctx, mcp.RawMessage(s))
		if strings.Contains(s, "$dynamicRef") {
			err = errors.New("what it means depends on where it is used")
		}
		for _, p := range providers {
			mended, ok := accepted(t, p, s)
			if !ok || err != nil {
				continue
			}
			is, err := jsonschema.Compile(ctx, mcp.RawMessage(mended))
			if err != nil {
				t.Errorf("%s: %s became %s: %v", p.name, s, mended, err)
				continue
			}
			for _, v := range valid {
				if v[0] != '{' || was.Validate(ctx, []byte(v)) != nil {
					continue // arguments are objects, and the validator does not fetch documents
				}
				alias := v
				if p.name == "anthropic" || p.name == "vertex" {
					alias = renamed(t, p, s, v)
				}
				values++
				if err := is.Validate(ctx, []byte(alias)); err != nil {
					if refused[p.name]++; p.name != "gemini-parameters" {
						t.Logf("%s: %s is valid for %s, but not for %s: %v", p.name, v, s, mended, err)
					}
				}
			}
		}
	})
	t.Logf("%d schemas, %d values; refused: %v", schemas, values, refused)
	for name, n := range refused {
		if n > 100 && name != "gemini-parameters" { // references to the root, unevaluatedProperties, siblings of $ref before 2019-09
			t.Errorf("%s refuses %d values that the servers accept", name, n)
		}
	}
}

// renamed returns arguments as a model sends them, and makes sure that Arguments restores
// their names.
func renamed(t *testing.T, p provider, s, v string) string {
	t.Helper()
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v), &args); err != nil {
		t.Fatal(err)
	}
	mended, _ := p.define(tool(s))
	out := map[string]json.RawMessage{}
	for name, value := range args {
		alias := argnames.Alias(name)
		if !strings.Contains(string(mended), `"`+alias+`"`) {
			alias = name
		}
		out[alias] = value
	}
	text, _ := json.Marshal(out)
	back, err := schema.Arguments(tool(s), text)
	var restored map[string]json.RawMessage
	if err != nil || json.Unmarshal(back, &restored) != nil || len(restored) != len(args) {
		t.Errorf("%s: %s of %s comes back as %s, %v", p.name, text, s, back, err)
	}
	for name := range args {
		if _, ok := restored[name]; !ok {
			t.Errorf("%s: %s of %s comes back as %s", p.name, text, s, back)
		}
	}
	return string(text)
}
