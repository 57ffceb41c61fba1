package toolargs

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Repair returns arguments k=v that the schema allows, from words such as
// 2 40, a: 2 or message = hi there.
func Repair(given []string, s *Schema) []string {
	r := &wordRepair{schema: s, values: make(map[string]string)}
	given = splitCommas(given, s)
	for len(given) > 0 {
		given = given[r.take(given):]
	}
	r.assign()
	r.rename()
	return r.arguments()
}

// A wordRepair collects the arguments that the words of a call seem to mean.
type wordRepair struct {
	schema *Schema
	values map[string]string
	order  []string // the keys of values, as they were given
	bare   []string // words without a key
	text   string   // the last key, if its value is text, which may go on in the next word
}

// take takes the argument or the word at the beginning of words, and returns how
// many words that is.
func (r *wordRepair) take(words []string) int {
	word, rest := words[0], words[1:]
	key, value, ok := strings.Cut(strings.TrimLeft(word, "-"), "=")
	name := strings.TrimSuffix(key, ":")
	named := !ok && r.schema.Property(name) != nil && len(rest) > 0
	switch {
	case strings.HasPrefix(word, "{"):
	case ok && key == "": // =v
		r.takeBare(value, rest)
	case ok: // k=v, --k=v, k==v
		if p := r.schema.Property(name); p != nil && !p.Allows("string") {
			value = strings.TrimPrefix(value, "=")
		}
		if value == "@" {
			value = "@FILE"
		}
		r.set(name, value)
	case named && len(rest) > 1 && (rest[0] == "=" || rest[0] == ":="): // k = v
		r.set(name, rest[1])
		return 3
	case named && r.schema.Property(rest[0]) == nil && !strings.Contains(rest[0], "="): // k: v, --k v
		r.set(name, rest[0])
		return 2
	default:
		r.takeBare(word, rest)
	}
	return 1
}

// splitCommas splits words such as a=1,b=2 where the schema has all keys.
func splitCommas(given []string, s *Schema) (words []string) {
	for _, word := range given {
		parts := strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
		if (len(parts) > 1 || len(parts) == 1 && strings.HasSuffix(word, ";")) && !slices.ContainsFunc(parts, func(part string) bool {
			key, _, ok := strings.Cut(part, "=")
			return !ok || s.Property(key) == nil
		}) {
			words = append(words, parts...)
		} else {
			words = append(words, word)
		}
	}
	return words
}

// takeBare takes a word without an equals sign.
func (r *wordRepair) takeBare(word string, rest []string) {
	key, value, ok := strings.Cut(word, ":")
	switch {
	case ok && r.schema.Property(key) != nil: // k:v
		r.set(key, strings.TrimSpace(value))
	case r.text != "" && r.complete(rest):
		r.values[r.text] += " " + word // quotes were missing
	default:
		r.bare = append(r.bare, word)
	}
}

// complete reports whether the words before and after the current one give all
// required arguments.
func (r *wordRepair) complete(rest []string) bool {
	for _, name := range r.schema.Required {
		_, ok := r.values[name]
		if !ok && !slices.ContainsFunc(rest, func(word string) bool { return strings.HasPrefix(word, name+"=") }) {
			return false
		}
	}
	return true
}

// set sets an argument that has no value yet. Its key may be misspelled.
func (r *wordRepair) set(key, value string) {
	if r.schema.Property(key) == nil && (!r.schema.Open || len(r.schema.Properties) > 0) {
		if near := nearest.Names(key, r.schema.names()); len(near) > 0 {
			key = near[0]
		}
	}
	if _, ok := r.values[key]; !ok {
		r.values[key] = value
		r.order = append(r.order, key)
	}
	r.text = ""
	if p := r.schema.Property(key); p != nil && slices.Equal(p.Types, []string{"string"}) {
		r.text = key
	}
}

// assign gives the words without a key to the arguments without a value, the
// required ones first. Words that are left belong to the last of them.
func (r *wordRepair) assign() {
	r.text = ""
	for _, name := range append(slices.Clone(r.schema.Required), r.schema.names()...) {
		if _, ok := r.values[name]; !ok && len(r.bare) > 0 {
			r.set(name, r.bare[0])
			r.bare = r.bare[1:]
		}
	}
	if r.text != "" && len(r.bare) > 0 {
		r.values[r.text] += " " + strings.Join(r.bare, " ")
	}
}

