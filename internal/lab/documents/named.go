// Package documents checks the documents of the repository: their code, links, and
// the names of tests.
package documents

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// namedTests matches names of tests in a text, with the folder before them if there
// is one, as in "mcp/host TestCrashLoop, TestBackOff". Methods such as mcptest's
// TestTransport are not tests.
var namedTests = regexp.MustCompile(`(?:((?:cmd|internal|mcp)[\w/]*):? |(?:^|[^.\w]))((?:Test|Fuzz)[A-Z]\w*(?:,? (?:Test|Fuzz)[A-Z]\w*)*)`)

// CheckNamedTests fails the test unless the tests that a text names exist, in the
// folder that the text names or in any.
func CheckNamedTests(t testing.TB, text string) {
	t.Helper()
	for _, m := range namedTests.FindAllStringSubmatch(text, -1) {
		folders := []string{m[1]}
		if m[1] == "" {
			folders = slices.Collect(maps.Keys(testSource()))
		}
		for name := range strings.FieldsSeq(strings.ReplaceAll(m[2], ",", " ")) {
			if !slices.ContainsFunc(folders, func(folder string) bool { return strings.Contains(testSource()[folder], "\nfunc "+name+"(") }) {
				t.Errorf("no test in /%s is called %s", m[1], name)
			}
		}
	}
}

// testSource has the text of the tests by folder.
var testSource = sync.OnceValue(func() map[string]string {
	source := make(map[string]string)
	root := filepath.Join("..", "..", "..")
	for _, tree := range []string{"cmd", "internal", "mcp"} {
		_ = filepath.WalkDir(filepath.Join(root, tree), func(path string, _ os.DirEntry, _ error) error {
			if strings.HasSuffix(path, "_test.go") {
				folder, _ := filepath.Rel(root, filepath.Dir(path))
				text, _ := os.ReadFile(path) // the tests of a file that cannot be read are missing
				source[filepath.ToSlash(folder)] += string(text)
			}
			return nil
		})
	}
	return source
})
