package host

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A searchIndex ranks tools by BM25 over the words of their names, titles,
// descriptions and arguments. It is immutable.
type searchIndex struct {
	tools   []*Tool
	words   []string      // sorted
	first   []uint32      // of each word, and of the end, in entries
	entries []searchEntry // ordered by word, then by tool
	norms   []float32     // the part of the score that depends on the length of a tool's text
}

// A searchEntry is the weight of a word in a tool.
type searchEntry struct {
	tool   uint32
	weight float32
}

const (
	// Weights of the places where a word can be.
	nameWeight, titleWeight, serverWeight, argumentWeight = 3.0, 2.0, 2.0, 0.5

	// The parameters of BM25.
	saturation, lengthWeight = 1.2, 0.6

	// maxSearchText limits the part of a description that is searched, in bytes,
	// and maxSearchWords the words of one tool, so that an index of 1,000 tools
	// stays below 2 MB.
	maxSearchText, maxSearchWords = 2 << 10, 160
)

func newSearchIndex(tools []*Tool) *searchIndex {
	x := &searchIndex{tools: tools, norms: make([]float32, len(tools))}
	numbers := make(map[string]int) // of words, in lists
	var lists [][]searchEntry
	total, lengths := float32(0), make([]float32, len(tools))
	for i, t := range tools {
		count := 0
		eachField(t, func(text string, weight float32) {
			eachWord(text, func(word string) {
				lengths[i] += weight
				k, known := numbers[word]
				if known {
					if last := &lists[k][len(lists[k])-1]; last.tool == uint32(i) {
						last.weight += weight
						return
					}
				}
				if count++; count > maxSearchWords {
					return
				}
				if !known {
					k = len(lists)
					numbers[word], lists = k, append(lists, nil)
				}
				lists[k] = append(lists[k], searchEntry{uint32(i), weight})
			})
		})
		total += lengths[i]
	}
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	x.words, x.entries = wire.SortedKeys(numbers), make([]searchEntry, 0, n)
	for i, word := range x.words {
		x.words[i] = strings.Clone(word)
		x.first = append(x.first, uint32(len(x.entries)))
		x.entries = append(x.entries, lists[numbers[word]]...)
	}
	x.first = append(x.first, uint32(len(x.entries)))
	mean := total / float32(max(len(tools), 1))
	for i, length := range lengths {
		x.norms[i] = saturation * (1 - lengthWeight + lengthWeight*length/mean)
	}
	return x
}

// eachField calls f for each text of a tool that is searched.
func eachField(t *Tool, f func(text string, weight float32)) {
	f(t.def.Name, nameWeight)
	f(t.Server(), serverWeight)
	if title := t.def.DisplayName(); title != t.def.Name {
		f(title, titleWeight)
	}
	description := t.def.Description
	f(description[:min(len(description), maxSearchText)], 1)
	r := wire.NewReader(t.def.InputSchema)
	for r.Object(); r.More(); {
		if string(r.Key()) != "properties" {
			r.Skip()
			continue
		}
		for r.Object(); r.More(); {
			f(string(r.Key()), argumentWeight)
			r.Skip()
		}
	}
}

// rank returns the scores of all tools for a query, or nil if no word of it is
// found.
func (x *searchIndex) rank(query string) (scores []float32) {
	eachWord(query, func(word string) {
		i := sort.SearchStrings(x.words, word)
		found := i < len(x.words) && x.words[i] == word
		weight := float32(1)
		if !found {
			weight = 0.6 // of words that begin alike, such as repo and repository
		}
		for ; i < len(x.words) && (found && x.words[i] == word || !found && len(word) > 2 && strings.HasPrefix(x.words[i], word)); i++ {
			if scores == nil {
				scores = make([]float32, len(x.tools))
			}
			list := x.entries[x.first[i]:x.first[i+1]]
			rarity := float32(math.Log(1 + (float64(len(x.tools)-len(list))+0.5)/(float64(len(list))+0.5)))
			for _, e := range list {
				scores[e.tool] += weight * rarity * e.weight * (saturation + 1) / (e.weight + x.norms[e.tool])
			}
		}
	})
	return scores
}

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
		} else if word = strings.ToLower(word); !strings.Contains(stopWords, " "+word+" ") {
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

// stopWords say nothing about a tool.
const stopWords = " a an and any are as at be by can do does for from has have how i if in into is it its me my of on or our please should some " +
	"that the their these this those to tool use used using want was we were what when which will with you your mcp "
