package config

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// explainText returns the reason why text is not JSON. It is err, except for two
// mistakes that no position explains.
func explainText(text []byte, err error) error {
	switch {
	case len(text) == 0:
		return diag.Message("the file is empty")
	case len(text) > 1 && (text[0] == 0 || text[1] == 0 || string(text[:2]) == "\xff\xfe" || string(text[:2]) == "\xfe\xff"):
		return diag.Message("the text is in UTF-16; save it in UTF-8")
	case language(text) == "YAML":
		return diag.Message(`the text is YAML, as that of Goose, Continue and LibreChat, but servers are read from JSON and from the TOML of Codex; write {"mcpServers": {"NAME": {"command": "…", "args": ["…"]}}}`)
	}
	return err
}

// language returns the language of a text that is not JSON, or "".
func language(text []byte) string {
	s := strings.TrimPrefix(string(text[:min(len(text), maxHead)]), byteOrderMark)
	if s = wire.Trim(s); s == "" || s[0] == '{' {
		return ""
	}
	for line, rest := "", s; rest != ""; {
		line, rest, _ = cut(rest, "\n")
		if line = wire.Trim(line); line == "" || line[0] == '#' {
			continue
		}
		i := wire.IndexAny(line, "=:")
		if i < 0 {
			i = len(line)
		}
		key := wire.Trim(line[:i])
		isKey := key != "" && wire.IndexAny(key, " \"'[]{}") < 0
		switch value := line[i:]; {
		case strings.HasPrefix(value, "=") && isKey, value == "" && line[0] == '[' && strings.Trim(line, "[]") != "" && wire.IndexAny(line, ",{") < 0:
			return "TOML"
		case isKey && (value == ":" || strings.HasPrefix(value, ": ")):
			return "YAML"
		}
	}
	return ""
}

// maxHead is how much of a text is read to find out what it is.
const maxHead = 64 << 10

// stripComments replaces comments and trailing commas with blanks of the same
// length, so that offsets in errors stay valid.
func stripComments(text []byte) []byte {
	b := append([]byte(nil), text...)
	if len(b) >= 3 && string(b[:3]) == byteOrderMark {
		blank(b[:3])
	}
	comma := -1 // index of a comma that may turn out to be a trailing one
	value := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '/' && i+1 < len(b) && (b[i+1] == '/' || b[i+1] == '*'):
			end := commentEnd(b, i)
			blank(b[i:end])
			i = end - 1
		case c == '"':
			i = stringEnd(b, i)
			comma, value = -1, true
		case c == ',' && value:
			comma, value = i, false
		default:
			if (c == '}' || c == ']') && comma >= 0 {
				b[comma] = ' '
			}
			comma, value = -1, c != '{' && c != '[' && c != ','
		}
	}
	return b
}

// commentEnd returns the end of the comment at b[i]. An unterminated comment
// extends to the end of the text, where the parser reports the error.
func commentEnd(b []byte, i int) int {
	line := b[i+1] == '/'
	for i += 2; i < len(b); i++ {
		if line && b[i] == '\n' {
			return i
		}
		if !line && b[i] == '*' && i+1 < len(b) && b[i+1] == '/' {
			return i + 2
		}
	}
	return len(b)
}

// stringEnd returns the index of the quote that ends the string at b[i].
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i
}

func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// A member is a member of an object. Unlike with a wire.Reader, keys may
// repeat: a duplicate is an error of one server, not of the file.
type member struct {
	key   string
	value []byte
	at    int           // offset of value in the file
	unit  time.Duration // of an entry's timeouts, by the table that it is in; 0 if unknown
	of    *origin       // of an entry; nil means none
}

// An origin is what the entries of a file have in common.
type origin struct{ program, folder string }

var errNoObject = diag.Message("must be an object")

