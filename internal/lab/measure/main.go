// Measure prints figures about the source code, today and at another commit.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lab/codelines"
)

// core are the packages whose code lines count: the protocol, the transports
// and what they share.
var core = []string{"mcp", "mcp/jsonrpc", "mcp/stdio", "mcp/streamhttp", "mcp/sse", "internal/wire", "internal/httpx",
	"internal/diag", "internal/display", "internal/retry", "internal/buffers", "internal/queue", "internal/lock", "internal/eventstream"}

// transports must not know the methods of MCP.
var transports = []string{"mcp/jsonrpc", "mcp/stdio", "mcp/streamhttp", "mcp/sse", "internal/httpx", "internal/eventstream"}

// frozen are the packages whose API does not change after 1.0; added are what the
// review before 1.0 added to it.
var (
	frozen = []string{"mcp", "mcp/jsonrpc", "mcp/stdio", "mcp/sse", "mcp/streamhttp", "mcp/httperr", "mcp/oauth", "mcp/typed", "mcp/jsonschema", "mcp/mcptest"}
	added  = regexp.MustCompile(`^(mcp/httperr |mcp (Interceptor|ContentType|ElicitAction|ReferenceType|TaskSupport|TaskForbidden|TaskOptional|TaskRequired|(Tool|Content|CallToolResult)\.Format|(Prompt|Resource|ResourceTemplate|Implementation)\.DisplayName|Roots\.List|Changes\.Changed|CallOptions|CallOptions\.\w+|Client\.(With|Name))$|mcp/typed Args$|mcp/streamhttp TimeoutError$)`)
)

// harness are folders whose code only tests use.
var harness = regexp.MustCompile(`^(internal/(?:lab/)?(testserver|faulttest|interop|conformance|peers|testutil|documents|matrix|leak|docs|bench|size)|scripts|examples)(/|$)`)

// words are identifiers that are not declared any more; Dial only as a type.
var words = strings.Fields(`finish overcome satisfy gather settle patience goodbyeTime told tell missed userIsAway userIsBack relate must maybe
	oldConn Known keep place Mirror Slot Inbox outbox Late salvageID addressee enter leave usable maxVain courtesy Quiet Hidden piece Unusable
	hurry direct about grace noise attend attendant attention Dial mend hub soon Failure vouch flight join plain world deed fate cue strike suffer
	mishap fuse ledger pardon judge crowd deafen creep victim revision Revision Revisions`)

var (
	method = regexp.MustCompile(`^(initialize|ping|(tools|resources|prompts|tasks|completion|logging|roots|sampling|elicitation|server|subscriptions|notifications)/[a-z_/]+)$`)
	prose  = regexp.MustCompile(`(?i)\brevisions?\b`)
)

func main() {
	before := flag.String("before", "afa560b", "the `commit` to compare with")
	verbose := flag.Bool("v", false, "list what is found")
	flag.Parse()
	if err := run(*before, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(before string, verbose bool) error {
	files, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return err
	}
	now := make(tree)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		if now[name], err = os.ReadFile(name); errors.Is(err, os.ErrNotExist) {
			delete(now, name)
		} else if err != nil {
			return err
		}
	}
	then, err := commit(before)
	if err != nil {
		return err
	}
	fmt.Printf("%-58s %8s %8s %8s\n", "", before, "now", "limit")
	above := false
	for _, m := range []struct {
		title string
		find  func(tree) (int, []string)
		limit int
	}{
		{"lines of Go without tests and the laboratory", tree.lines, 97_500},
		{"lines of code in the core, without comments and blanks", tree.coreLines, 0},
		{"files that go mod vendor copies for mcp and mcp/stdio", tree.vendoredFiles, 0},
		{"… lines of Go", tree.vendoredLines, 0},
		{"… bytes of Go", tree.vendoredBytes, 502_000},
		{"exported names of mcp/jsonrpc without a use elsewhere", tree.unusedNames, 0},
		{"exported identifiers of the frozen packages, without JSON", tree.frozenNames, 0},
		{"fragments of 6 lines and more that occur twice", tree.duplicates, 0},
		{"identifiers that are words of the old vocabulary", tree.oldWords, 0},
		{`"revision" in comments and documents`, tree.revisions, 0},
		{"methods of MCP in transports", tree.methods, 0},
		{"lines of the harness", tree.harnessLines, 0},
	} {
		was, _ := m.find(then)
		is, list := m.find(now)
		limit := ""
		if m.limit > 0 {
			limit = strconv.Itoa(m.limit)
			above = above || is > m.limit
		}
		fmt.Printf("%-58s %8d %8d %8s\n", m.title, was, is, limit)
		for _, text := range list {
			if verbose {
				fmt.Println("\t" + text)
			}
		}
	}
	if err := printWay(verbose); err != nil {
		return err
	}
	if above {
		return errors.New("a figure is above its limit")
	}
	return nil
}

