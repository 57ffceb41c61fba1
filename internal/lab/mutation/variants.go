package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A mutation inside a function needs no compilation of its own: a copy of the tree
// has the mutated function as a variant beside the original, which calls the
// variant if the environment variable has the number of the mutation. So the tests
// of a package are compiled once for all mutations.

const variable = "STDMCP_MUTATION"

// module is the path of the library's module.
const module = "github.com/stdmcp/stdmcp/"

const selector = `package %s

import "os"

// activeMutation is the number of the mutation that this process runs.
var activeMutation = os.Getenv("` + variable + `")
`

// A variantTree is a copy of the tree with the variants of many mutations.
type variantTree struct {
	dir     string
	numbers map[*mutation]string
	broken  map[string]string // by package: why its tests do not run
}

// An insertion is text to insert at an offset of a file.
type insertion struct {
	at   int
	text string
}

// newVariantTree copies the tree to dir, adds the variants, and compiles the tests.
// Mutations outside of functions have no number.
func newVariantTree(dir string, mutations []*mutation) (*variantTree, error) {
	if err := copyTree(dir); err != nil {
		return nil, err
	}
	t := &variantTree{dir: dir, numbers: make(map[*mutation]string), broken: make(map[string]string)}
	insertions, folders := make(map[string][]insertion), make(map[string]string)
	for i, m := range mutations {
		file, data, err := m.find(dir)
		if err != nil {
			continue // reported later
		}
		number := strconv.Itoa(i + 1)
		name, more, err := m.variant(data, number)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if more == nil {
			continue
		}
		t.numbers[m], folders[m.folder] = number, name
		insertions[file] = append(insertions[file], more...)
	}
	for file, list := range insertions {
		if err := insert(file, list); err != nil {
			return nil, err
		}
	}
	for folder, name := range folders {
		if err := os.WriteFile(filepath.Join(dir, folder, "variant.go"), fmt.Appendf(nil, selector, name), 0o644); err != nil {
			return nil, err
		}
	}
	if err := t.build(slices.Sorted(maps.Keys(folders))); err != nil {
		return nil, err
	}
	return t, t.compile()
}

// build compiles the packages, and takes back the variants of those that do not compile.
func (t *variantTree) build(folders []string) error {
	for len(folders) > 0 {
		args := []string{"build"}
		for _, folder := range folders {
			args = append(args, "./"+folder)
		}
		out, err := command(t.dir, args...)
		if err == nil {
			return nil
		}
		broken := slices.IndexFunc(folders, func(folder string) bool { return strings.Contains("\n"+out, "\n# "+module+folder+"\n") })
		if broken < 0 {
			return fmt.Errorf("the variants do not compile: %s", out)
		}
		fmt.Fprintf(os.Stderr, "the mutations of %s are compiled one by one: %s", folders[broken], out)
		if err := t.restore(folders[broken]); err != nil {
			return err
		}
		folders = slices.Delete(folders, broken, broken+1)
	}
	return nil
}

// restore takes the variants of a folder back.
func (t *variantTree) restore(folder string) error {
	maps.DeleteFunc(t.numbers, func(m *mutation, _ string) bool { return m.folder == folder })
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		data, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(t.dir, name), data, 0o644))
	}
	return errors.Join(err, os.Remove(filepath.Join(t.dir, folder, "variant.go")))
}

func insert(file string, list []insertion) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b insertion) int { return a.at - b.at })
	var b bytes.Buffer
	at := 0
	for _, in := range list {
		b.Write(data[at:in.at])
		b.WriteString(in.text)
		at = in.at
	}
	b.Write(data[at:])
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// variant returns the name of the file's package, and what is inserted for the
// mutation: nothing if it is not inside of one function.
func (m *mutation) variant(data []byte, number string) (string, []insertion, error) {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, "", data, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	offset := func(p token.Pos) int { return positions.Position(p).Offset }
	from := bytes.Index(data, []byte(m.old))
	to := from + len(m.old)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "init" || offset(f.Pos()) > from || offset(f.End()) < to {
			continue
		}
		start, body := offset(f.Pos()), offset(f.Body.Lbrace)
		text := string(data[start:from]) + m.new + string(data[to:offset(f.End())])
		head := string(data[start:body])
		if !strings.HasPrefix(text, head) || unnamed(f) {
			return "", nil, nil // what the function takes or returns changes
		}
		name := "mutated" + number + f.Name.Name
		before, after := offset(f.Name.Pos())-start, offset(f.Name.End())-start
		text = "\n\n" + text[:before] + name + text[after:] + "\n"
		call := " if activeMutation == \"" + number + "\" { "
		if f.Type.Results != nil {
			call += "return "
		}
		call += callOf(f, name)
		if f.Type.Results == nil {
			call += "; return"
		}
		return file.Name.Name, []insertion{{body + 1, call + " }\n"}, {offset(f.End()), text}}, nil
	}
	return "", nil, nil
}

