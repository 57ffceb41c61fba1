// Tasks prints how many lines and concepts ten tasks of a client take with stdmcp and
// with the other Go libraries. A line has code other than the package clause and the
// imports. A concept is an exported identifier of another package, such as a
// function, a method or a field, however often the task uses it.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/stdmcp/stdmcp/internal/lab/codelines"
)

// libraries are the folders with the tasks, stdmcp first.
var libraries = []string{"stdmcp", "gosdk", "mcpgo"}

// tasks are the files of each library, in the order of the table, with the most lines
// and concepts that each may take with stdmcp.
var tasks = []struct {
	file, title     string
	lines, concepts int
}{
	{"connect.go", "connect and call", 12, 6},
	{"header.go", "HTTP with a header", 12, 9},
	{"tools.go", "tools for a model", 22, 11},
	{"typed.go", "typed call", 8, 5},
	{"progress.go", "progress and timeout", 16, 14},
	{"elicitation.go", "elicitation", 15, 17},
	{"changed.go", "list changed", 22, 10},
	{"bytes.go", "resource bytes", 12, 7},
	{"oauth.go", "OAuth", 13, 14},
	{"agent_test.go", "test of an agent", 16, 13},
}

// A count is how much a task takes with a library.
type count struct {
	lines    int
	concepts []string
}

func main() {
	verbose := len(os.Args) > 1 && os.Args[1] == "-v"
	table, err := measure("internal/lab/tasks")
	if err != nil {
		fmt.Fprintln(os.Stderr, "tasks:", err)
		os.Exit(1)
	}
	fmt.Print(format(table))
	for i, task := range tasks {
		for j, library := range libraries {
			if verbose {
				fmt.Printf("%s, %s: %s\n", task.title, library, strings.Join(table[i][j].concepts, ", "))
			}
		}
	}
}

// format returns a table for people.
func format(table [][]count) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-22s\tlines: %s\tconcepts: %s\t\n", "", strings.Join(libraries, "\t"), strings.Join(libraries, "\t"))
	sums := make([]int, 2*len(libraries))
	for i, task := range tasks {
		fmt.Fprintf(w, "%-22s\t", task.title)
		for j, c := range table[i] {
			sums[j] += c.lines
			fmt.Fprintf(w, "%d\t", c.lines)
		}
		for j, c := range table[i] {
			sums[len(libraries)+j] += len(c.concepts)
			fmt.Fprintf(w, "%d\t", len(c.concepts))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%-22s\t", "all")
	for _, n := range sums {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprintln(w)
	w.Flush()
	return b.String()
}

// measure counts the tasks in the folders of the libraries below dir: for each task
// a count for each library.
func measure(dir string) ([][]count, error) {
	fset := token.NewFileSet()
	exports, err := exportData(dir)
	if err != nil {
		return nil, err
	}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	table := make([][]count, len(tasks))
	for _, library := range libraries {
		var files []*ast.File
		sources := make([][]byte, len(tasks))
		for i, task := range tasks {
			name := filepath.Join(dir, library, task.file)
			if sources[i], err = os.ReadFile(name); err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(fset, name, sources[i], parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
		own, err := (&types.Config{Importer: imports}).Check(library, fset, files, info)
		if err != nil {
			return nil, err
		}
		for i, file := range files {
			table[i] = append(table[i], count{codeLines(fset, file, sources[i]), concepts(file, info, own)})
		}
	}
	return table, nil
}

// exportData returns the files that describe the packages which the tasks import.
func exportData(dir string) (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-test", "-f", "{{.ImportPath}} {{.Export}}", "./...")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if path, file, _ := strings.Cut(strings.TrimSpace(line), " "); file != "" && !strings.Contains(file, "[") {
			files[path] = file
		}
	}
	return files, nil
}

// codeLines returns how many lines of a file have code after the imports.
func codeLines(fset *token.FileSet, file *ast.File, src []byte) int {
	first := file.Name.End()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			first = g.End()
		}
	}
	return codelines.Count(src[fset.Position(first).Offset:])
}

// concepts returns the exported identifiers of other packages that a file uses, in
// the order in which it first uses them. Those of package model, which all libraries
// share, don't count.
func concepts(file *ast.File, info *types.Info, own *types.Package) (list []string) {
	seen := make(map[types.Object]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		object := info.Uses[id]
		switch o := object.(type) {
		case nil, *types.PkgName:
			return true
		case *types.Func:
			object = o.Origin()
		case *types.Var:
			object = o.Origin()
		}
		if pkg := object.Pkg(); pkg == nil || pkg == own || strings.HasSuffix(pkg.Path(), "/tasks/model") || !object.Exported() || seen[object] {
			return true
		}
		seen[object] = true
		list = append(list, object.Pkg().Name()+"."+object.Name())
		return true
	})
	return list
}
