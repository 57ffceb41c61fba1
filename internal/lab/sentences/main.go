// Sentences prints random sentences of the documentation of the frozen packages, with
// the place of each, for a review that checks whether they are true.
//
//	go run ./sentences -root DIR -seed N -n N
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// frozen are the packages whose API does not change after 1.0.
var frozen = []string{"mcp", "mcp/jsonrpc", "mcp/stdio", "mcp/sse", "mcp/streamhttp", "mcp/httperr", "mcp/oauth", "mcp/typed", "mcp/jsonschema", "mcp/mcptest"}

func main() {
	root := flag.String("root", "../..", "the `folder` of the repository")
	seed := flag.Uint64("seed", 1, "the seed")
	n := flag.Int("n", 100, "how many sentences")
	flag.Parse()
	all, err := sentences(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sentences:", err)
		os.Exit(1)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	chosen := all[:min(*n, len(all))]
	slices.Sort(chosen)
	for _, s := range chosen {
		fmt.Println(s)
	}
	fmt.Printf("%d of %d sentences\n", len(chosen), len(all))
}

var end = regexp.MustCompile(`[.:;]\s+|[.:;]$`)

// sentences returns the sentences in the comments of exported declarations, in order.
func sentences(root string) (all []string, err error) {
	for _, dir := range frozen {
		paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			ast.FileExports(file)
			note := func(group *ast.CommentGroup) {
				if group == nil {
					return
				}
				p := fset.Position(group.Pos())
				for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
					if strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, "# ") {
						continue // code and headings
					}
					for _, s := range end.Split(strings.Join(strings.Fields(paragraph), " "), -1) {
						if strings.Count(s, " ") >= 5 { // a shorter one claims little
							all = append(all, fmt.Sprintf("%s/%s:%d: %s", dir, filepath.Base(path), p.Line, s))
						}
					}
				}
			}
			note(file.Doc)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					note(n.Doc)
					return false
				case *ast.GenDecl:
					note(n.Doc)
				case *ast.TypeSpec:
					note(n.Doc)
				case *ast.ValueSpec:
					note(n.Doc)
					note(n.Comment)
				case *ast.Field:
					note(n.Doc)
					note(n.Comment)
				}
				return true
			})
		}
	}
	return all, nil
}
