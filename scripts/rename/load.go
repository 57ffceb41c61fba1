package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A listed describes a package as go list does.
type listed struct {
	Dir, ImportPath, Export                                      string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles, IgnoredGoFiles []string
	DepOnly                                                      bool
	ForTest                                                      string
}

// list runs go list in dir. It tolerates packages with errors: those are what
// the program is for.
func list(dir, pattern string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-export",
		"-json=Dir,ImportPath,Export,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,DepOnly,ForTest", pattern)
	cmd.Dir = dir
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		return nil, fmt.Errorf("go list %s in %s: %w\n%s", pattern, dir, err, stderr.Bytes())
	}
	var all []*listed
	for dec := json.NewDecoder(&out); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list %s in %s: %w", pattern, dir, err)
		}
		all = append(all, p)
	}
}

// A loader checks the types of packages whose sources the program rewrites. All
// other packages come from the export data that go list has made.
type loader struct {
	r       *rewriter
	fset    *token.FileSet
	targets map[string]*listed        // by import path
	exports map[string]string         // files, by import path
	checked map[string]*types.Package // targets without tests
	extern  types.Importer
}

func (r *rewriter) newLoader(all []*listed) *loader {
	l := &loader{r: r, targets: make(map[string]*listed), exports: make(map[string]string)}
	for _, p := range all {
		switch {
		case p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test"):
		case !p.DepOnly:
			l.targets[p.ImportPath] = p
		default:
			l.exports[p.ImportPath] = p.Export
		}
	}
	return l
}

// reset forgets what was checked, because the sources have changed.
func (l *loader) reset() {
	l.fset = token.NewFileSet()
	l.checked = make(map[string]*types.Package)
	l.extern = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		file := l.exports[path]
		if file == "" {
			return nil, fmt.Errorf("package %s does not compile", path)
		}
		return os.Open(file)
	})
}

// Import implements types.Importer.
func (l *loader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := l.targets[path]
	if p == nil {
		return l.extern.Import(path)
	}
	if pkg, ok := l.checked[path]; ok {
		if pkg == nil {
			return nil, fmt.Errorf("package %s imports itself", path)
		}
		return pkg, nil
	}
	l.checked[path] = nil
	files, err := l.parse(p.Dir, p.GoFiles, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := l.config(l)
	conf.IgnoreFuncBodies = true
	pkg, _ := conf.Check(path, l.fset, files, nil)
	l.checked[path] = pkg
	return pkg, nil
}

func (l *loader) config(imp types.Importer) *types.Config {
	return &types.Config{Importer: imp, FakeImportC: true, Error: func(error) {}} // errors are expected
}

func (l *loader) parse(dir string, names []string, mode parser.Mode) (files []*ast.File, err error) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		src, err := l.r.read(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(l.fset, path, src, mode)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// A unit is what the compiler would check together, with the files to rewrite.
type unit struct {
	path  string
	pkg   *types.Package
	info  *types.Info
	files []*ast.File
}

// units calls f for each unit that mentions an old name: a package with its tests,
// its external tests, and each file for other systems.
func (l *loader) units(f func(*unit) error) error {
	for _, path := range slices.Sorted(maps.Keys(l.targets)) {
		p := l.targets[path]
		inside := slices.Concat(p.GoFiles, p.TestGoFiles)
		augmented, err := l.unit(path, p.Dir, inside, inside, l, f)
		if err != nil {
			return err
		}
		imp := l.Import
		if augmented != nil {
			imp = func(other string) (*types.Package, error) {
				if other == path {
					return augmented, nil
				}
				return l.Import(other)
			}
		}
		if _, err := l.unit(path+"_test", p.Dir, p.XTestGoFiles, p.XTestGoFiles, importerFunc(imp), f); err != nil {
			return err
		}
		for _, name := range slices.Concat(p.IgnoredGoFiles, p.CgoFiles) {
			path, beside := path, inside
			if src, _ := l.r.read(filepath.Join(p.Dir, name)); strings.HasSuffix(packageName(src), "_test") {
				path, beside = path+"_test", p.XTestGoFiles
			}
			if _, err := l.unit(path, p.Dir, append([]string{name}, beside...), []string{name}, importerFunc(imp), f); err != nil {
				return err
			}
		}
	}
	return nil
}

func packageName(src []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// unit checks names together and calls f with those of them to rewrite, if one of those
// mentions an old name. It returns the package then.
func (l *loader) unit(path, dir string, names, rewrite []string, imp types.Importer, f func(*unit) error) (*types.Package, error) {
	if !slices.ContainsFunc(rewrite, func(name string) bool {
		src, err := l.r.read(filepath.Join(dir, name))
		return err == nil && mentions(src)
	}) {
		return nil, nil
	}
	files, err := l.parse(dir, names, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	u := &unit{path: path, files: files, info: &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Scopes: make(map[ast.Node]*types.Scope),
	}}
	u.pkg, _ = l.config(imp).Check(path, l.fset, files, u.info)
	u.files = files[:0]
	for _, file := range files {
		if slices.Contains(rewrite, filepath.Base(l.fset.File(file.FileStart).Name())) {
			u.files = append(u.files, file)
		}
	}
	return u.pkg, f(u)
}
