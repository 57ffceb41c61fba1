package documents

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// literals returns the constant strings of the programs: each literal, and what a sum
// of literals makes.
func literals(t *testing.T) (list []string) {
	t.Helper()
	for _, tree := range []string{"mcp", "cmd", "internal"} {
		testutil.Must(t, filepath.WalkDir(filepath.Join(root, tree), func(path string, d os.DirEntry, err error) error {
			switch name := filepath.Base(path); {
			case err != nil:
				return err
			case d.IsDir() && (name == "lab" || name == "testserver" || name == "testdata"):
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := literal(n); ok {
					list = append(list, text)
					return false
				}
				return true
			})
			return nil
		}))
	}
	return list
}

// literal returns the text of a string literal or a sum of them. A part that is not
// constant becomes "…".
func literal(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		if n.Op != token.ADD {
			return "", false
		}
		left, isLeft := literal(n.X)
		right, isRight := literal(n.Y)
		if !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

// TestTextsOfErrors compares each text that the page explains with those of the
// programs: what is between "…" must be in them, word by word.
func TestTextsOfErrors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	testutil.Must(t, err)
	all := append(literals(t), context.DeadlineExceeded.Error())
	rows := regexp.MustCompile("(?m)^\\| `([^`]*)` \\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 40 {
		t.Errorf("the page explains %d errors, at least 40 are wanted", len(rows))
	}
	for _, row := range rows {
		for part := range strings.SplitSeq(row[1], "…") {
			if part = strings.Trim(part, " ;,"); !contains(all, part) {
				t.Errorf("no program has the text %q", part)
			}
		}
	}
}

func contains(list []string, part string) bool {
	for _, text := range list {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
