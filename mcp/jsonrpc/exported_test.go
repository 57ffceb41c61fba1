package jsonrpc

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

var fset = token.NewFileSet()

// TestExportedNames checks that each exported name has a use in another package,
// or is mentioned under "For transports" and used in an example.
func TestExportedNames(t *testing.T) {
	files := parseDir(t, ".", func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
	pkg, err := doc.NewFromFiles(fset, files, "jsonrpc")
	if err != nil {
		t.Fatal(err)
	}
	_, transports, ok := strings.Cut(pkg.Doc, "# For transports")
	if !ok {
		t.Fatal(`no heading "For transports"`)
	}
	used := selectors(programs(t))
	inExamples := selectors(parseDir(t, ".", func(name string) bool { return strings.HasPrefix(name, "example_") }))
	for name, link := range exported(pkg) {
		switch {
		case strings.HasPrefix(name, "Code"): // the specification's list
		case strings.HasSuffix(name, "MarshalJSON"), name == "Error", name == "String", name == "Format": // of interfaces
		case used[name]:
		case strings.Contains(transports, "["+link+"]") && inExamples[name]:
		default:
			t.Errorf("%s has no use outside of the package", link)
		}
	}
}

// exported returns the exported names of the package, and how doc links refer
// to them.
func exported(pkg *doc.Package) map[string]string {
	names := map[string]string{}
	addFuncs := func(prefix string, funcs []*doc.Func) {
		for _, f := range funcs {
			names[f.Name] = prefix + f.Name
		}
	}
	addValues := func(values []*doc.Value) {
		for _, v := range values {
			for _, name := range v.Names {
				if ast.IsExported(name) {
					names[name] = name
				}
			}
		}
	}
	addValues(pkg.Consts)
	addValues(pkg.Vars)
	addFuncs("", pkg.Funcs)
	for _, typ := range pkg.Types {
		names[typ.Name] = typ.Name
		addValues(typ.Consts)
		addValues(typ.Vars)
		addFuncs("", typ.Funcs)
		addFuncs(typ.Name+".", typ.Methods)
	}
	return names
}

// programs returns the files of the module that import this package, except
// tests.
func programs(t *testing.T) (files []*ast.File) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == filepath.Join(root, "mcp", "jsonrpc") {
			return err
		}
		if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") && path != root {
			return filepath.SkipDir
		}
		for _, f := range parseDir(t, path, func(name string) bool { return !strings.HasSuffix(name, "_test.go") }) {
			for _, imported := range f.Imports {
				if strings.HasSuffix(imported.Path.Value, `/mcp/jsonrpc"`) {
					files = append(files, f)
				}
			}
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	return files
}

func parseDir(t *testing.T, dir string, include func(name string) bool) (files []*ast.File) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if include(filepath.Base(path)) {
			f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	return files
}

// selectors returns the names that follow a dot in the files.
func selectors(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				names[s.Sel.Name] = true
			}
			return true
		})
	}
	return names
}
