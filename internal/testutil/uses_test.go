package testutil

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// harness are the folders in which all files are of tests or examples.
var harness = regexp.MustCompile(`/(examples|internal/testserver|internal/testutil|internal/faulttest)(/|$)`)

// A listed package is what go list prints about it.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// usedInTests returns the identifiers of the module that tests and examples use, as
// place returns them, and the names of the methods that these call or declare: a
// method may implement an interface.
func usedInTests(t *testing.T) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles", "./...", "testing", "testing/synctest")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	export := make(map[string]string) // the files that describe packages, by path
	var packages []*listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "github.com/stdmcp/stdmcp/") {
			packages = append(packages, p)
		}
	}
	packages = append(packages, besides(t, "examples")...)
	packages = append(packages, besides(t, "internal/lab")...)
	u := &uses{fset: token.NewFileSet(), found: make(map[string]bool)}
	u.imports = importer.ForCompiler(u.fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("%s: no export data", path)
		}
		return os.Open(export[path])
	})
	for _, p := range packages {
		own, inside, outside := u.parse(t, p.Dir, p.GoFiles), u.parse(t, p.Dir, p.TestGoFiles), u.parse(t, p.Dir, p.XTestGoFiles)
		noted := inside
		if harness.MatchString(filepath.ToSlash(p.Dir)) {
			noted = append(noted, own...)
		}
		u.note(p.ImportPath, append(own, inside...), noted)
		u.note(p.ImportPath+"_test", outside, outside)
	}
	return u.found
}

// besides returns the packages of a module beside this one. It imports this one; what
// else it imports stays unknown.
func besides(t *testing.T, module string) (list []*listed) {
	t.Helper()
	Must(t, filepath.WalkDir(filepath.Join(root, module), func(dir string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if p, err := build.ImportDir(dir, 0); err == nil {
			list = append(list, &listed{ImportPath: dir, Dir: dir, GoFiles: p.GoFiles, TestGoFiles: p.TestGoFiles, XTestGoFiles: p.XTestGoFiles})
		}
		return nil
	}))
	return list
}

// uses finds the identifiers that files use.
type uses struct {
	fset    *token.FileSet
	imports types.Importer
	found   map[string]bool
}

func (u *uses) parse(t *testing.T, dir string, names []string) (files []*ast.File) {
	t.Helper()
	for _, name := range names {
		file, err := parser.ParseFile(u.fset, filepath.Join(dir, name), nil, 0)
		Must(t, err)
		files = append(files, file)
	}
	return files
}

// note notes what some of the files of a package use. What is unknown is not an error.
func (u *uses) note(path string, all, noted []*ast.File) {
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	(&types.Config{Importer: u.imports, Error: func(error) {}}).Check(path, u.fset, all, info)
	for _, file := range noted {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if object := info.Uses[id]; object != nil {
					u.add(object)
					u.addType(object)
				} else if object := info.Defs[id]; object != nil {
					u.addType(object)
				}
			}
			return true
		})
	}
}

func (u *uses) add(object types.Object) {
	if object.Pos().IsValid() {
		u.found[place(u.fset, object.Pos(), object.Name())] = true
	}
}

// addType adds the type of an object, or the name of a method.
func (u *uses) addType(object types.Object) {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		u.found[f.Name()] = true
	}
	typ := object.Type()
	if p, ok := typ.(*types.Pointer); ok {
		typ = p.Elem()
	}
	if named, ok := typ.(*types.Named); ok {
		u.add(named.Obj())
	}
}

// place identifies an identifier by its name and the line that declares it, however
// the package was read.
func place(fset *token.FileSet, pos token.Pos, name string) string {
	p := fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d %s", filepath.Base(filepath.Dir(p.Filename)), filepath.Base(p.Filename), p.Line, name)
}
