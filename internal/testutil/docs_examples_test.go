package testutil

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExportedFunctionsHaveExamples requires that an example of each package uses
// each of its exported functions.
func TestExportedFunctionsHaveExamples(t *testing.T) {
	for _, dir := range packageDirs(t) {
		pkg, used := load(t, dir)
		funcs := pkg.Funcs
		for _, typ := range pkg.Types {
			funcs = append(funcs, typ.Funcs...)
		}
		for _, f := range funcs {
			if !used[f.Name] {
				t.Errorf("%s: no example uses %s", pkg.ImportPath, f.Name)
			}
		}
	}
}

// packageDirs returns the folders of the packages that programs import.
func packageDirs(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root+"/mcp", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "internal" || d.Name() == "testdata":
			return filepath.SkipDir
		}
		dirs = append(dirs, path)
		return nil
	})
	Must(t, err)
	return dirs
}

// load returns the documentation of a package and the names that its examples use.
func load(t *testing.T, dir string) (pkg *doc.Package, used map[string]bool) {
	t.Helper()
	paths, err := filepath.Glob(dir + "/*.go")
	Must(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	used = make(map[string]bool)
	for _, path := range paths {
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		Must(t, err)
		files = append(files, f)
		if strings.HasSuffix(path, "_test.go") {
			noteUses(f, used)
		}
	}
	if pkg, err = doc.NewFromFiles(fset, files, "github.com/stdmcp/stdmcp"+strings.TrimPrefix(dir, root)); err != nil {
		t.Fatal(err)
	}
	return pkg, used
}

// noteUses adds the names that the examples in a file use. In a file without tests
// every function counts.
func noteUses(f *ast.File, used map[string]bool) {
	examples := doc.Examples(f)
	if len(examples) == 0 {
		return
	}
	note := func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[s.Sel.Name] = true
		}
		return true
	}
	whole := !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && (strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Benchmark"))
	})
	if whole {
		ast.Inspect(f, note)
		return
	}
	for _, e := range examples {
		ast.Inspect(e.Code, note)
	}
}
