// Package glob matches names with globs, as settings and permissions contain them.
package glob

import (
	"slices"
	"strings"
)

// Any reports whether name matches one of the globs.
func Any(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return Match(glob, name) })
}

// Match reports whether the whole name matches the glob, in which * stands for
// any text, ? for any byte, [gs] for one of these bytes, [a-z] and [!a-z] for one
// within or outside of a range, and {a,b} for one of these globs. An opening
// bracket or brace that is not closed stands for itself. A glob has at most 64
// alternatives in braces; the others are ignored.
func Match(glob, name string) bool {
	budget := 64
	return matchBraces(glob, name, &budget)
}

// matchBraces replaces the first braces by each of their alternatives.
func matchBraces(glob, name string, budget *int) bool {
	open := strings.IndexByte(glob, '{')
	if open < 0 {
		return match(glob, name, true)
	}
	depth, from := 0, open+1
	var parts []string
	for i := open; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '{':
			depth++
		case c == ',' && depth == 1:
			parts, from = append(parts, glob[from:i]), i+1
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			for _, part := range append(parts, glob[from:i]) {
				if *budget--; *budget < 0 {
					return false
				}
				if matchBraces(glob[:open]+part+glob[i+1:], name, budget) {
					return true
				}
			}
			return false
		}
	}
	return match(glob, name, true)
}

// Text reports whether the whole text matches the glob, in which only * and ?
// are special. It suits JSON, which has brackets and braces.
func Text(glob, text string) bool { return match(glob, text, false) }

// match matches without braces. classes makes brackets special.
func match(glob, name string, classes bool) bool {
	classes = classes && strings.IndexByte(glob, ']') >= 0
	star, mark := -1, 0 // where to continue if the text after the last * does not match
	g, n := 0, 0
	for n < len(name) {
		size := 0
		if g < len(glob) && glob[g] != '*' {
			size = matchByte(glob[g:], name[n], classes)
		}
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, n
			g++
		case size > 0:
			g += size
			n++
		case star >= 0:
			mark++
			g, n = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// matchByte returns the length of the beginning of a glob that matches a byte, or 0
// if it does not match.
func matchByte(glob string, c byte, classes bool) int {
	end := -1
	if classes && glob[0] == '[' {
		end = strings.IndexByte(glob, ']')
	}
	if end > 1 {
		set, not := strings.CutPrefix(glob[1:end], "!")
		in := false
		for i := 0; i < len(set); i++ {
			if i+2 < len(set) && set[i+1] == '-' {
				in = in || set[i] <= c && c <= set[i+2]
				i += 2
			} else {
				in = in || set[i] == c
			}
		}
		if in != not {
			return end + 1
		}
		return 0
	}
	if glob[0] == '?' || glob[0] == c {
		return 1
	}
	return 0
}
