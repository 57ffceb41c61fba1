package host

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// maxDiffLines and maxDiffText limit the text of ToolChange.Diff: its lines
	// and the bytes of each value.
	maxDiffLines, maxDiffText = 50, 200

	// diffContext is how much of a value is shown before the first difference.
	diffContext = 30
)

// Diff returns the difference of the definitions as text for the user, a line for
// each value that was added, removed or changed, up to 50 lines. Values are quoted
// with %q, and hidden characters escaped. Of a long value, the line has the beginning of
// the difference and says how long it is.
func (c *ToolChange) Diff() string {
	if c == nil || c.Before == nil || c.After == nil {
		return ""
	}
	before, after := wire.NewReader([]byte(canonical(c.Before))), wire.NewReader([]byte(canonical(c.After)))
	var d differ
	d.compare(&before, &after)
	if d.lines > maxDiffLines {
		d.text = append(d.text, "and "+strconv.Itoa(d.lines-maxDiffLines)+" more\n"...)
	}
	return display.Escape(string(d.text), display.IsHidden) // %q leaves some letters that no terminal shows
}

// A differ writes the differences of two JSON texts in the canonical form. path is
// that of the current value; only lines that are shown copy it.
type differ struct {
	path, text []byte
	lines      int
}

// compare compares the next values of two texts.
func (d *differ) compare(before, after *wire.Reader) {
	kind, other := before.Kind(), after.Kind()
	if kind != other && (isNested(kind) || isNested(other)) {
		d.all(before, false)
		d.all(after, true)
		return
	}
	switch kind {
	case wire.Object:
		before.Object()
		after.Object()
		was, hadMore := nextKey(before)
		is, hasMore := nextKey(after)
		for first := true; hadMore || hasMore; first = false {
			if first && !(hadMore && hasMore) {
				d.change("{}", !hadMore)
			}
			mark := len(d.path)
			switch {
			case !hasMore || hadMore && was < is:
				d.key(was)
				d.all(before, false)
				was, hadMore = nextKey(before)
			case !hadMore || is < was:
				d.key(is)
				d.all(after, true)
				is, hasMore = nextKey(after)
			default:
				d.key(is)
				d.compare(before, after)
				was, hadMore = nextKey(before)
				is, hasMore = nextKey(after)
			}
			d.path = d.path[:mark]
		}
	case wire.Array:
		before.Array()
		after.Array()
		hadMore, hasMore := before.More(), after.More()
		for n := 0; hadMore || hasMore; n++ {
			if n == 0 && !(hadMore && hasMore) {
				d.change("[]", !hadMore)
			}
			mark := len(d.path)
			d.item(n)
			switch {
			case !hasMore:
				d.all(before, false)
			case !hadMore:
				d.all(after, true)
			default:
				d.compare(before, after)
			}
			d.path = d.path[:mark]
			hadMore, hasMore = hadMore && before.More(), hasMore && after.More()
		}
	default:
		if was, is := value(before), value(after); was != is {
			same, end, most := 0, 0, min(len(was), len(is))
			for same < most && was[same] == is[same] {
				same++
			}
			for same+end < most && was[len(was)-1-end] == is[len(is)-1-end] {
				end++
			}
			text := excerpt(was, same) + " → " + excerpt(is, same)
			if n := max(len(was), len(is)) - same - end; n > maxDiffText-2*diffContext {
				text += ", which differ in " + strconv.Itoa(n) + " bytes"
			}
			d.line(text)
		}
	}
}
func isNested(k wire.Kind) bool { return k == wire.Object || k == wire.Array }

// nextKey returns the next key of an object, if there is one.
func nextKey(r *wire.Reader) (string, bool) {
	if !r.More() {
		return "", false
	}
	return string(r.Key()), true
}

// all writes all values below the next one as added or removed.
func (d *differ) all(r *wire.Reader, added bool) {
	mark, n := len(d.path), 0
	empty := ""
	switch r.Kind() {
	case wire.Object:
		for r.Object(); r.More(); n++ {
			d.key(string(r.Key()))
			d.all(r, added)
			d.path = d.path[:mark]
		}
		empty = "{}"
	case wire.Array:
		for r.Array(); r.More(); n++ {
			d.item(n)
			d.all(r, added)
			d.path = d.path[:mark]
		}
		empty = "[]"
	default:
		empty = value(r)
	}
	if n == 0 {
		d.change(empty, added)
	}
}

// key appends a member's name to the path.
func (d *differ) key(key string) {
	if quoted := wire.Quote(key); quoted != `"`+key+`"` || strings.Contains(key, ".") {
		key = quoted
	}
	if len(d.path) > 0 {
		d.path = append(d.path, '.')
	}
	d.path = append(d.path, key...)
}

// item appends the index of an item to the path.
func (d *differ) item(n int) { d.path = append(wire.AppendInt(append(d.path, '['), int64(n)), ']') }

// change writes a line for a value that was added or removed.
func (d *differ) change(value string, added bool) {
	if added {
		d.line("added " + excerpt(value, 0))
	} else {
		d.line("removed " + excerpt(value, 0))
	}
}

// line writes a line with the path, unless there are too many.
func (d *differ) line(text string) {
	if d.lines++; d.lines <= maxDiffLines {
		d.text = append(append(append(d.text, shortPath(d.path)...), ": "...), text...)
		d.text = append(d.text, '\n')
	}
}

// shortPath returns the beginning and the end of a path.
func shortPath(path []byte) string {
	const most = maxDiffText / 2
	if len(path) <= maxDiffText {
		return string(path)
	}
	first, last := most, len(path)-most
	for first > 0 && !utf8.RuneStart(path[first]) {
		first--
	}
	for last < len(path) && !utf8.RuneStart(path[last]) {
		last++
	}
	return string(path[:first]) + "..." + string(path[last:])
}

// value returns the next value, which is neither an object nor an array. Text begins
// with a quote and is not escaped.
func value(r *wire.Reader) string {
	if r.Kind() == wire.String {
		return `"` + r.String()
	}
	return string(r.Raw())
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
