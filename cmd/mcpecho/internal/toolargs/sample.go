package toolargs

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// InJSON returns a value of an array or object as an example, after a separator.
func (s *Schema) InJSON() string {
	if sample, isJSON := s.sample(); isJSON && len(sample) > len("[]") {
		return "; as JSON, such as " + terminal.EscapeLine(sample)
	}
	return ""
}

// Kind describes the values that the schema allows.
func (s *Schema) Kind() string {
	const most = 12
	if len(s.Enum) > most {
		return "one of " + strings.Join(s.Enum[:most], ", ") + ", …"
	}
	if len(s.Enum) > 0 {
		return "one of " + strings.Join(s.Enum, ", ")
	}
	if len(s.Types) == 0 || slices.Contains(s.Types, "any") {
		return "any value"
	}
	text := strings.Join(s.Types, " or ")
	if s.Items != nil && len(s.Items.Types) > 0 {
		text = strings.Replace(text, "array", "array of "+s.Items.Kind(), 1)
	}
	return text
}

// Example returns the required arguments with example values.
func Example(s *Schema) (args cmdline.Line) {
	for _, name := range s.Required {
		args = append(args, cmdline.Argument(name, sampleValue(s.Property(name))))
	}
	return args
}

// sampleValue returns an example value after = or :=.
func sampleValue(p *Schema) string {
	if p == nil {
		return "=…"
	}
	value, isJSON := p.sample()
	if strings.HasPrefix(value, "@") {
		value = "…" // which would be a file of the user
	}
	if isJSON {
		return ":=" + value
	}
	return "=" + value
}

// sample returns a value that the schema allows, and whether it is JSON that
// needs :=.
func (s *Schema) sample() (value string, isJSON bool) {
	const maxSample = 60
	switch {
	case s.Default != "" && s.Default != "null" && len(s.Default) <= maxSample:
		return terminal.PlainJSON([]byte(s.Default)), !s.onlyText() && TypeOf([]byte(s.Default)) == "string" && wire.Valid([]byte(terminal.PlainJSON([]byte(s.Default)))) == nil
	case len(s.Enum) > 0:
		return terminal.PlainJSON([]byte(s.Enum[0])), false
	case len(s.Types) == 0:
		return "…", false
	}
	switch s.Types[0] {
	case "number", "integer":
		return "1", false
	case "boolean":
		return "true", false
	case "array":
		if s.Items != nil {
			return "[" + s.Items.sampleJSON(0) + "]", true
		}
		return "[]", true
	case "object":
		return s.sampleJSON(0), true
	}
	return "…", false
}

// SampleObject returns arguments that the schema of a tool allows, as a JSON object.
func (s *Schema) SampleObject() string {
	return (&Schema{Types: []string{"object"}, Required: s.Required, Properties: s.Properties, index: s.index}).sampleJSON(0)
}

// sampleJSON returns JSON that the schema allows.
func (s *Schema) sampleJSON(depth int) string {
	const deepest = 4
	switch {
	case s.Default != "":
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Types) == 0 || s.Types[0] == "string":
		return `"…"`
	}
	switch s.Types[0] {
	case "number", "integer":
		return "1"
	case "boolean":
		return "true"
	case "null":
		return "null"
	case "array":
		if s.Items == nil || depth >= deepest {
			return "[]"
		}
		return "[" + s.Items.sampleJSON(depth+1) + "]"
	case "object":
		b := []byte("{")
		for _, name := range s.Required {
			if p := s.Property(name); p != nil && depth < deepest {
				b = append(wire.AppendKey(b, name), p.sampleJSON(depth+1)...)
			}
		}
		return string(append(b, '}'))
	}
	return `"…"`
}

// Signature returns the arguments of a tool or prompt: a: number, note?: string.
// The required ones come first.
func Signature(s *Schema) []string {
	required := Set(s.Required)
	arguments := []string{} // not nil: a tool without arguments shows ()
	for _, optional := range []bool{false, true} {
		for _, p := range s.Properties {
			if required[p.Name] == optional {
				continue
			}
			text := terminal.EscapeName(p.Name)
			if optional {
				text += "?"
			}
			if kind := p.shortKind(); kind != "" {
				text += ": " + kind
			}
			arguments = append(arguments, text)
		}
	}
	return arguments
}

// shortKind describes the values of an argument in a few characters.
func (s *Schema) shortKind() string {
	const maxEnum = 3
	switch {
	case len(s.Enum) > 0 && len(s.Enum) <= maxEnum:
		return strings.Join(escapeAll(s.Enum), "|")
	case len(s.Types) == 0 || slices.Contains(s.Types, "any"):
		return ""
	case s.Types[0] == "array" && s.Items != nil && len(s.Items.Types) > 0:
		return s.Items.Types[0] + "[]"
	}
	return strings.Join(s.Types, "|")
}

func escapeAll(texts []string) (escaped []string) {
	for _, t := range texts {
		escaped = append(escaped, terminal.EscapeName(t))
	}
	return escaped
}

// maxVariables limits the variables of a URI template.
const maxVariables = 1000

// TemplateVariables returns the names of the variables in a URI template.
func TemplateVariables(template string) (names []string) {
	for _, part := range strings.Split(template, "{")[1:] {
		expression, _, _ := strings.Cut(part, "}")
		for name := range strings.SplitSeq(strings.TrimLeft(expression, "+#./;?&"), ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name != "" && len(names) < maxVariables && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
