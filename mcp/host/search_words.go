package host

import (
	"strings"
	"unicode/utf8"
)

// eachWord calls f for each word of a text, in lower case and without its ending.
// It splits names such as getIssue and get_issue. Scripts that put no spaces
// between words are split into overlapping pairs of characters.
func eachWord(text string, f func(word string)) {
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		class := classOf(r)
		if class == noWord {
			text = text[size:]
			continue
		}
		end := size
		previous := r
		for end < len(text) {
			next, n := utf8.DecodeRuneInString(text[end:])
			if classOf(next) != class || isLower(previous) && isUpper(next) {
				break
			}
			if isUpper(previous) && isUpper(next) && end+n < len(text) && isLower(rune(text[end+n])) {
				break // the last capital of HTTPServer begins a word
			}
			previous, end = next, end+n
		}
		if word := text[:end]; class == dense {
			eachPair(word, f)
		} else if word = strings.ToLower(word); !isStopWord(word) {
			f(synonym(stem(word)))
		}
		text = text[end:]
	}
}

// eachPair calls f for each pair of neighboring characters, or for a single one.
func eachPair(text string, f func(string)) {
	_, first := utf8.DecodeRuneInString(text)
	if first == len(text) {
		f(text)
	}
	for first < len(text) {
		_, second := utf8.DecodeRuneInString(text[first:])
		f(text[:first+second])
		text, first = text[first:], second
	}
}

// A wordClass tells which characters form words together.
type wordClass uint8

const (
	noWord wordClass = iota // between words
	letter
	digit
	dense // of a script without spaces between words
)

// classOf returns the class of a character. The tables of package unicode would
// cost a program more than these ranges.
func classOf(r rune) wordClass {
	switch {
	case r < 0x80:
		switch {
		case r >= '0' && r <= '9':
			return digit
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			return letter
		}
		return noWord
	case r < 0xC0, r == 0xD7, r == 0xF7, r >= 0x2000 && r < 0x2C00, r >= 0x3000 && r < 0x3040, r == 0x30FB,
		r >= 0xFE10 && r < 0xFE70, r >= 0xFF00 && r < 0xFF10, r >= 0xFF1A && r < 0xFF21, r >= 0x1F000 && r < 0x1FB00, r == utf8.RuneError:
		return noWord // punctuation, symbols, emoji
	case r >= 0x0E00 && r < 0x1000, r >= 0x1000 && r < 0x10A0, r >= 0x1780 && r < 0x1800, r >= 0x2E80 && r < 0xA000,
		r >= 0xAC00 && r < 0xD7B0, r >= 0xF900 && r < 0xFB00, r >= 0x20000 && r < 0x32000:
		return dense // Thai to Tibetan, Myanmar, Khmer, Han, Kana, Hangul
	}
	return letter
}

func isLower(r rune) bool { return r >= 'a' && r <= 'z' }
func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }

// stem returns an English word without the ending of a plural or a verb form, and
// other words unchanged. Different forms need to have the same stem, which need
// not be a word.
func stem(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return word
		}
	}
	word = cut(word, "ies", "y", 2)
	for _, end := range [...]string{"sses", "shes", "ches", "xes", "zes"} {
		if strings.HasSuffix(word, end) {
			return word[:len(word)-2]
		}
	}
	if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' && word[n-2] != 'u' && word[n-2] != 'i' {
		word = word[:n-1]
	}
	short := cut(cut(word, "ing", "", 3), "ed", "", 3)
	if n := len(short); n < len(word) && n > 2 && short[n-1] == short[n-2] && short[n-1] != 'l' && short[n-1] != 's' {
		short = short[:n-1] // stopped, running
	}
	if n := len(short); n > 4 && short[n-1] == 'e' {
		short = short[:n-1] // so that create and creating are equal
	}
	return short
}

// synonym returns the more common one of two words for the same thing. All words
// are stems.
func synonym(word string) string {
	switch word {
	case "folder":
		return "directory"
	case "pictur", "photo":
		return "imag"
	case "remov", "eras":
		return "delet"
	case "bug", "ticket":
		return "issu"
	case "repo":
		return "repository"
	}
	return word
}

// cut replaces an ending if at least as many bytes precede it.
func cut(word, end, by string, least int) string {
	if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= least {
		return rest + by
	}
	return word
}

// isStopWord reports whether a word says nothing about a tool.
func isStopWord(word string) bool { return strings.Contains(stopWords, " "+word+" ") }

const stopWords = " a an and any are as at be by can do does for from has have how i if in into is it its me my of on or our please should some " +
	"that the their these this those to tool use used using want was we were what when which will with you your mcp "
