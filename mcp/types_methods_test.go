package mcp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestEveryTypeHasMethodsForJSON: a type without methods of its own would have
// those of a type that it embeds, such as Result, and lose its other fields.
func TestEveryTypeHasMethodsForJSON(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]map[string]bool{} // by type
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			recv := f.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			if id, ok := recv.(*ast.Ident); ok {
				if methods[id.Name] == nil {
					methods[id.Name] = map[string]bool{}
				}
				methods[id.Name][f.Name.Name] = true
			}
		}
	}
	checked := 0
	for name, has := range methods {
		if !ast.IsExported(name) || !has["fields"] || name == "Caching" { // a part of results, never a value of its own
			continue
		}
		checked++
		for _, method := range []string{"MarshalJSON", "UnmarshalJSON"} {
			if !has[method] {
				t.Errorf("codec.go has no %s for %s", method, name)
			}
		}
	}
	if checked < 40 {
		t.Errorf("found %d types", checked)
	}
}