// rename gives the value of the only argument that the schema does not have to the only
// required one that is missing, if it can have it.
func (r *wordRepair) rename() {
	at, unknown, missing, absent := 0, 0, 0, ""
	for i, key := range r.order {
		if r.schema.Property(key) == nil {
			at = i
			unknown++
		}
	}
	for _, name := range r.schema.Required {
		if _, ok := r.values[name]; !ok {
			absent = name
			missing++
		}
	}
	if unknown != 1 || missing != 1 || r.schema.Open {
		return
	}
	value := r.values[r.order[at]]
	if p := r.schema.Property(absent); p != nil && (&Argument{Value: value}).Encode(p) != nil {
		r.values[absent], r.order[at] = value, absent
	}
}

// arguments returns the arguments that the schema has, with a placeholder for
// each value that is missing or of another type: a value that the user has not typed must
// not run a tool.
func (r *wordRepair) arguments() (fixed []string) {
	for _, key := range r.order {
		switch p := r.schema.Property(key); {
		case p == nil && !r.schema.Open:
		case p != nil && (&Argument{Value: r.values[key]}).Encode(p) == nil:
			fixed = append(fixed, key+"=…")
		default:
			fixed = append(fixed, key+"="+r.values[key])
		}
	}
	for _, name := range r.schema.Required {
		if _, ok := r.values[name]; !ok {
			fixed = append(fixed, name+"=…")
		}
	}
	return fixed
}

// CutCall splits a call such as echo(message: "hi") into the name of the tool and
// words.
func CutCall(tool string, args []string) (name string, words []string) {
	name, inner, ok := strings.Cut(tool, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return tool, args
	}
	if relaxed := RelaxJSON("{" + strings.TrimSuffix(inner, ")") + "}"); relaxed != nil {
		r := wire.NewReader(relaxed)
		for r.Object(); r.More(); {
			key := string(r.Key())
			words = append(words, key+"="+terminal.PlainJSON(r.Raw()))
		}
	} else if !strings.ContainsAny(inner, "{:") {
		for value := range strings.SplitSeq(strings.TrimSuffix(inner, ")"), ",") {
			words = append(words, strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	return name, append(words, args...)
}

// RelaxJSON returns the JSON of an object in the notation of JavaScript or Python:
// keys without quotes, single quotes, True and None. It closes what is open at the end. It
// returns nil if the text is something else.
func RelaxJSON(text string) []byte {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil
	}
	for _, missing := range []string{"", "}", "]}", "}}", `"}`, "}]}", "]}}", "}}}", `"}}`, `"]}`} {
		if b := relaxJSON(text + missing); b != nil {
			return b
		}
	}
	return nil
}

func relaxJSON(text string) []byte {
	var b []byte
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == '\'' || ch == '"':
			end := i + 1
			for end < len(text) && text[end] != ch {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return nil
			}
			inner := strings.ReplaceAll(text[i+1:end], `\'`, `'`)
			if ch == '\'' {
				inner = strings.ReplaceAll(inner, `"`, `\"`)
			}
			b = append(append(append(b, '"'), inner...), '"')
			i = end + 1
		case ch == ' ' || ch == '\n' || ch == '\t':
			i++
		case ch == '_' || 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z':
			end := i
			for end < len(text) && strings.IndexByte(":, }]\n\t", text[end]) < 0 {
				end++
			}
			word := text[i:end]
			switch word {
			case "true", "false", "null":
			case "True", "False":
				word = strings.ToLower(word)
			case "None", "undefined":
				word = "null"
			default:
				word = wire.Quote(word)
			}
			b = append(b, word...)
			i = end
		default:
			b = append(b, ch)
			i++
		}
	}
	if len(b) > 2 && b[len(b)-2] == ',' {
		b = append(b[:len(b)-2], b[len(b)-1])
	}
	if wire.Valid(b) != nil || TypeOf(b) != "object" {
		return nil
	}
	return b
}
