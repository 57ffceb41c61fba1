package host

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	// maxDiffLines and maxDiffText limit the text of ToolChange.Diff: its lines
	// and the bytes of each value.
	maxDiffLines, maxDiffText = 50, 200

	// diffContext is how much of a value is shown before the first difference.
	diffContext = 30
)

// Diff returns the difference of the definitions as text for the user, a line for
// each value that was added, removed or changed, up to 50 lines. Values are quoted,
// so that nothing in them is hidden.
func (c *ToolChange) Diff() string {
	if c == nil || c.Before == nil || c.After == nil {
		return ""
	}
	before, after := values(c.Before), values(c.After)
	for path := range before {
		if after[path] == "" {
			after[path] = "" // removed; a value is not empty
		}
	}
	text, lines := "", 0
	for _, path := range wire.SortedKeys(after) {
		was, is := before[path], after[path]
		if was == is {
			continue
		}
		if lines++; lines > maxDiffLines {
			continue
		}
		same := 0
		for same < min(len(was), len(is)) && was[same] == is[same] {
			same++
		}
		switch {
		case was == "":
			was = "added " + excerpt(is, 0)
		case is == "":
			was = "removed " + excerpt(was, 0)
		default:
			was = excerpt(was, same) + " → " + excerpt(is, same)
		}
		text += path + ": " + was + "\n"
	}
	if lines > maxDiffLines {
		text += "and " + strconv.Itoa(lines-maxDiffLines) + " more\n"
	}
	return text
}

// values returns the values of a definition, by path.
func values(t *mcp.Tool) map[string]string {
	all := make(map[string]string)
	r := wire.NewReader([]byte(canonical(t)))
	flatten("", &r, all)
	return all
}

// flatten adds the values of a JSON text, by path.
func flatten(path string, r *wire.Reader, values map[string]string) {
	switch r.Kind() {
	case wire.Object:
		n := 0
		for r.Object(); r.More(); n++ {
			key := string(r.Key())
			if quoted := wire.Quote(key); quoted != `"`+key+`"` || strings.Contains(key, ".") {
				key = quoted
			}
			if path != "" {
				key = path + "." + key
			}
			flatten(key, r, values)
		}
		if n == 0 {
			values[path] = "{}"
		}
	case wire.Array:
		n := 0
		for r.Array(); r.More(); n++ {
			flatten(path+"["+strconv.Itoa(n)+"]", r, values)
		}
		if n == 0 {
			values[path] = "[]"
		}
	case wire.String:
		values[path] = `"` + r.String()
	default:
		values[path] = string(r.Raw())
	}
}

// excerpt returns the part of a value that begins shortly before the first
// difference.
func excerpt(value string, same int) string {
	text, isString := strings.CutPrefix(value, `"`)
	if !isString {
		return value[:min(len(value), maxDiffText)]
	}
	start, end := max(0, same-1-diffContext), len(text)
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	if end-start > maxDiffText {
		for end = start + maxDiffText; !utf8.RuneStart(text[end]); end-- {
		}
	}
	quoted := wire.Quote(text[start:end])
	if start > 0 {
		quoted = "..." + quoted
	}
	if end < len(text) {
		quoted += "..."
	}
	return quoted
}