// unnamed reports whether the receiver or a parameter has no name.
func unnamed(f *ast.FuncDecl) bool {
	for _, list := range []*ast.FieldList{f.Recv, f.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if len(field.Names) == 0 || slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return n.Name == "_" }) {
				return true
			}
		}
	}
	return false
}

// callOf returns the call of a function named name with the parameters of f.
func callOf(f *ast.FuncDecl, name string) string {
	if f.Recv != nil {
		name = f.Recv.List[0].Names[0].Name + "." + name
	}
	if t := f.Type.TypeParams; t != nil {
		name += "[" + strings.Join(namesOf(t), ", ") + "]"
	}
	args := strings.Join(namesOf(f.Type.Params), ", ")
	if list := f.Type.Params.List; len(list) > 0 {
		if _, ok := list[len(list)-1].Type.(*ast.Ellipsis); ok {
			args += "..."
		}
	}
	return name + "(" + args + ")"
}

func namesOf(fields *ast.FieldList) (names []string) {
	for _, f := range fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// compile compiles the tests of all packages and makes sure that those that the
// list names pass without a mutation.
func (t *variantTree) compile() error {
	tests := make(map[string]map[string]bool)
	for m := range t.numbers {
		if tests[m.in] == nil {
			tests[m.in] = make(map[string]bool)
		}
		if m.test != "" {
			tests[m.in][m.test] = true
		}
	}
	for _, in := range slices.Sorted(maps.Keys(tests)) {
		if out, err := command(filepath.Join(t.dir, in), "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", t.binary(in)); err != nil {
			return fmt.Errorf("the tests of %s do not compile: %s", in, out)
		}
		var whole []string
		for name := range tests[in] {
			if strings.Contains(name, "/") { // a part of a test
				t.checkPasses(in, name)
			} else {
				whole = append(whole, name)
			}
		}
		if whole != nil {
			t.checkPasses(in, "("+strings.Join(whole, "|")+")")
		}
	}
	return nil
}

func (t *variantTree) checkPasses(in, names string) {
	if out, err := t.test(in, "", "-test.run", "^"+names+"$"); err != nil {
		t.broken[in] = failed(out) + " fails without a mutation"
	}
}

func (t *variantTree) binary(in string) string {
	return filepath.Join(t.dir, strings.ReplaceAll(in, "/", "-")+".test")
}

// test runs tests of a package with a mutation.
func (t *variantTree) test(in, number string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.binary(in), append([]string{"-test.failfast", "-test.timeout", "4m"}, args...)...)
	cmd.Dir, cmd.WaitDelay = filepath.Join(t.dir, in), 10*time.Second
	cmd.Env = append(os.Environ(), variable+"="+number)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// try runs the test that the list names, or else all tests of the package. The
// result is "" if the tests must be compiled with the mutation to know.
func (t *variantTree) try(m *mutation) string {
	number := t.numbers[m]
	if number == "" || t.broken[m.in] != "" {
		return t.broken[m.in]
	}
	if m.test != "" {
		if out, err := t.test(m.in, number, "-test.run", "^"+m.test+"$", "-test.timeout", "90s"); err != nil {
			return m.killed(out, m.in)
		}
	}
	if out, err := t.test(m.in, number); err != nil {
		return m.killed(out, m.in)
	}
	if m.survives != "" {
		return "survives: " + m.survives
	}
	return ""
}
