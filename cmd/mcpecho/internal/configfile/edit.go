// Package configfile adds servers to a configuration file and removes them. Such files
// are JSON that people write, with comments and an order: they are changed at one place,
// and all other bytes stay as they are.
package configfile

import (
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A span is the place of a member of an object in a text.
type span struct {
	key        string
	start      int // of the key
	value, end int // of the value
}

var errNotObject = errors.New("not a JSON object")

// skipBlank returns the offset of the next character that is neither a blank nor
// in a comment.
func skipBlank(text string, i int) int {
	for i < len(text) {
		switch {
		case strings.IndexByte(" \t\r\n", text[i]) >= 0:
			i++
		case strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return len(text)
			}
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/") // "/*/" is not a whole one
			if end < 0 {
				return len(text)
			}
			i += end + 4
		default:
			return i
		}
	}
	return i
}

// skipValue returns the end of the value that begins at i, or -1.
func skipValue(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':':
			if depth == 0 {
				return -1
			}
			i++
		default:
			start := i
			for i < len(text) && strings.IndexByte(" \t\r\n,:{}[]\"/", text[i]) < 0 {
				i++
			}
			if i == start {
				return -1
			}
		}
		if depth == 0 {
			return min(i, len(text))
		}
		i = skipBlank(text, i)
	}
	return -1
}

// membersAt returns the members of the object that begins at i, and the offset of
// its closing brace.
func membersAt(text string, i int) (all []span, end int, err error) {
	if i >= len(text) || text[i] != '{' {
		return nil, 0, errNotObject
	}
	for i = skipBlank(text, i+1); i < len(text) && text[i] != '}'; i = skipBlank(text, i) {
		if text[i] != '"' {
			return nil, 0, errNotObject
		}
		m := span{start: i}
		after := skipValue(text, i)
		if after < 0 {
			return nil, 0, errNotObject
		}
		r := wire.NewReader([]byte(text[i:after]))
		m.key = r.String()
		if i = skipBlank(text, after); i >= len(text) || text[i] != ':' {
			return nil, 0, errNotObject
		}
		m.value = skipBlank(text, i+1)
		if m.end = skipValue(text, m.value); m.end < 0 {
			return nil, 0, errNotObject
		}
		all = append(all, m)
		if i = skipBlank(text, m.end); i < len(text) && text[i] == ',' {
			i++
		} else if i < len(text) && text[i] != '}' {
			return nil, 0, errNotObject
		}
	}
	if i >= len(text) {
		return nil, 0, errNotObject
	}
	return all, i, nil
}

// serversKeys are the members that hold servers, the usual one first, and those within
// members that dots separate. Package config reads them.
var serversKeys = []string{"mcpServers", "servers", "mcp.servers", "mcp_servers", "context_servers", "tools.mcp.servers", "mcp"}

// maps returns the offsets of the objects with servers that a key names in the object at
// open.
func maps(text string, open int, key string) (found []int) {
	members, _, _ := membersAt(text, open)
	for _, m := range members {
		if text[m.value] != '{' {
			continue
		}
		if rest, ok := strings.CutPrefix(key, m.key+"."); ok {
			found = append(found, maps(text, m.value, rest)...)
		}
		if inner, _, _ := membersAt(text, m.value); m.key == key && (key != "mcp" || holdServers(text, inner)) {
			found = append(found, m.value)
		}
	}
	return found
}

// holdServers reports whether the members are servers and not settings.
func holdServers(text string, members []span) bool {
	return len(members) > 0 && !slices.ContainsFunc(members, func(m span) bool { return text[m.value] != '{' })
}

// Add returns the text of a file with a server added.
func Add(text, name, entry string) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{\n}\n"
	}
	root := skipBlank(text, len(text)-len(strings.TrimPrefix(text, "\ufeff")))
	if _, _, err := membersAt(text, root); err != nil {
		return "", err
	}
	for _, key := range serversKeys {
		if found := maps(text, root, key); len(found) > 0 {
			return insertMember(text, found[0], name, entry)
		}
	}
	return insertMember(text, root, serversKeys[0], "{\n  "+string(wire.AppendString(nil, name))+": "+shift(entry, "  ")+"\n}")
}

// shift indents all lines but the first.
func shift(text, indent string) string { return strings.ReplaceAll(text, "\n", "\n"+indent) }

// insertMember adds a member at the end of the object that begins at open.
func insertMember(text string, open int, name, value string) (string, error) {
	members, end, err := membersAt(text, open)
	if err != nil {
		return "", err
	}
	member := string(wire.AppendString(nil, name)) + ": "
	lineStart := strings.LastIndexByte(text[:open], '\n') + 1
	outer := text[lineStart : lineStart+len(text[lineStart:open])-len(strings.TrimLeft(text[lineStart:open], " \t"))]
	if len(members) == 0 {
		inner := outer + "  "
		return text[:open+1] + keepComments(text[open+1:end], inner) + "\n" + inner + member + shift(value, inner) + "\n" + outer + text[end:], nil
	}
	last := members[len(members)-1]
	inner, ownLine := indentOf(text, last.start)
	comma := ","
	at := last.end
	if next := skipBlank(text, last.end); text[next] == ',' {
		at, comma = next+1, ""
	}
	if !ownLine { // everything is on one line
		return text[:last.end] + ", " + member + string(wire.AppendLine(nil, []byte(value))) + text[last.end:], nil
	}
	// A comment after the last member stays on its line.
	rest := at + len(lineComment(text[at:end]))
	trailing := ""
	if comma == "" {
		trailing = ","
	}
	tail := text[rest:]
	if !strings.HasPrefix(strings.TrimLeft(tail, " \t\r"), "\n") {
		tail = "\n" + outer + strings.TrimLeft(tail, " \t")
	}
	return text[:last.end] + comma + text[last.end:rest] + "\n" + inner + member + shift(value, inner) + trailing + tail, nil
}

// keepComments returns the comments of an object without members.
func keepComments(inside, indent string) string {
	if text := strings.TrimSpace(inside); text != "" {
		return "\n" + indent + text
	}
	return ""
}

// lineComment returns the blanks and the comment at the beginning of text, up to
// the end of the line.
func lineComment(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	trimmed := strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(trimmed, "//"):
		return strings.TrimRight(line, "\r")
	case strings.HasPrefix(trimmed, "/*") && strings.HasSuffix(strings.TrimSpace(line), "*/"):
		return strings.TrimRight(line, " \t\r")
	}
	return ""
}

// indentOf returns the blanks before offset i, and whether only they precede it on
// its line.
func indentOf(text string, i int) (string, bool) {
	before := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	return before, strings.TrimLeft(before, " \t") == "" && strings.Contains(text[:i], "\n")
}

// Remove returns the text of a file without a server. It returns false if
// the file has no such server.
func Remove(text, name string) (string, bool) {
	root := skipBlank(text, len(text)-len(strings.TrimPrefix(text, "\ufeff")))
	if _, _, err := membersAt(text, root); err != nil {
		return "", false
	}
	for _, key := range serversKeys {
		for _, open := range maps(text, root, key) {
			servers, end, _ := membersAt(text, open)
			for i, s := range servers {
				if s.key == name {
					return cutMember(text, servers, i, end), true
				}
			}
		}
	}
	return "", false
}

// cutMember removes a member with its comma.
func cutMember(text string, all []span, i, end int) string {
	from, to := all[i].start, all[i].end
	next := skipBlank(text, to)
	switch {
	case text[next] == ',':
		to = next + 1
	case i > 0: // the comma before the last member goes with it
		previous := all[i-1].end
		comma := skipBlank(text, previous)
		head := text[:comma] + text[comma+1:from]
		return joinCut(head, text[to:])
	}
	return joinCut(text[:from], text[to:])
}

// joinCut joins what is before and after a removed member, without an empty line.
func joinCut(head, tail string) string {
	trimmed := strings.TrimRight(head, " \t")
	rest := strings.TrimLeft(tail, " \t")
	if !strings.HasSuffix(trimmed, "\n") && strings.HasPrefix(rest, "\n") {
		return trimmed + rest
	}
	if strings.HasSuffix(trimmed, "\n") && (strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n")) {
		return trimmed + strings.TrimPrefix(strings.TrimPrefix(rest, "\r"), "\n")
	}
	return head + tail
}
