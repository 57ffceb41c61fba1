package testutil

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// protocol matches names of MCP methods and protocol versions.
var protocol = regexp.MustCompile(`\binitialized?\b|"ping"|\b20\d\d-\d\d-\d\d\b|` +
	`\b(completion|elicitation|logging|notifications|prompts|resources|roots|sampling|server|subscriptions|tasks|tools)/[a-z]+\b`)

// TestInputsOfFuzzingAreOutsideOfTheModule: a go.mod beside the inputs of a package's
// targets keeps them out of the zip that users of the module download.
func TestInputsOfFuzzingAreOutsideOfTheModule(t *testing.T) {
	Must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() || filepath.Base(path) != "fuzz" || filepath.Base(filepath.Dir(path)) != "testdata" {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil {
			t.Errorf("%v; copy that of internal/wire/testdata/fuzz", err)
		}
		return filepath.SkipDir
	}))
}

// TestTransportsNameNoMethod: package mcp decides what depends on a method or on
// the protocol version, and passes it in jsonrpc.HTTP.
func TestTransportsNameNoMethod(t *testing.T) {
	for _, dir := range []string{"mcp/jsonrpc", "mcp/stdio", "mcp/sse", "mcp/streamhttp", "internal/httpx"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			Must(t, err)
			fset := token.NewFileSet()
			var tokens scanner.Scanner // skips comments
			tokens.Init(fset.AddFile(file, -1, len(text)), text, nil, 0)
			for pos, tok, literal := tokens.Scan(); tok != token.EOF; pos, tok, literal = tokens.Scan() {
				if name := protocol.FindString(literal); name != "" {
					t.Errorf("%s names %s", fset.Position(pos), name)
				}
			}
		}
	}
}
