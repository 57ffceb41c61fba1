package testutil

import (
	"encoding/json"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
	Must(t, os.WriteFile(list, []byte(listExported(t)), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(source, "list.go"): list}})
	Must(t, err)
	Must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
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
	var imports, functions, named strings.Builder
	shown := make(map[string]string) // the packages by the names that the program prints
	for _, pkg := range PublicPackages(t) {
		key := pkg.Name()
		if shown[key] != "" {
			key = path.Base(path.Dir(pkg.Path())) + "/" + key
		}
		if shown[key] = pkg.Path(); pkg.Name() == "mcptest" {
			continue // fails a test instead, and so cannot do without one
		}
		fmt.Fprintf(&imports, "%s %q\n", alias(pkg), pkg.Path())
		for _, name := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(name)
			full, key := alias(pkg)+"."+name, key+"."+name
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
