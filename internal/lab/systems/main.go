// Systems checks the types of every package, and of its tests, for other systems
// and processors than this one:
//
//	systems windows/amd64 linux/arm
//
// It reads the source of all packages and compiles none, and skips the bodies of the
// standard library's functions, and of those that it has read before the test of another
// package. That takes a twentieth of the time of go vet, which compiles the standard
// library for each target. With -without-tests it leaves out the tests.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	withoutTests := flag.Bool("without-tests", false, "leave out the tests")
	flag.Parse()
	debug.SetGCPercent(400) // else a third of the time is collections
	failed := false
	for _, target := range flag.Args() {
		fmt.Println(target)
		if err := check(target, !*withoutTests); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// A listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath string
	Standard        bool
	GoFiles         []string
	ForTest         string // the package whose test it is listed for
	ImportMap       map[string]string
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

// check checks the packages in and below the working directory for one target.
func check(target string, tests bool) error {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return fmt.Errorf("%q is not GOOS/GOARCH", target)
	}
	list := exec.Command("go", "list", "-e", "-deps", fmt.Sprintf("-test=%t", tests), "-json=Dir,ImportPath,ForTest,Standard,GoFiles,ImportMap,Module,Error", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	c := checker{sizes: types.SizesFor("gc", processor), set: token.NewFileSet(), known: map[string]*types.Package{"unsafe": types.Unsafe}}
	var errs []error
	for d := json.NewDecoder(out); ; { // a package comes after those that it imports
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		errs = append(errs, c.check(&p)...)
	}
	return errors.Join(append(errs, list.Wait())...)
}

// A checker checks the packages of one target.
type checker struct {
	sizes types.Sizes
	set   *token.FileSet
	known map[string]*types.Package // by ImportPath
}

func (c *checker) check(p *listed) (errs []error) {
	if p.Error != nil {
		return []error{errors.New(p.Error.Err)}
	}
	if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
		return nil // the program of a test has been generated
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		files = append(files, f)
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	// A package between a test and what it tests has been checked.
	config := types.Config{
		Sizes:            c.sizes,
		IgnoreFuncBodies: p.Standard || p.ForTest != "" && strings.TrimSuffix(path, "_test") != p.ForTest,
		FakeImportC:      true,
		Importer:         importer{c, p.ImportMap},
		Error:            func(err error) { errs = append(errs, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	c.known[p.ImportPath], _ = config.Check(path, c.set, files, nil) // Error has the error
	if config.IgnoreFuncBodies {
		return nil // its imports are unused, as the bodies were skipped
	}
	return errs
}

// An importer finds the packages that one package imports.
type importer struct {
	c       *checker
	mapping map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.mapping[path]; ok {
		path = to
	}
	if p := i.c.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}
