package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// repository rewrites this repository: its modules, then comments and documents.
func (r *rewriter) repository(root string) error {
	if !r.dry {
		if err := movePackages(root); err != nil {
			return err
		}
	}
	for _, dir := range []string{"", "examples", "internal/lab"} {
		if err := r.module(filepath.Join(root, dir), "./..."); err != nil {
			return err
		}
		if err := r.flush(); err != nil { // what the next module imports
			return err
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "node_modules" || path == filepath.Join(root, "scripts", "rename")):
			return fs.SkipDir
		case d.IsDir() || !r.permits(path):
			return nil
		case strings.HasSuffix(name, ".go"):
			return r.text(path, comments)
		case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".txt"), strings.HasSuffix(name, ".yml"),
			filepath.Dir(path) == filepath.Join(root, "scripts"), filepath.Dir(path) == filepath.Join(root, ".ci"):
			return r.text(path, document)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.finish()
}

// text rewrites a file as text.
func (r *rewriter) text(path string, f func(src []byte, dir string) []byte) error {
	src, err := r.read(path)
	if err != nil {
		return err
	}
	if out := f(src, filepath.ToSlash(filepath.Dir(path))); !bytes.Equal(out, src) {
		r.changed[path] = out
	}
	return nil
}

// movePackages moves the folders of packages that have another path, with what was
// added to the old folder since.
func movePackages(root string) error {
	for _, r := range rules {
		from, to := filepath.Join(root, r.pkg), filepath.Join(root, r.new)
		if r.kind != importPath {
			continue
		}
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			target := filepath.Join(to, rel)
			if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
				return err
			}
			if err := os.Rename(path, target); err != nil {
				return err
			}
			if filepath.Ext(target) != ".go" || filepath.Dir(target) != to {
				return nil
			}
			src, err := os.ReadFile(target)
			if err != nil {
				return err
			}
			clause := regexp.MustCompile(`(?m)^package ` + r.old + `(_test)?$`)
			src = clause.ReplaceAll(src, []byte("package "+filepath.Base(r.new)+"$1"))
			return write(target, src)
		})
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			return err
		}
		if err := os.RemoveAll(from); err != nil { // empty folders
			return err
		}
	}
	return nil
}

// A replacement is a name as text writes it.
type replacement struct {
	old *regexp.Regexp
	new string
}

// replacements returns those for text in a package's folder, or elsewhere if pkg is
// empty.
func replacements(pkg string) (all []replacement) {
	add := func(old, new string) {
		all = append(all, replacement{regexp.MustCompile(`(^|[^\w./])` + old + `\b`), "${1}" + new})
	}
	for _, r := range rules {
		base := r.pkg[strings.LastIndexByte(r.pkg, '/')+1:]
		switch {
		case r.kind == importPath:
			all = append(all, replacement{regexp.MustCompile(regexp.QuoteMeta(r.pkg) + `\b`), r.new},
				replacement{regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimPrefix(r.pkg, "mcp/")) + `\b`), strings.TrimPrefix(r.new, "mcp/")})
		case r.kind == signature, r.new == "", r.new == r.old:
		case r.typ == "":
			add(regexp.QuoteMeta(base)+`\.`+r.old, base+"."+r.new)
			if pkg == r.pkg {
				add(`\[`+r.old+`\]`, "["+r.new+"]")
			}
			if r.word {
				add(r.old, r.new)
			}
		default:
			add(`(\[?(?:`+regexp.QuoteMeta(base)+`\.)?`+r.typ+`)(\]?)\.`+r.old, "${2}${3}."+r.new)
			add(`(\[\*?(?:`+regexp.QuoteMeta(base)+`\.)?`+r.typ+`)\.`+r.old, "${2}."+r.new)
		}
	}
	return all
}

func replaceAll(text string, all []replacement) string {
	for _, r := range all {
		for i := 0; i < 2; i++ { // neighbors share the character between them
			text = r.old.ReplaceAllString(text, r.new)
		}
	}
	return text
}

// comments rewrites the comments of a Go file: names, and the first word of the doc
// comment of what has been renamed.
func comments(src []byte, dir string) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	pkg := ""
	for _, r := range rules {
		if strings.HasSuffix(dir, "/"+r.pkg) {
			pkg = r.pkg
		}
	}
	all := replacements(pkg)
	var edits []edit
	firsts := make(map[*ast.CommentGroup]replacement)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
			typ := ""
			if d.Recv != nil && len(d.Recv.List) == 1 {
				typ = strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*")
			}
			for _, r := range rules {
				if r.pkg == pkg && r.typ == typ && r.new == d.Name.Name && r.old != r.new {
					firsts[d.Doc] = replacement{regexp.MustCompile(`^// ` + r.old + `\b`), "// " + r.new}
				}
			}
		}
	}
	for _, group := range f.Comments {
		for i, c := range group.List {
			text := replaceAll(c.Text, all)
			if first, ok := firsts[group]; ok && i == 0 {
				text = first.old.ReplaceAllString(text, first.new)
			}
			if text != c.Text {
				at := fset.Position(c.Pos()).Offset
				edits = append(edits, edit{at, at + len(c.Text), text})
			}
		}
	}
	if len(edits) == 0 {
		return src
	}
	out, err := apply(src, edits)
	if err != nil {
		return src
	}
	return out
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}

// blockCalls matches calls in the code of documents, whose types are not known: names of
// methods that no other type has.
var blockCalls = func() (all []replacement) {
	for _, r := range rules {
		if r.block {
			all = append(all, replacement{regexp.MustCompile(`\.` + r.old + `\(`), "." + r.new + "("})
		}
	}
	return all
}()

// history begins the part of a document that names what earlier versions had.
var history = regexp.MustCompile(`(?m)^# From (0\.1 to 1\.0|a commit before 0\.1\.0)$`)

// document rewrites a document up to its history.
func document(src []byte, _ string) []byte {
	text, rest := string(src), ""
	if at := history.FindStringIndex(text); at != nil {
		text, rest = text[:at[0]], text[at[0]:]
	}
	all := replacements("")
	parts := strings.Split(text, "```go\n")
	for i, part := range parts {
		code, prose := "", part
		if i > 0 {
			code, prose, _ = strings.Cut(part, "\n```")
			if !strings.HasPrefix(code, "// not stdmcp") {
				code = replaceAll(replaceAll(code, all), blockCalls)
			}
			code += "\n```"
		}
		parts[i] = code + replaceAll(prose, all)
	}
	return []byte(strings.Join(parts, "```go\n") + rest)
}
