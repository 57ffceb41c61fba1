package testutil

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNilArgumentsDoNotPanic calls each exported function and method of the
// public packages with combinations of nil, zero and other values. An argument
// that cannot be used must be an error that names it, or mean the default.
func TestNilArgumentsDoNotPanic(t *testing.T) {
	source, err := filepath.Abs("testdata/nilargs")
	Must(t, err)
	dir := t.TempDir()
	list := filepath.Join(dir, "list.go")
	write(t, list, listExported(t))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(source, "list.go"): list}})
	Must(t, err)
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "nilargs.exe")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".")
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(program)
	run.Dir = dir
	run.Env = []string{"HOME=" + dir, "PATH=", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} // nothing that they write or start leaves the folder
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// listExported returns a file that names the exported functions and types of
// all public packages.
func listExported(t *testing.T) string {
	t.Helper()
	public, export := exportData(t)
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	var imports, functions, named strings.Builder
	shown, packages := map[string]string{}, map[string]string{} // names, and the packages that have them
	for _, p := range public {
		shown[p] = path.Base(p)
		if packages[shown[p]] != "" {
			shown[p] = path.Base(path.Dir(p)) + "/" + shown[p]
		}
		packages[shown[p]] = p
	}
	for _, path := range public {
		if strings.HasSuffix(path, "/mcptest") {
			continue // fails a test instead, and so cannot do without one
		}
		pkg, err := imp.Import(path)
		Must(t, err)
		fmt.Fprintf(&imports, "%s %q\n", alias(pkg), path)
		for _, name := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(name)
			full, key := alias(pkg)+"."+name, shown[path]+"."+name
			switch object := object.(type) {
			case *types.Func:
				if object.Exported() {
					fmt.Fprintf(&functions, "%q: %s,\n", key, full+typeArguments(object))
				}
			case *types.TypeName:
				if object.Exported() && !object.IsAlias() && !types.IsInterface(object.Type()) {
					fmt.Fprintf(&named, "%q: reflect.TypeFor[%s](),\n", key, full)
				}
			}
		}
	}
	return "package main\n\nimport (\n\"reflect\"\n" + imports.String() + ")\n\nvar functions = map[string]any{\n" + functions.String() +
		"}\n\nvar types = map[string]reflect.Type{\n" + named.String() + "}\n"
}

// alias returns a name of a package that no other package of the module has.
func alias(p *types.Package) string {
	return strings.ReplaceAll(strings.TrimPrefix(p.Path(), "github.com/stdmcp/"), "/", "_")
}

// exportData returns the paths of the public packages, and the files that
// describe them and what they import.
func exportData(t *testing.T) (public []string, export map[string]string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./mcp/...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	export = make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		export[path] = file
	}
	for _, path := range slices.Sorted(maps.Keys(export)) {
		if strings.HasPrefix(path+"/", "github.com/stdmcp/stdmcp/mcp/") && !strings.Contains(path+"/", "/internal/") {
			public = append(public, path)
		}
	}
	return public, export
}

// typeArguments returns the type arguments of a generic function: its
// constraints, where these are types of values, as any is.
func typeArguments(f *types.Func) string {
	var args []string
	for p := range f.Signature().TypeParams().TypeParams() {
		args = append(args, types.TypeString(p.Constraint(), alias))
	}
	if args == nil {
		return ""
	}
	return "[" + strings.Join(args, ", ") + "]"
}
