// Package nearest finds the known names that are similar to an unknown one, to
// suggest them in errors.
package nearest

import (
	"strings"
	"unicode/utf8"
)

const (
	// most is the number of names that Names returns at most.
	most = 3

	// minPart is the length of the shortest name that may be a part of another
	// one, and maxName that of the longest name that has similar ones.
	minPart, maxName = 4, 256

	// maxWork limits the comparisons of characters for one name: 20 ms. What is known may
	// come from a server. Further names are similar only if one is a part of the other.
	maxWork = 3_000_000
)

// Names returns up to three known names that are similar to name, the most
// similar first. It ignores case and separators.
func Names(name string, known []string) []string {
	if len(name) > maxName {
		return nil
	}
	var names [most]string
	var distances [most]int
	n, a, work := 0, Plain(name), maxWork
	for _, k := range known {
		if len(k) > maxName {
			continue
		}
		d, ok := similar(a, Plain(k), &work)
		if !ok || contains(names[:n], k) {
			continue
		}
		i := n
		for i > 0 && d < distances[i-1] {
			i--
		}
		if i == most {
			continue
		}
		n = min(n+1, most)
		copy(names[i+1:n], names[i:])
		copy(distances[i+1:n], distances[i:])
		names[i], distances[i] = k, d
	}
	for n > 0 && distances[n-1] > distances[0]+1 {
		n--
	}
	if n == 0 {
		return nil
	}
	return names[:n]
}

// Typo returns the only known name of which name is a misspelling: in case, separators or one
// character, two of a long name. It returns "" if there is none, or several.
func Typo(name string, known []string) string {
	a, only, work := Plain(name), "", maxWork
	n := utf8.RuneCountInString(a)
	const short, long = 3, 8
	most := 1
	if n >= long {
		most = 2
	}
	if n < short || len(name) > maxName {
		return ""
	}
	for _, k := range known {
		b := Plain(k)
		m := utf8.RuneCountInString(b)
		if k == name {
			return ""
		}
		if k == only || m < short || len(k) > maxName || n-m > most || m-n > most {
			continue
		}
		if work -= n * m; work < 0 {
			return ""
		}
		if distance(a, b) > most {
			continue
		}
		if only != "" {
			return ""
		}
		only = k
	}
	return only
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// similar returns the distance of two plain names and whether they are similar. It takes
// what it compares from work.
func similar(a, b string, work *int) (d int, ok bool) {
	n, m := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	most := (min(n, m) + 1) / 3
	if d = max(n-m, m-n); d <= most { // which the distance is at least
		if *work -= n * m; *work < 0 {
			d = most + 1
		} else {
			d = distance(a, b)
		}
	}
	switch {
	case a != "" && strings.HasPrefix(b, a):
		return min(d, 1), true
	case len(a) >= minPart && strings.Contains(b, a), len(b) >= minPart && strings.HasSuffix(a, b):
		return min(d, 2), true
	}
	return d, d <= most
}

// Plain returns a name without case and separators.
func Plain(s string) string {
	b := []byte(strings.ToLower(s))
	n := 0
	for _, c := range b {
		if strings.IndexByte("_- ./:", c) < 0 {
			b[n] = c
			n++
		}
	}
	return string(b[:n])
}

// distance returns the number of characters to change, insert, delete or swap to
// turn a into b (optimal string alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	width := len(t) + 1
	d := make([]int, (len(s)+1)*width) // of the first i and j characters
	for at := range d {
		i, j := at/width, at%width
		if i == 0 || j == 0 {
			d[at] = i + j
			continue
		}
		d[at] = d[at-width-1]
		if s[i-1] != t[j-1] {
			d[at] = 1 + min(d[at], d[at-width], d[at-1])
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d[at] = min(d[at], 1+d[at-2*width-2])
			}
		}
	}
	return d[len(d)-1]
}