// A tree is the text of files by name.
type tree map[string][]byte

// commit returns the files of a commit.
func commit(name string) (tree, error) {
	archive, err := exec.Command("git", "archive", name).Output()
	if err != nil {
		return nil, fmt.Errorf("git archive %s: %w", name, err)
	}
	t, r := make(tree), tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, err
		}
		if t[h.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

// code yields the Go files of packages that want accepts, in order.
func (t tree) code(want func(folder, name string) bool, f func(name string, fset *token.FileSet, file *ast.File)) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") || !want(path.Dir(name), name) {
			continue
		}
		fset := token.NewFileSet()
		if file, err := parser.ParseFile(fset, name, t[name], parser.ParseComments); err == nil {
			f(name, fset, file)
		}
	}
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// lines counts lines of code, comments and blanks by folder, those of scripts, examples and
// fake servers included.
func (t tree) lines() (n int, list []string) {
	lines := make(map[string]int)
	for name, text := range t {
		if strings.HasSuffix(name, ".go") && !isTest(name) && !strings.HasPrefix(name, "internal/lab/") {
			lines[path.Dir(name)] += bytes.Count(text, []byte("\n"))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		n += lines[folder]
		list = append(list, fmt.Sprintf("%-22s %5d", folder, lines[folder]))
	}
	return n, list
}

func (t tree) coreLines() (n int, list []string) {
	lines := make(map[string]int)
	t.code(func(folder, name string) bool { return slices.Contains(core, folder) && !isTest(name) },
		func(name string, _ *token.FileSet, _ *ast.File) { lines[path.Dir(name)] += codelines.Count(t[name]) })
	for _, folder := range core {
		n += lines[folder]
		list = append(list, fmt.Sprintf("%-22s %5d", folder, lines[folder]))
	}
	return n, list
}

func (t tree) unusedNames() (int, []string) {
	names := make(map[string]bool)
	t.code(func(folder, name string) bool { return folder == "mcp/jsonrpc" && !isTest(name) },
		func(_ string, _ *token.FileSet, file *ast.File) {
			for name := range file.Scope.Objects {
				if ast.IsExported(name) {
					names[name] = true
				}
			}
		})
	t.code(func(folder, name string) bool { return folder != "mcp/jsonrpc" },
		func(_ string, _ *token.FileSet, file *ast.File) {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "jsonrpc" {
						delete(names, s.Sel.Name)
					}
				}
				return true
			})
		})
	return len(names), slices.Sorted(maps.Keys(names))
}

// duplicates finds runs of at least six equal lines in two places of code that
// is neither test nor harness. Blank lines, comments and imports don't count.
func (t tree) duplicates() (int, []string) {
	const least = 6
	type line struct{ text, pos string }
	var all []line
	t.code(func(folder, name string) bool { return !isTest(name) && !harness.MatchString(folder) },
		func(name string, _ *token.FileSet, _ *ast.File) {
			imports := false
			for i, text := range strings.Split(string(t[name]), "\n") {
				text = strings.TrimSpace(text)
				switch {
				case strings.HasPrefix(text, "import ("):
					imports = true
				case imports:
					imports = text != ")"
				case text != "" && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "package ") && !strings.HasPrefix(text, "import "):
					all = append(all, line{text, name + ":" + strconv.Itoa(i+1)})
				}
			}
			all = append(all, line{"end of " + name, name})
		})
	starts := make(map[string][]int) // by the first lines
	var list []string
	for i := range all[:max(0, len(all)-least)] {
		var key strings.Builder
		for _, l := range all[i : i+least] {
			key.WriteString(l.text + "\n")
		}
		for _, j := range starts[key.String()] {
			if i == 0 || j == 0 || all[i-1].text != all[j-1].text { // else it is the middle of a run
				list = append(list, all[j].pos+" "+all[i].pos)
			}
		}
		starts[key.String()] = append(starts[key.String()], i)
	}
	return len(list), list
}

