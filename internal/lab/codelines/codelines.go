// Package codelines counts lines of Go code.
package codelines

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Count returns the number of lines of src that have a token other than a comment.
func Count(src []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", 1, len(src))
	s.Init(file, src, nil, 0)
	lines := make(map[int]bool)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		for i := range strings.Count(text, "\n") + 1 {
			lines[file.Line(pos)+i] = true
		}
	}
}
