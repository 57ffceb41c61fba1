// Package argnames renames arguments of tools whose names a model provider rejects, and
// restores the names. It renames arguments at the root only, as providers reject no
// others.
package argnames

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Letters and Digits are what all providers accept in a name, which no digit begins.
const (
	Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	Digits  = "0123456789"
)

const (
	hex     = Digits + "abcdef"
	maxName = 64
	hashLen = 9 // an underscore and 8 digits
)

// Fits reports whether a name matches ^[a-zA-Z0-9_.-]{1,64}$.
func Fits(name string) bool {
	return name != "" && len(name) <= maxName && strings.Trim(name, Letters+Digits+".-") == ""
}

// FitsVertex reports whether a name matches ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$.
func FitsVertex(name string) bool {
	return name != "" && len(name) <= maxName && strings.IndexByte(Letters, name[0]) >= 0 && strings.Trim(name, Letters+Digits) == ""
}

// Alias returns the name that a model uses instead: what all providers accept of the name,
// and a hash.
func Alias(name string) string {
	b := make([]byte, 0, maxName)
	h := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	for _, r := range name {
		if len(b) == maxName-hashLen {
			break
		}
		switch {
		case r < 0x80 && strings.IndexByte(Letters, byte(r)) >= 0, len(b) > 0 && r >= '0' && r <= '9':
			b = append(b, byte(r))
		case len(b) > 0 && b[len(b)-1] != '_':
			b = append(b, '_')
		}
	}
	b = append([]byte(strings.TrimRight(string(b), "_")), '_')
	if len(b) == 1 {
		b = append(b[:0], "argument_"...)
	}
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, hex[h>>shift&0xf])
	}
	return string(b)
}

func isAlias(name string) bool {
	at := len(name) - hashLen
	return at > 0 && name[at] == '_' && strings.Trim(name[at+1:], hex) == ""
}

// Restore returns arguments with the names that the schema declares. An alias that the
// schema declares itself is not one.
func Restore(schema, args []byte) ([]byte, error) {
	var given []string
	found := false
	r := wire.NewReader(args)
	if r.Kind() != wire.Object {
		return args, nil
	}
	for r.Object(); r.More(); r.Skip() {
		name := string(r.Key())
		given, found = append(given, name), found || isAlias(name)
	}
	if r.End() != nil || !found {
		return args, nil
	}
	declared := make(map[string]bool)
	c := collector{root: schema, names: declared, left: maxRead}
	c.add(schema, 0)
	names := make(map[string]string) // by alias
	for name := range declared {
		if alias := Alias(name); !FitsVertex(name) && !declared[alias] {
			names[alias] = name
		}
	}
	var out []byte
	seen := make(map[string]bool, len(given))
	r = wire.NewReader(args)
	out = append(out, '{')
	for r.Object(); r.More(); {
		name := string(r.Key())
		if own, ok := names[name]; ok {
			name = own
		}
		if seen[name] {
			return nil, errors.New("the argument " + wire.Quote(name) + " is there twice, under two names")
		}
		seen[name] = true
		out = wire.AppendLine(wire.AppendKey(out, name), r.Raw())
	}
	return append(out, '}'), r.End()
}

// A collector collects the names of the properties of an object.
type collector struct {
	root  []byte
	names map[string]bool
	left  int // bytes of schemas that may still be read
}

// maxRead limits the bytes that Restore reads, a quarter of a second: a schema may refer to
// its end 10,000 times.
const maxRead = 16 << 20

func (c *collector) add(schema []byte, depth int) {
	r := wire.NewReader(schema)
	if c.left -= len(schema); c.left < 0 || depth > 16 || r.Kind() != wire.Object {
		return
	}
	for r.Object(); r.More(); {
		switch key := string(r.Key()); key {
		case "properties":
			value := wire.NewReader(r.Raw())
			if value.Kind() == wire.Object {
				for value.Object(); value.More(); value.Skip() {
					c.names[string(value.Key())] = true
				}
			}
		case "allOf", "anyOf", "oneOf", "dependentSchemas":
			value := wire.NewReader(r.Raw())
			switch value.Kind() {
			case wire.Array:
				for value.Array(); value.More(); {
					c.add(value.Raw(), depth+1)
				}
			case wire.Object:
				for value.Object(); value.More(); {
					value.Key()
					c.add(value.Raw(), depth+1)
				}
			}
		case "if", "then", "else", "not":
			c.add(r.Raw(), depth+1)
		case "$ref":
			if r.Kind() != wire.String {
				r.Skip()
			} else if path, ok := strings.CutPrefix(r.String(), "#/"); ok && c.left >= 0 {
				c.left -= len(c.root)
				parts := strings.Split(path, "/")
				for i, part := range parts {
					parts[i] = Unescape(part)
				}
				c.add(wire.Lookup(c.root, parts...), depth+1)
			}
		default:
			r.Skip()
		}
	}
}

// Unescape replaces the escapes in a part of a reference (RFC 6901 in a URI).
func Unescape(part string) string {
	if strings.IndexByte(part, '~') < 0 && strings.IndexByte(part, '%') < 0 {
		return part
	}
	b := make([]byte, 0, len(part))
	for i := 0; i < len(part); i++ {
		c, rest := part[i], part[i+1:]
		switch {
		case c == '%' && len(rest) >= 2:
			if n, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
				c = byte(n)
				i += 2
			}
		case c == '~' && rest != "" && (rest[0] == '0' || rest[0] == '1'):
			c = "~/"[rest[0]-'0']
			i++
		}
		b = append(b, c)
	}
	return string(b)
}
