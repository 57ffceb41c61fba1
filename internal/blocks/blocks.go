// Package blocks writes content blocks as text and as images for a model.
package blocks

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Text returns one content block as text for a model. It is empty for a block that is
// blank or for the user alone.
func Text(c *mcp.Content) string {
	if c == nil || ForUser(c) {
		return ""
	}
	if c.Raw != nil {
		return "[" + string(c.Type) + " content]"
	}
	switch c.Type {
	case mcp.ContentText:
		return visible(c.Text)
	case mcp.ContentImage, mcp.ContentAudio:
		return "[" + string(c.Type) + " content: " + c.MIMEType + ", " + Size(c.Data) + "]"
	case mcp.ContentResourceLink:
		return link(c)
	case mcp.ContentResource:
		if c.Resource == nil {
			break
		}
		if text, ok := ResourceText(c.Resource); ok {
			return visible(text)
		}
		return "[resource content: " + c.Resource.URI + " " + c.Resource.MIMEType + ", " + Size(c.Resource.Blob) + "]"
	}
	return "[" + string(c.Type) + " content]"
}

// visible returns text, or "" if it is blank, which providers reject.
func visible(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// link returns a link with what a model needs to decide whether to read it.
func link(c *mcp.Content) string {
	text := "[resource: " + c.Name + " " + c.URI
	var more []string
	for _, s := range [...]string{c.Title, c.Description, c.MIMEType} {
		if s != "" && s != c.Name {
			more = append(more, s)
		}
	}
	if c.Size != nil {
		more = append(more, strconv.FormatInt(*c.Size, 10)+" bytes")
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text + "]"
}

// ForUser reports whether a block is for the user and not for the model.
func ForUser(c *mcp.Content) bool {
	if c.Annotations == nil || len(c.Annotations.Audience) == 0 {
		return false
	}
	for _, role := range c.Annotations.Audience {
		if role != mcp.RoleUser {
			return false
		}
	}
	return true
}

// ResourceText returns the text of a resource that has some, also if it is in a blob, as
// CSV and JSON often are.
func ResourceText(r *mcp.ResourceContents) (string, bool) {
	if !r.IsBlob && r.Blob == "" {
		return r.Text, true
	}
	mime, _, _ := strings.Cut(strings.ToLower(r.MIMEType), ";")
	kind, name, _ := strings.Cut(strings.TrimSpace(mime), "/")
	switch {
	case kind == "text", strings.HasSuffix(name, "+json"), strings.HasSuffix(name, "+xml"), strings.HasSuffix(name, "+yaml"):
	case kind != "application":
		return "", false
	default:
		switch strings.TrimPrefix(name, "x-") {
		case "json", "ndjson", "jsonl", "xml", "yaml", "toml", "csv", "javascript", "typescript", "sql", "sh", "graphql":
		default:
			return "", false
		}
	}
	b, err := wire.DecodeBase64(r.Blob)
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// Size returns the decoded size of base64.
func Size(data string) string {
	n := len(data)
	for n > 0 && data[n-1] == '=' {
		n--
	}
	return strconv.Itoa(n*3/4) + " bytes"
}

// Covers reports whether the blocks of a result show its structured content: there is
// none, or a text has the same, alone or as the member "result", or it repeats the longest
// data of a block.
func Covers(res *mcp.CallToolResult) bool {
	if !HasStructured(res) {
		return true
	}
	raw, inner, longest, word := res.StructuredContent, wire.Lookup(res.StructuredContent, "result"), "", ""
	r := wire.NewReader(inner)
	isWord := r.Kind() == wire.String
	if isWord {
		word = r.String()
	}
	least, leastInner := shortest(raw), shortest(inner)
	for i := range res.Content {
		c := &res.Content[i]
		if data := Data(c); len(data) > len(longest) {
			longest = data
		}
		text := Text(c)
		if len(text) >= least && SameJSON(text, raw) || inner != nil && len(text) >= leastInner && SameJSON(text, inner) || isWord && text == word {
			return true
		}
	}
	return len(longest) > 16 && strings.Contains(string(raw), longest) || covers(res, inner)
}

// shortest returns a lower limit of the length of a text with the same values: only escapes
// and blanks can be more. A result may have 100,000 blocks, which are too short.
func shortest(raw []byte) int { return len(wire.AppendCompact(nil, raw)) / len(`\u0061`) }

// covers reports whether each element of a list is the text of a block.
func covers(res *mcp.CallToolResult, list []byte) bool {
	r := wire.NewReader(list)
	if list == nil || r.Kind() != wire.Array {
		return false
	}
	i := 0
	for r.Array(); r.More(); i++ {
		if i >= len(res.Content) {
			return false
		}
		raw := r.Raw()
		text, element := Text(&res.Content[i]), wire.NewReader(raw)
		if !SameJSON(text, raw) && (element.Kind() != wire.String || element.String() != text) {
			return false
		}
	}
	return i == len(res.Content)
}

// HasStructured reports whether a result has structured content other than null.
func HasStructured(res *mcp.CallToolResult) bool {
	return len(res.StructuredContent) > 0 && string(wire.Trim([]byte(res.StructuredContent))) != "null"
}

// Data returns the base64 of a block.
func Data(c *mcp.Content) string {
	if c.Type == mcp.ContentResource && c.Resource != nil {
		return c.Resource.Blob
	}
	return c.Data
}

// SameJSON reports whether a text is JSON with the same values as raw, in the same order.
func SameJSON(text string, raw []byte) bool {
	if text == "" || text == string(raw) {
		return text != ""
	}
	a, b := wire.NewReader([]byte(text)), wire.NewReader(raw)
	return same(&a, &b) && a.End() == nil && b.End() == nil
}

func same(a, b *wire.Reader) bool {
	kind := a.Kind()
	if kind != b.Kind() || kind == wire.Invalid {
		return false
	}
	switch kind {
	case wire.Object:
		a.Object()
		b.Object()
		for a.More() {
			if !b.More() || string(a.Key()) != string(b.Key()) || !same(a, b) {
				return false
			}
		}
		return !b.More()
	case wire.Array:
		a.Array()
		b.Array()
		for a.More() {
			if !b.More() || !same(a, b) {
				return false
			}
		}
		return !b.More()
	case wire.String:
		return a.String() == b.String()
	}
	return string(a.Raw()) == string(b.Raw())
}
