package jsonschema

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leftOut are cases of the suite that the package does not support on purpose.
var leftOut = []string{
	"refRemote.json", "vocabulary.json", // fetch other documents
	"metaschema", "meta-schema", "definitions.json", "defs.json", "validate definition against metaschema",
	"remote ref, containing refs itself", "strict-tree schema", "implementation dynamic anchor", "independent of order", "detached $dynamicAnchor",
}

// TestSuite runs the JSON Schema Test Suite (json-schema-org/JSON-Schema-Test-Suite).
func TestSuite(t *testing.T) {
	dir := os.Getenv("STDMCP_JSONSCHEMA_SUITE")
	if dir == "" {
		t.Skip("not run: STDMCP_JSONSCHEMA_SUITE does not name the folder of the suite")
	}
	for draft, uri := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
		"draft7":       "http://json-schema.org/draft-07/schema#",
		"draft6":       "http://json-schema.org/draft-06/schema#",
	} {
		files, err := filepath.Glob(filepath.Join(dir, "tests", draft, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal(draft, err)
		}
		passed, skipped := 0, 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			if err := json.Unmarshal(text, &groups); err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				name := draft + "/" + filepath.Base(file) + "/" + g.Description
				if skip(name) {
					skipped += len(g.Tests)
					continue
				}
				schema := g.Schema
				if !strings.Contains(string(schema), "$schema") && schema[0] == '{' {
					schema = json.RawMessage(`{"$schema":"` + uri + `",` + string(schema[1:]))
					if len(g.Schema) == 2 {
						schema = g.Schema
					}
				}
				s, err := Compile(context.Background(), schema)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, tt := range g.Tests {
					if err := s.Validate(context.Background(), tt.Data); (err == nil) != tt.Valid {
						t.Errorf("%s/%s: %v, want valid %v", name, tt.Description, err, tt.Valid)
					} else {
						passed++
					}
				}
			}
		}
		t.Logf("%s: %d passed, %d left out", draft, passed, skipped)
	}
}

func skip(name string) bool {
	for _, s := range leftOut {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}
