// Package glob matches names with globs, as settings and permissions contain them.
package glob

import "strings"

// Any reports whether name matches one of the globs.
func Any(globs []string, name string) bool {
	for _, glob := range globs {
		if Match(glob, name) {
			return true
		}
	}
	return false
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

// match matches without braces. classes makes brackets special. The parts before the first
// star are at the beginning of the name, those after the last one at its end, and those
// between two stars where they come first.
func match(glob, name string, classes bool) bool {
	classes = classes && strings.IndexByte(glob, ']') >= 0
	parts := make([]string, 0, min(len(glob), len(name)+1)) // each of which matches one byte
	for first := true; ; first = false {
		text, literal := glob, true
		parts = parts[:0]
		for n := 1; glob != "" && glob[0] != '*' && len(parts) <= len(name); glob, n = glob[n:], 1 {
			if classes && glob[0] == '[' {
				end := strings.IndexByte(glob, ']')
				if end > 1 {
					n = end + 1
				}
			}
			parts, literal = append(parts, glob[:n]), literal && n == 1 && glob[0] != '?'
		}
		at := 0
		switch {
		case glob == "" && first && len(parts) != len(name), len(parts) > len(name):
			return false
		case glob == "":
			at = len(name) - len(parts)
		case !first && literal: // a host matches names of megabytes while other servers wait
			at = strings.Index(name, text[:len(parts)])
		case !first:
			at = find(parts, name)
		}
		if at < 0 {
			return false
		}
		for i, part := range parts {
			if !matchByte(part, name[at+i]) {
				return false
			}
		}
		if glob == "" {
			return true
		}
		glob, name = glob[1:], name[at+len(parts):]
	}
}

// find returns where a name first matches parts, or -1. It follows all places at which it may
// at once, so that the time does not grow with their number: a server chooses the name.
func find(parts []string, name string) int {
	var matching [256][]uint64 // sets of the parts that match a byte
	last := uint(len(parts) - 1)
	reached := make([]uint64, last/64+1)
	for at := range len(name) {
		c, carry := name[at], uint64(1)
		set := matching[c]
		if set == nil {
			set = make([]uint64, len(reached))
			for i, part := range parts {
				if matchByte(part, c) {
					set[i/64] |= 1 << (i % 64)
				}
			}
			matching[c] = set
		}
		for i, matched := range set {
			before := reached[i]
			reached[i] = (before<<1 | carry) & matched
			carry = before >> 63
		}
		if reached[last/64]>>(last%64)&1 != 0 {
			return at - int(last)
		}
	}
	return -1
}

// matchByte reports whether a part of a glob matches a byte.
func matchByte(part string, c byte) bool {
	if len(part) == 1 {
		return part[0] == '?' || part[0] == c
	}
	set, not := strings.CutPrefix(part[1:len(part)-1], "!")
	in := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			in = in || set[i] <= c && c <= set[i+2]
			i += 2
		} else {
			in = in || set[i] == c
		}
	}
	return in != not
}
