package jsonschema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPatterns limits the instructions of all patterns of a schema.
const maxPatterns = 50_000

// maxPattern limits the length of a pattern, in bytes. Package regexp reads some of the
// syntax in a time that grows with the square of the length.
const maxPattern = 8 << 10

// perClass is how many instructions a class of Unicode such as \pL counts as, in
// or outside brackets: it has up to 700 ranges. If the pattern ignores case, there are four
// times as many, as package regexp looks for the other cases of each.
const perClass = 100

// perRange is how many characters of a range such as a-z, in a pattern that ignores case,
// count as an instruction: package regexp looks for the other cases of each.
const perRange = 8

// perPattern is how many instructions a pattern counts as beside its own: package regexp
// needs some memory for each.
const perPattern = 20

// patternSize estimates the instructions of a pattern, in which repetitions are
// written out. It takes every text of up to maxPattern bytes, and reads only what
// matters here: package regexp, which Compile would link for it, is 0.25 MB of a
// program.
func patternSize(s string) int {
	groups := []int{1} // the sizes of the groups that are open, innermost last
	last := 0          // the size of the last atom
	add := func(n int) {
		top := &groups[len(groups)-1]
		*top = min(*top+n, maxPatterns+1)
	}
	atom := func(n int) {
		last = n
		add(n)
	}
	ignoreCase, class := ignoresCase(s), perClass
	if ignoreCase {
		class *= 4
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if strings.HasPrefix(s[i:], "Q") { // begins a literal text
				text, _, _ := strings.Cut(s[i+1:], `\E`)
				i += len(text)
				add(len(text))
			}
			if strings.HasPrefix(s[i:], "p") || strings.HasPrefix(s[i:], "P") {
				add(class)
			}
			atom(1)
		case '[':
			n := classLen(s[i:])
			add(classSize(s[i:i+n], class, ignoreCase))
			i += n - 1
			atom(1)
		case '(':
			groups = append(groups, 2)
		case ')':
			if n := len(groups) - 1; n > 0 {
				inner := groups[n]
				groups = groups[:n]
				atom(inner)
			}
		case '*', '+', '?', '|':
			add(2)
		case '{':
			times, n := repetition(s[i:])
			if n == 0 {
				atom(1)
				break
			}
			i += n - 1
			before := last
			if last = maxPatterns + 1; times <= maxPatterns/(before+1) {
				last = times * (before + 1)
			}
			add(max(last-before, 0))
		default:
			atom(1)
		}
	}
	total := 0
	for _, n := range groups {
		total = min(total+n, maxPatterns+1)
	}
	return total
}

// ignoresCase reports whether a part of a pattern ignores case: (?i).
func ignoresCase(s string) bool {
	for {
		_, flags, ok := strings.Cut(s, "(?")
		if !ok {
			return false
		}
		s = strings.TrimLeft(flags, "imsU-")
		if strings.Contains(flags[:len(flags)-len(s)], "i") {
			return true
		}
	}
}

// classSize estimates the cost of compiling a character class, in instructions. A class of
// Unicode in it costs class.
func classSize(s string, class int, ignoreCase bool) int {
	size := class * (strings.Count(s, `\p`) + strings.Count(s, `\P`))
	if !ignoreCase {
		return size
	}
	for at := s; ; {
		before, after, ok := strings.Cut(at, "-")
		if !ok {
			return size
		}
		first, _ := utf8.DecodeLastRuneInString(before)
		last, _ := utf8.DecodeRuneInString(after)
		if strings.Contains(before[max(0, len(before)-len(`\x{10FFFF}`)):], `\`) || last == '\\' {
			first, last = 0, maxCase // written as an escape
		}
		size += int(max(min(last, maxCase)-first, 0)) / perRange
		at = after
	}
}

// maxCase is above all characters that have another case.
const maxCase = 0x1F000

// classLen returns the length of the character class that s starts with.
func classLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && strings.HasPrefix(s[i:], "[:") && strings.Contains(s[i:], ":]"):
			i += strings.Index(s[i:], ":]") + 1
		case s[i] == ']' && i > 1 && s[:i] != "[^": // a bracket in the first place is a character
			return i + 1
		}
	}
	return len(s)
}

// repetition returns how often {n}, {n,} or {n,m}, which s starts with, repeats at
// most, and its length, which is 0 if s starts with none.
func repetition(s string) (times, length int) {
	end := 1 // of digits and a comma: a search for the bracket would read the whole rest for each
	for end < len(s) && strings.IndexByte("0123456789,", s[end]) >= 0 {
		end++
	}
	if end == len(s) || s[end] != '}' {
		return 0, 0
	}
	least, most, both := strings.Cut(s[1:end], ",")
	n, err := strconv.Atoi(least)
	if err != nil {
		return 0, 0
	}
	if m, err := strconv.Atoi(most); both && most != "" {
		if err != nil {
			return 0, 0
		}
		n = max(n, m)
	}
	return max(n, 1), end + 1
}
