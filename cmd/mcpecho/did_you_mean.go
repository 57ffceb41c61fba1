package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// didYouMean returns a suggestion to append to an error about an unknown name, or
// "" if none of the known names is similar.
func didYouMean(name string, known []string) string {
	near := nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	for i := range near {
		near[i] = strconv.Quote(near[i])
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// nearest returns up to three similar known names, the most similar first.
func nearest(name string, known []string) []string {
	const most, minPart = 3, 4
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, k := range known {
		a, b := plainName(name), plainName(k)
		d := distance(a, b)
		if a != "" && strings.HasPrefix(b, a) {
			d = min(d, 1)
		} else if len(a) >= minPart && strings.Contains(b, a) {
			d = min(d, 2)
		} else if d > (min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))+1)/3 {
			continue
		}
		found = append(found, candidate{k, d})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, f := range found {
		if len(names) < most && f.distance <= found[0].distance+1 && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// plainName returns a name without case and separators.
func plainName(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// distance returns the number of characters to change, insert, delete or swap to
// turn a into b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		next := make([]int, len(t)+1)
		next[0] = i + 1
		for j := range t {
			d := row[j]
			if s[i] != t[j] {
				d = 1 + min(d, row[j+1], next[j])
				if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
					d = min(d, before[j-1]+1)
				}
			}
			next[j+1] = d
		}
		before, row = row, next
	}
	return row[len(t)]
}