func (t tree) oldWords() (int, []string) {
	var list []string
	t.code(func(string, string) bool { return true }, func(_ string, fset *token.FileSet, file *ast.File) {
		note := func(ids ...*ast.Ident) {
			for _, id := range ids {
				if id != nil && id.Name != "Dial" && slices.Contains(words, id.Name) {
					list = append(list, fset.Position(id.Pos()).String()+": "+id.Name)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				note(n.Name)
			case *ast.TypeSpec:
				note(n.Name)
				if _, ok := n.Type.(*ast.StructType); ok && n.Name.Name == "Dial" {
					list = append(list, fset.Position(n.Pos()).String()+": Dial")
				}
			case *ast.Field:
				note(n.Names...)
			case *ast.ValueSpec:
				note(n.Names...)
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
						note(id)
					}
				}
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
						note(id)
					}
				}
			}
			return true
		})
	})
	return len(list), list
}

// revisions finds the word in comments and in documents, but for what quotes
// the old names.
func (t tree) revisions() (int, []string) {
	var list []string
	t.code(func(folder, _ string) bool { return folder != "internal/lab/measure" }, func(_ string, fset *token.FileSet, file *ast.File) {
		for _, group := range file.Comments {
			if found := prose.FindString(group.Text()); found != "" {
				list = append(list, fset.Position(group.Pos()).String()+": "+found)
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !strings.HasSuffix(name, ".md") || name == "CHANGELOG.md" || name == "docs/migrate-go-sdk.md" {
			continue
		}
		for i, line := range strings.Split(string(t[name]), "\n") {
			if found := prose.FindString(line); found != "" {
				list = append(list, fmt.Sprintf("%s:%d: %s", name, i+1, found))
			}
		}
	}
	return len(list), list
}

func (t tree) methods() (int, []string) {
	var list []string
	t.code(func(folder, name string) bool { return slices.Contains(transports, folder) && !isTest(name) },
		func(_ string, fset *token.FileSet, file *ast.File) {
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && method.MatchString(text) {
						list = append(list, fset.Position(lit.Pos()).String()+": "+text)
					}
				}
				return true
			})
		})
	return len(list), list
}

// frozenNames counts exported constants, variables, functions, types, methods and
// fields. It lists those that the review before 1.0 added.
func (t tree) frozenNames() (n int, list []string) {
	t.code(func(folder, name string) bool { return slices.Contains(frozen, folder) && !isTest(name) },
		func(name string, _ *token.FileSet, file *ast.File) {
			count := func(id *ast.Ident, parent string) {
				if !id.IsExported() || id.Name == "MarshalJSON" || id.Name == "UnmarshalJSON" {
					return
				}
				n++
				if parent != "" {
					parent += "."
				}
				if full := path.Dir(name) + " " + parent + id.Name; added.MatchString(full) {
					list = append(list, "added: "+full)
				}
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					parent, exported := "", true
					if f.Recv != nil {
						typ := f.Recv.List[0].Type
						if p, ok := typ.(*ast.StarExpr); ok {
							typ = p.X
						}
						if id, ok := typ.(*ast.Ident); ok {
							parent, exported = id.Name, id.IsExported()
						}
					}
					if exported {
						count(f.Name, parent)
					}
					continue
				}
				for _, s := range d.(*ast.GenDecl).Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, id := range s.Names {
							count(id, "")
						}
					case *ast.TypeSpec:
						count(s.Name, "")
						if st, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
							for _, f := range st.Fields.List {
								for _, id := range f.Names {
									count(id, s.Name.Name)
								}
							}
						}
					}
				}
			}
		})
	return n - len(list), list
}

func (t tree) harnessLines() (n int, list []string) {
	lines := make(map[string]int)
	for name, text := range t {
		if m := harness.FindStringSubmatch(path.Dir(name)); m != nil && m[2] != "" && strings.HasSuffix(name, ".go") {
			lines[m[2]] += bytes.Count(text, []byte("\n"))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		n += lines[folder]
		list = append(list, fmt.Sprintf("%-22s %5d", folder, lines[folder]))
	}
	return n, list
}
