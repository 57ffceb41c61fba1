package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestHostileNamesInLines: names of servers in a file and of tools that a shell would run
// or that are flags are in no line that mcpecho tells the user to type.
func TestHostileNamesInLines(t *testing.T) {
	if !apart(t) {
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("no sh here")
	}
	parts := []string{"a", "b", "theirs", "\x00", "(touch owned)", "$(touch owned)", "`touch owned`", "'", "\"", "\\", ";touch owned;", "-", "--trace=owned", "--json", "-c", "\n", " ", "\u202e", "‘", "“", "=", "*", "/", ":", "@", "…"}
	random := rand.New(rand.NewPCG(1, 3))
	names := []string{"x\x00(touch owned)\x00", `x\'; touch owned; #`, "--trace=owned", "-h", "it's"}
	for range 20 {
		name := ""
		for range 1 + random.IntN(4) {
			name += parts[random.IntN(len(parts))]
		}
		names = append(names, name)
	}
	for _, name := range names {
		inProject(t, map[string]string{".mcp.json": `{"mcpServers":{` + quoted(name) + `:SERVER}}`})
		near := name + "x"
		lines := [][]string{{"servers"}, {"tools", near}, {"call", near, "echo", "message=hi"}, {near}, {"completion", "servers"}, {"tools", ".mcp.json"}, {"search", "echo"}, {"trust", near}, {"remove", near}}
		results := make([]result, len(lines))
		var group sync.WaitGroup
		for i, args := range lines {
			group.Go(func() { results[i] = runCommand(t, args...) })
		}
		group.Wait()
		for i, o := range results {
			args := lines[i]
			for line := range strings.Lines(o.stdout + o.stderr) {
				_, typed, ok := strings.Cut(line, "type: ")
				if !ok {
					continue
				}
				_, _ = runPasted(t, typed)
				if _, err := os.Stat("owned"); err == nil {
					t.Fatalf("%q: %q prints\n%s\nwhich ran a command", name, args, line)
				}
			}
		}
	}
}

// TestLinesAreMadeInOnePlace: only paste.go and suggest print a line to type.
func TestLinesAreMadeInOnePlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name == "toType" || f.Name.Name == "suggest" || f.Name.Name == "report" || f.Name.Name == "folded" {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					if s, err := strconv.Unquote(text.Value); err == nil && strings.Contains(s, "type: ") {
						t.Errorf("%s: %s prints %q", name, f.Name.Name, s)
					}
				}
				return true
			})
		}
	}
}