// members returns the members of an object. at is the object's offset in the
// file.
func members(text []byte, at int) (list []*member, err error) {
	if err := wire.Valid(text); err != nil {
		return nil, err
	}
	if kind(text) != wire.Object {
		return nil, errNoObject
	}
	// The text is valid from here on.
	for i := index(text, '{'); i >= 0; {
		key, rest := next(text[i+1:])
		if key == nil {
			break // an empty object
		}
		m := &member{}
		m.key, _ = readString(key)
		m.value, rest = next(rest[index(rest, ':')+1:])
		m.at = at + len(text) - len(rest) - len(m.value)
		list = append(list, m)
		if i = index(rest, ','); i >= 0 {
			i += len(text) - len(rest)
		}
	}
	return list, nil
}

// next returns the value at the start of text, if there is one, and the rest.
func next(text []byte) (value, rest []byte) {
	r := wire.NewReader(text)
	value = r.Raw()
	return value, text[r.Offset():]
}

// kind returns the kind of a value.
//
//go:noinline
func kind(value []byte) wire.Kind {
	r := wire.NewReader(value)
	return r.Kind()
}

func index(b []byte, c byte) int {
	for i := range b {
		if b[i] == c {
			return i
		}
	}
	return -1
}

// find returns the last member with a key, or an empty member.
func find(list []*member, key string) (found *member) {
	found = &member{}
	for _, m := range list {
		if m.key == key {
			found = m
		}
	}
	return found
}

// object returns the members of an object without duplicate keys. path is a
// prefix for keys in errors.
func object(path string, value []byte, at int) ([]*member, error) {
	list, err := members(value, at)
	if err != nil {
		return nil, typeError("an object", value)
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		if seen[m.key] {
			return nil, &fieldError{path + m.key, diag.Message("occurs twice"), m.at}
		}
		seen[m.key] = true
	}
	return list, nil
}

var errUnknown = diag.Message("is unknown")

// each calls read for each member of an object, whose path is for errors.
func each(path string, value []byte, read func(m *member) error) error {
	list, err := object(path+".", value, 0)
	for _, m := range list {
		if err == nil {
			if err = read(m); err != nil {
				err = newFieldError(path+"."+m.key, err)
			}
		}
	}
	return err
}

// typeError returns an error that names the expected and the actual type. It
// does not contain the value, which may be secret.
func typeError(what string, value []byte) error {
	return diag.Message("must be " + what + ", not " + kind(value).String())
}

func readString(value []byte) (string, error) {
	if kind(value) != wire.String {
		return "", typeError("a string", value)
	}
	r := wire.NewReader(value)
	return string(r.Bytes()), r.Err()
}

func readBool(value []byte) (bool, error) {
	switch string(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, typeError("true or false", value)
}

// readInt reads an integer of 32 bits, so that a file means the same on every
// platform.
func readInt(value []byte) (int, error) {
	if kind(value) != wire.Number {
		return 0, typeError("a number", value)
	}
	n, err := strconv.ParseInt(string(value), 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		return 0, diag.Message("must be between -2147483648 and 2147483647")
	}
	if err != nil {
		return 0, diag.Message("must be a whole number")
	}
	return int(n), nil
}

// readStrings reads a list of strings. It never returns a nil list without an
// error.
func readStrings(value []byte) ([]string, error) {
	if kind(value) != wire.Array {
		return nil, typeError("a list of strings", value)
	}
	list := make([]string, 0, 4)
	r := wire.NewReader(value)
	for r.Array(); r.More(); {
		item := r.Raw()
		s, err := readString(item)
		if err != nil {
			return nil, diag.Message("must be a list of strings, but contains " + kind(item).String())
		}
		list = append(list, s)
	}
	return list, r.Err()
}

// readOneOrMore reads a list of strings, or one string.
func readOneOrMore(value []byte) ([]string, error) {
	if kind(value) == wire.Array {
		return readStrings(value)
	}
	s, err := readString(value)
	if err != nil {
		err = typeError("a string or a list of strings", value)
	}
	return []string{s}, err
}

// readMap reads an object whose values are strings, numbers or booleans. It
// returns them as strings.
func readMap(field string, value []byte) (map[string]string, error) {
	texts := make(map[string]string)
	return texts, each(field, value, func(m *member) (err error) {
		switch kind(m.value) {
		case wire.Null: // the same as absent
		case wire.Number, wire.Bool:
			texts[m.key] = string(m.value)
		default:
			texts[m.key], err = readString(m.value)
		}
		return err
	})
}
