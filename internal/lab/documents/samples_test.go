package documents

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A sample is code that people copy.
type sample struct{ where, code string }

// samples returns the Go code of all documents, the programs in examples, the examples of
// all packages, and the code in their comments.
func samples(t *testing.T) (all []sample) {
	for _, path := range documents(t) {
		for _, block := range blocks(t, path, "go") {
			if !otherSource.MatchString(block) {
				all = append(all, sample{path, strings.Replace(program(block), callsRun, "", 1)})
			}
		}
	}
	for _, dir := range []string{"examples", "mcp"} {
		testutil.Must(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || dir == "examples" && strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if dir == "examples" {
				all = append(all, sample{path, string(text)})
			} else {
				all = append(all, samplesIn(t, path, string(text))...)
			}
			return nil
		}))
	}
	return all
}

// otherSource matches blocks that another test reads: excerpts of programs, and code of other
// libraries. callsRun is what makes a program of statements.
var otherSource = regexp.MustCompile(`^// (from |go-sdk\n|mcp-go\n)`)

const callsRun = "func main() { _ = run(context.Background(), nil) }"

// samplesIn returns the examples in a file of Go and the code in its comments.
func samplesIn(t *testing.T, path, text string) (all []sample) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.ParseComments)
	testutil.Must(t, err)
	if strings.HasSuffix(path, "_test.go") {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
				code := text[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset]
				all = append(all, sample{path + " " + fn.Name.Name, "package p\n\n" + code + "\n"})
			}
		}
		return all
	}
	for _, group := range f.Comments {
		for _, block := range new(comment.Parser).Parse(group.Text()).Content {
			if code, ok := block.(*comment.Code); ok {
				src := strings.Replace(program(code.Text), callsRun, "", 1)
				if _, err := parser.ParseFile(token.NewFileSet(), "", src, 0); err == nil {
					all = append(all, sample{path + " " + fset.Position(group.Pos()).String(), src})
				}
			}
		}
	}
	return all
}

// failing returns the names of the exported functions and methods whose last result is an
// error, and of some of the standard library.
func failing(t *testing.T) map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq("Marshal Unmarshal ReadFile WriteFile ReadAll Open Create Decode Encode Start Output Listen Serve ListenAndServe Get Do") {
		names[name] = true
	}
	add := func(f *types.Func) {
		results := f.Signature().Results()
		if n := results.Len(); n > 0 && f.Exported() && results.At(n-1).Type().String() == "error" {
			names[f.Name()] = true
		}
	}
	for _, p := range testutil.PublicPackages(t) {
		for _, name := range p.Scope().Names() {
			switch o := p.Scope().Lookup(name).(type) {
			case *types.Func:
				add(o)
			case *types.TypeName:
				for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
					add(m.Obj().(*types.Func))
				}
			}
		}
	}
	for _, name := range []string{"Close", "Shutdown", "Lock"} { // of a defer; and a mutex has a Lock
		delete(names, name)
	}
	return names
}

// faults returns what a sample does that no one should copy.
func (s sample) faults(failing map[string]bool) (list []string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", s.code, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}
	}
	lines := strings.Split(s.code, "\n")
	dropped := func(e ast.Expr) {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return
		}
		name := ""
		switch fn := call.Fun.(type) {
		case *ast.Ident:
			name = fn.Name
		case *ast.SelectorExpr:
			name = fn.Sel.Name
		}
		if strings.HasSuffix(s.code[:fset.Position(call.End()).Offset], "wg.Wait()") {
			return
		}
		line := lines[fset.Position(call.End()).Line-1]
		if failing[name] && !strings.Contains(line, "//") {
			list = append(list, "it drops the error of "+name+", and no comment says why: "+strings.TrimSpace(line))
		}
	}
	loads, asks, trusts := false, false, false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			dropped(n.X)
		case *ast.GoStmt:
			dropped(n.Call)
		case *ast.AssignStmt:
			if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(n.Rhs) == 1 {
				dropped(n.Rhs[0])
			}
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			loads = loads || x != nil && x.Name == "config" && (n.Sel.Name == "Load" || n.Sel.Name == "LoadDir")
			asks = asks || n.Sel.Name == "Effects"
			trusts = trusts || n.Sel.Name == "Trust"
		}
		return true
	})
	if trusts && !asks {
		list = append(list, "it trusts servers without showing their Effects")
	}
	if loads && !trusts && strings.Contains(s.code, ".SetServers(") {
		list = append(list, "it passes the servers of a project's file on without the step of trust")
	}
	if m := secretPattern.FindString(s.code); m != "" {
		list = append(list, "it has a secret in its text: "+m)
	}
	return list
}

// secretPattern matches tokens of well-known providers, and values of variables and headers
// that hold secrets.
var secretPattern = regexp.MustCompile(`\b(sk-[A-Za-z0-9]{8,}|gh[pousr]_\w{8,}|xox[abp]-\w+|AKIA[A-Z0-9]{8,}|eyJ[\w-]{10,}\.)` +
	`|(?i)"[\w-]*(api[_-]?key|token|secret|password)[=:] ?[\w-]{6,}|"Bearer [\w.-]{6,}"`)

// TestSamplesCanBeCopied reads all programs that people copy: none starts what a project's
// file names without a question, drops an error without a reason, or has a secret in its
// text.
func TestSamplesCanBeCopied(t *testing.T) {
	all, failing := samples(t), failing(t)
	if len(all) < 200 {
		t.Errorf("only %d samples were found", len(all))
	}
	for _, s := range all {
		for _, fault := range s.faults(failing) {
			t.Errorf("%s: %s", s.where, fault)
		}
	}
}

func TestSamplesWithFaults(t *testing.T) {
	failing := failing(t)
	for code, want := range map[string]string{
		`servers := config.Load(".")` + "\nh.SetServers(ctx, servers.Servers)":                           "without the step of trust",
		`s.Trust(func(*config.Server) bool { return true })`:                                             "without showing their Effects",
		`res, _ := client.CallTool(ctx, "add", nil)`:                                                     "drops the error of CallTool",
		`client.Subscribe(ctx, "a", nil)`:                                                                "drops the error of Subscribe",
		`server.Env = []string{"API_KEY=abcdef123"}`:                                                     "a secret",
		`req.Header.Set("Authorization", "Bearer abc123def")`:                                            "a secret",
		`_, _ = client.CallTool(ctx, "add", nil) // the span shows the error` + "\n_ = os.Getenv(\"x\")": "",
	} {
		got := strings.Join(sample{"", strings.Replace(program(code), callsRun, "", 1)}.faults(failing), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\nhas the faults %q, want %q", code, got, want)
		}
	}
}
