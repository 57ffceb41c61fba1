package testutil

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update-api", false, "write testdata/api")

// frozen are the packages whose exported identifiers stay as they are from 1.0 on: all.
// core are those that host and skills build on.
var (
	core   = []string{"mcp", "mcp/jsonrpc", "mcp/stdio", "mcp/sse", "mcp/streamhttp", "mcp/httperr", "mcp/oauth", "mcp/typed", "mcp/jsonschema", "mcp/mcptest"}
	frozen = slices.Concat(core, []string{"mcp/skills", "mcp/host", "mcp/host/config", "mcp/host/dialers", "mcp/host/schema", "mcp/host/skillset", "mcp/semconv", "mcp/slogtrace"})
)

// TestFrozenAPI compares the exported identifiers of the frozen packages with those in
// testdata/api.
func TestFrozenAPI(t *testing.T) {
	for _, dir := range frozen {
		golden := filepath.Join("testdata", "api", strings.ReplaceAll(dir, "/", "_")+".txt")
		var lines []string
		for _, id := range identifiers(t, dir) {
			lines = append(lines, id.text)
		}
		slices.Sort(lines)
		if *updateAPI {
			Must(t, os.MkdirAll(filepath.Dir(golden), 0o777))
			Must(t, os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
		}
		text, err := os.ReadFile(golden)
		Must(t, err)
		was := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		for _, line := range was {
			if !slices.Contains(lines, line) {
				t.Errorf("%s: programs can no longer use %q; restore it, or say in CHANGELOG.md before 1.0 what replaces it", dir, line)
			}
		}
		for _, line := range lines {
			if !slices.Contains(was, line) {
				t.Errorf("%s: %q is new; type: go test ./internal/testutil -run FrozenAPI -update-api", dir, line)
			}
		}
	}
}

// conventional are methods whose name and package say everything, and which packages
// of the standard library call.
var conventional = map[string]bool{"Error": true, "Unwrap": true, "Is": true, "As": true, "MarshalJSON": true, "UnmarshalJSON": true,
	"MarshalText": true, "Format": true, "String": true}

// A rule is what the name of an identifier must be like.
type rule struct {
	name string
	bad  func(id *identifier) bool
}

var (
	initialisms = regexp.MustCompile(`(Id|Url|Uri|Json|Http|Api|Ttl|Html|Tls)($|[A-Z])`)
	getters     = map[string]bool{"GetPrompt": true} // prompts/get of the protocol
)

var rules = []rule{
	{"initialisms are capitals, as in URL", func(id *identifier) bool { return initialisms.MatchString(id.name) }},
	{"no name repeats that of its package", func(id *identifier) bool {
		return id.parent == "" && len(id.name) > len(id.pkg) && strings.HasPrefix(strings.ToLower(id.name), id.pkg) && id.name[len(id.pkg)] <= 'Z'
	}},
	{"no getter begins with Get", func(id *identifier) bool {
		return regexp.MustCompile(`^Get[A-Z]`).MatchString(id.name) && !getters[id.name] && !strings.HasSuffix(id.name, "Result")
	}},
	{"the names of errors begin with Err, those of their types end with Error", func(id *identifier) bool {
		return id.isErrorVar != (id.kind == "var" && strings.HasPrefix(id.name, "Err")) || id.isErrorType && !strings.HasSuffix(id.name, "Error")
	}},
	{"a context is the first parameter", func(id *identifier) bool { return id.lateContext }},
	{"MarshalJSON has a value as its receiver, UnmarshalJSON a pointer", func(id *identifier) bool {
		return id.name == "MarshalJSON" && id.pointer || id.name == "UnmarshalJSON" && !id.pointer
	}},
}

// TestExportedIdentifiers requires of each exported identifier of the core that it is documented,
// that a test or an example uses it, and that its name follows the rules.
func TestExportedIdentifiers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("some identifiers are used only in tests for Unix")
	}
	used := usedInTests(t)
	for _, dir := range core {
		for _, id := range identifiers(t, dir) {
			if !id.documented && !conventional[id.name] && !id.wire {
				t.Errorf("%s: %s has no comment", dir, id.text)
			}
			if !used[id.place] && !id.otherName && !(id.isMethod && used[id.name]) && !conventional[id.name] && !id.wire {
				t.Errorf("%s: no test or example uses %s", dir, id.text)
			}
			for _, r := range rules {
				if r.bad(id) {
					t.Errorf("%s: %s: %s", dir, id.text, r.name)
				}
			}
		}
	}
}

// An identifier is an exported constant, variable, function, type, method or field.
type identifier struct {
	pkg, kind, parent, name string
	text                    string // the declaration
	place                   string // where it is declared; see place
	documented              bool
	pointer                 bool // the receiver of a method is a pointer
	isErrorVar, isErrorType bool
	lateContext             bool // a parameter after the first is a context
	otherName               bool // an alias, or an interface, whose methods are identifiers of their own
	isMethod                bool // of an interface or of a type
	wire                    bool // a field that has a key in JSON, which the tests of package mcp name
}

