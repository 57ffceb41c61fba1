package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A rewriter holds what the program has changed.
type rewriter struct {
	out     io.Writer
	dry     bool
	only    []string          // folders to write; all if there are none
	changed map[string][]byte // files, by path
	notes   []string          // what only a person can change
}

// read returns a file as it is after the changes so far.
func (r *rewriter) read(path string) ([]byte, error) {
	if src, ok := r.changed[path]; ok {
		return src, nil
	}
	return os.ReadFile(path)
}

// maxRounds is more than a program needs: each round resolves one more link in a
// chain of calls that have new names.
const maxRounds = 8

// module rewrites the packages of a module.
func (r *rewriter) module(dir, pattern string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	all, err := list(dir, pattern)
	if err != nil {
		return err
	}
	l := r.newLoader(all)
	var found []string // of the round that resolved most
	for range maxRounds {
		l.reset()
		n := 0
		var notes []string
		err := l.units(func(u *unit) error {
			for _, f := range u.files {
				w := &fileRewriter{unit: u, fset: l.fset, file: f}
				w.rewrite()
				notes = append(notes, w.notes...)
				path := l.fset.File(f.FileStart).Name()
				if len(w.edits) == 0 || !r.permits(path) {
					continue
				}
				src, err := r.read(path)
				if err != nil {
					return err
				}
				if r.changed[path], err = apply(src, w.edits); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				n++
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(notes) > len(found) {
			found = notes
		}
		if n == 0 {
			r.notes = append(r.notes, found...)
			return nil
		}
	}
	return fmt.Errorf("%s: the names have not settled after %d rounds", dir, maxRounds)
}

// permits reports whether a file may be written.
func (r *rewriter) permits(path string) bool {
	return len(r.only) == 0 || slices.ContainsFunc(r.only, func(dir string) bool {
		return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
	})
}

// finish writes the files and prints what was done and what remains.
func (r *rewriter) finish() error {
	if err := r.flush(); err != nil {
		return err
	}
	slices.Sort(r.notes)
	for _, note := range slices.Compact(r.notes) {
		fmt.Fprintln(r.out, note)
	}
	return nil
}

// flush writes and prints the files that have changed.
func (r *rewriter) flush() error {
	for _, path := range slices.Sorted(maps.Keys(r.changed)) {
		fmt.Fprintln(r.out, path)
		if r.dry {
			continue
		}
		if err := write(path, r.changed[path]); err != nil {
			return err
		}
		delete(r.changed, path)
	}
	return nil
}

// write replaces a file and keeps its mode.
func write(path string, data []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, info.Mode())
}

// An edit replaces a part of a file.
type edit struct {
	start, end int
	text       string
}

// apply makes the edits, and formats the result if src was formatted.
func apply(src []byte, edits []edit) ([]byte, error) {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	edits = slices.Compact(edits)
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			return nil, fmt.Errorf("two changes of the same text at offset %d", e.start)
		}
		b.Write(src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(src[at:])
	formatted, err := format.Source(b.Bytes())
	if err != nil {
		return nil, err
	}
	if before, err := format.Source(src); err != nil || !bytes.Equal(before, src) {
		return b.Bytes(), nil
	}
	return formatted, nil
}

// oldNames matches a name that the table knows, or the path of a package.
var oldNames = func() *regexp.Regexp {
	var names []string
	for _, r := range rules {
		switch r.kind {
		case importPath:
			names = append(names, regexp.QuoteMeta(r.pkg)+`\b`)
		case signature:
			names = append(names, regexp.QuoteMeta(r.typ)+`\b`)
		default:
			names = append(names, `\b`+regexp.QuoteMeta(r.old)+`\b`)
		}
	}
	return regexp.MustCompile(strings.Join(names, "|"))
}()

// mentions reports whether a file may have to be changed.
func mentions(src []byte) bool {
	return oldNames.Match(src)
}

// A fileRewriter collects the edits of one file.
type fileRewriter struct {
	*unit
	fset  *token.FileSet
	file  *ast.File
	edits []edit
	notes []string

	stack   []ast.Node // the parents of the node that is visited
	context string     // the name of package context; empty if unknown
}

func (w *fileRewriter) offset(p token.Pos) int { return w.fset.Position(p).Offset }

func (w *fileRewriter) replace(n ast.Node, text string) {
	w.edits = append(w.edits, edit{w.offset(n.Pos()), w.offset(n.End()), text})
}

func (w *fileRewriter) insert(p token.Pos, text string) {
	w.edits = append(w.edits, edit{w.offset(p), w.offset(p), text})
}

// note reports a place that a person must look at.
func (w *fileRewriter) note(n ast.Node, r *rule) {
	w.notes = append(w.notes, fmt.Sprintf("%s: %s: %s", w.fset.Position(n.Pos()), r.qualified(r.old), r.note))
}

// contextName returns the name of package context in the file, which imports it if
// necessary.
func (w *fileRewriter) contextName() string {
	if w.context != "" {
		return w.context
	}
	w.context = "context"
	for _, spec := range w.file.Imports {
		if spec.Path.Value == `"context"` {
			if spec.Name != nil {
				w.context = spec.Name.Name
			}
			return w.context
		}
	}
	for _, d := range w.file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			if d.Lparen.IsValid() {
				w.insert(d.Lparen+1, "\n\"context\"")
			} else {
				w.insert(d.Pos(), "import \"context\"\n")
			}
			return w.context
		}
	}
	w.insert(w.file.Name.End(), "\n\nimport \"context\"")
	return w.context
}

// qualifier returns what precedes the names of a package in the file: nothing in the
// package itself.
func (w *fileRewriter) qualifier(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if w.path == path {
		return ""
	}
	for _, spec := range w.file.Imports {
		if strings.Trim(spec.Path.Value, `"`) == path && spec.Name != nil {
			name = spec.Name.Name
		}
	}
	if name == "." {
		return ""
	}
	return name + "."
}
