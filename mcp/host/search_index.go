package host

import (
	"math"
	"sort"
	"strings"

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

// newSearchIndex indexes tools.
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