// identifiers returns the exported identifiers of a package.
func identifiers(t *testing.T, dir string) (all []*identifier) {
	t.Helper()
	pkg, fset := parsePackage(t, dir)
	add := func(kind, parent string, name *ast.Ident, node any, documented bool) *identifier {
		text := kind + " "
		if parent != "" {
			text += parent + "."
		}
		text += name.Name
		if node != nil {
			var b bytes.Buffer
			Must(t, printer.Fprint(&b, fset, node))
			text += " " + strings.Join(strings.Fields(b.String()), " ")
		}
		id := &identifier{pkg: pkg.Name, kind: kind, parent: parent, name: name.Name, text: text, place: place(fset, name.Pos(), name.Name), documented: documented}
		all = append(all, id)
		return id
	}
	values := func(kind string, list []*doc.Value) {
		for _, v := range list {
			for _, s := range v.Decl.Specs {
				s := s.(*ast.ValueSpec)
				for i, name := range s.Names {
					if !name.IsExported() {
						continue
					}
					var typ any
					if s.Type != nil {
						typ = s.Type
					} else if kind == "const" && i < len(s.Values) {
						typ = s.Values[i]
					}
					id := add(kind, "", name, typ, v.Doc != "" || s.Doc != nil || s.Comment != nil)
					if i < len(s.Values) && kind == "var" {
						id.isErrorVar = isError(s.Values[i])
					}
				}
			}
		}
	}
	function := func(f *doc.Func, parent string) {
		id := add("func", parent, f.Decl.Name, f.Decl.Type, f.Doc != "")
		id.isMethod, id.pointer = f.Recv != "", strings.HasPrefix(f.Recv, "*")
		for i, p := range f.Decl.Type.Params.List {
			if s, ok := p.Type.(*ast.SelectorExpr); ok && i > 0 && s.Sel.Name == "Context" {
				id.lateContext = true
			}
		}
	}
	values("const", pkg.Consts)
	values("var", pkg.Vars)
	for _, f := range pkg.Funcs {
		function(f, "")
	}
	for _, typ := range pkg.Types {
		values("const", typ.Consts)
		values("var", typ.Vars)
		for _, f := range typ.Funcs {
			function(f, "")
		}
		spec := typ.Decl.Specs[0].(*ast.TypeSpec)
		for _, s := range typ.Decl.Specs {
			if s := s.(*ast.TypeSpec); s.Name.Name == typ.Name {
				spec = s
			}
		}
		var fields *ast.FieldList
		var shown any = spec.Type
		switch s := spec.Type.(type) {
		case *ast.StructType:
			fields, shown = s.Fields, "struct"
		case *ast.InterfaceType:
			fields, shown = s.Methods, "interface"
		}
		if text, ok := shown.(string); ok {
			shown = ast.NewIdent(text)
		}
		_, isInterface := spec.Type.(*ast.InterfaceType)
		id := add("type", "", spec.Name, shown, typ.Doc != "" || spec.Doc != nil)
		id.otherName = isInterface || spec.Assign.IsValid()
		for _, m := range typ.Methods {
			if m.Level == 0 {
				id.isErrorType = id.isErrorType || m.Name == "Error"
				function(m, typ.Name)
			}
		}
		if fields == nil {
			continue
		}
		// The fields of a struct are documented by their own comment, that of their line
		// or that of the fields above in the same paragraph.
		// The comment of the type may name them, too.
		documented, last := false, 0
		for _, f := range fields.List {
			first := f.Pos()
			if f.Doc != nil {
				first = f.Doc.Pos()
			}
			documented = f.Doc != nil || f.Comment != nil || documented && fset.Position(first).Line == last+1
			last = fset.Position(f.End()).Line
			for _, name := range f.Names {
				if name.IsExported() {
					named := regexp.MustCompile(`\b` + name.Name + `\b`).MatchString(typ.Doc)
					id := add("field", typ.Name, name, f.Type, documented || named)
					id.wire = slices.ContainsFunc(typ.Methods, func(m *doc.Func) bool { return m.Name == "UnmarshalJSON" })
					id.isMethod = isInterface
				}
			}
		}
	}
	return all
}

// isError reports whether an expression is an error.
func isError(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && (s.Sel.Name == "New" || s.Sel.Name == "Errorf" || s.Sel.Name == "Error")
	case *ast.SelectorExpr:
		return strings.HasPrefix(e.Sel.Name, "Err")
	}
	return false
}

// parsePackage returns the documentation of a package.
func parsePackage(t *testing.T, dir string) (*doc.Package, *token.FileSet) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	Must(t, err)
	fset := token.NewFileSet()
	byName := make(map[string]*ast.File)
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			byName[path], err = parser.ParseFile(fset, path, nil, parser.ParseComments)
			Must(t, err)
		}
	}
	files := make([]*ast.File, 0, len(byName))
	for _, path := range slices.Sorted(maps.Keys(byName)) {
		files = append(files, byName[path])
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/stdmcp/stdmcp/"+dir)
	Must(t, err)
	return pkg, fset
}
