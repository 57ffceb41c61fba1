package testutil

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// contentTypes are the constants of package mcp: their name, their value, and what follows.
var contentTypes = regexp.MustCompile(`\t(Content\w+) +ContentType = "(\w+)"(.*)`)

// TestContentTypesAreKnownEverywhere: each place that handles content by its type names all
// types, those of sampling in the place for responses of clients alone.
func TestContentTypesAreKnownEverywhere(t *testing.T) {
	places := map[string]string{}
	for _, name := range []string{"mcp/types_content.go", "internal/blocks/blocks.go", "internal/servercheck/result.go", "internal/testserver/inputs.go", "cmd/mcpecho/output.go", "cmd/mcpecho/internal/ui/page/result.js"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		Must(t, err)
		places[name] = string(text)
		if row := taskRow(t, "a content type"); !strings.Contains(row, name) {
			t.Errorf("the row of CONTRIBUTING.md about content types lacks %s", name)
		}
	}
	all := contentTypes.FindAllStringSubmatch(places["mcp/types_content.go"], -1)
	if len(all) < 7 {
		t.Fatal("types_content.go declares the types in another form:", all)
	}
	for name, text := range places {
		for _, c := range all {
			sampling, resource := strings.Contains(c[3], "sampling only"), strings.HasPrefix(c[2], "resource")
			if inputs := name == "internal/testserver/inputs.go"; inputs && resource || !inputs && sampling {
				continue
			}
			if !strings.Contains(text, "mcp."+c[1]) && !strings.Contains(text, `"`+c[2]+`"`) && !strings.Contains(text, "'"+c[2]+"'") {
				t.Errorf("%s does not handle content of type %s", name, c[2])
			}
		}
	}
}

// TestBackOffsAreListed: the table of tasks names each file that sets the limits of a
// back-off.
func TestBackOffsAreListed(t *testing.T) {
	row := taskRow(t, "another back-off")
	for _, folder := range []string{"mcp", "internal", "cmd"} {
		Must(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if name := filepath.Base(path); strings.Contains(string(text), "retry.Backoff{") && !strings.Contains(row, "/"+name) && !strings.Contains(row, "`"+name) {
				t.Errorf("the row of CONTRIBUTING.md about back-offs lacks %s", path)
			}
			return err
		}))
	}
}

// taskRow returns a row of the table of tasks in CONTRIBUTING.md.
func taskRow(t *testing.T, task string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	Must(t, err)
	_, row, ok := strings.Cut(string(text), "\n| "+task+" |")
	if row, _, _ = strings.Cut(row, "\n"); !ok {
		t.Fatalf("CONTRIBUTING.md has no row for %q", task)
	}
	return row
}
