package testutil

import (
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// PublicPackages returns the packages of the module that programs can import, by
// path in order.
func PublicPackages(t testing.TB) (list []*types.Package) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "github.com/stdmcp/stdmcp/mcp/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	export := make(map[string]string) // the files that describe packages, by path
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		export[path] = file
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	for _, path := range slices.Sorted(maps.Keys(export)) {
		if strings.HasPrefix(path+"/", "github.com/stdmcp/stdmcp/mcp/") && !strings.Contains(path+"/", "/internal/") {
			pkg, err := imp.Import(path)
			Must(t, err)
			list = append(list, pkg)
		}
	}
	return list
}
