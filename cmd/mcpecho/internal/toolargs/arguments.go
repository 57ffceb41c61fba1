// Package toolargs reads the arguments of tools from the command line and encodes them
// as the tool's schema wants them. It describes schemas, has examples of their values,
// and finds out what wrong arguments were meant to be.
package toolargs

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// An Argument is a k=v on the command line.
type Argument struct {
	Key   string
	Value string
	Json  bool // k:=v
}

// Given holds the arguments of a call, one by one or as a whole object.
type Given struct {
	Each  []Argument
	Whole mcp.RawMessage // nil if each is used
}

// A UsageError is the error of arguments that are not written as they have to be.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// Read reads the arguments of a call from the command line, files and standard
// input. The error is a UsageError, or that of reading.
func Read(ctx context.Context, args []string, stdin io.Reader) (*Given, error) {
	a := new(Given)
	for _, arg := range args {
		if arg == "-" || strings.HasPrefix(arg, "{") || strings.HasPrefix(arg, "@") {
			if len(args) > 1 {
				return nil, UsageError("use either one JSON object or k=v arguments, not both")
			}
			whole, err := wholeObject(ctx, arg, stdin)
			return &Given{Whole: whole}, err
		}
		one, err := readArgument(ctx, arg)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(a.Each, func(other Argument) bool { return other.Key == one.Key }) {
			return nil, UsageError("argument " + wire.Quote(one.Key) + " appears twice")
		}
		a.Each = append(a.Each, one)
	}
	return a, nil
}

// wholeObject reads a JSON object from arg, from the file after @, or from standard input.
func wholeObject(ctx context.Context, arg string, stdin io.Reader) (mcp.RawMessage, error) {
	data, from, err := ReadJSON(ctx, arg, "arguments", stdin)
	switch {
	case err != nil:
		return nil, err
	case len(data) == 0:
		return nil, UsageError(from + " is empty, and should have the arguments as a JSON object")
	}
	if err := wire.Valid(data); err != nil {
		return nil, UsageError("invalid " + from + ": " + err.Error() + `; write '{"name":"value"}'`)
	}
	if TypeOf(data) != "object" {
		return nil, UsageError("the arguments must be a JSON object")
	}
	return data, nil
}

// ReadJSON returns the text of JSON on the command line and where it is from: what, the file
// after @, or standard input for - or @-.
func ReadJSON(ctx context.Context, arg, what string, stdin io.Reader) (data []byte, from string, err error) {
	switch name, isFile := strings.CutPrefix(arg, "@"); {
	case name == "-":
		data, err = input.Await(ctx, func() ([]byte, error) { return input.Read(stdin, "standard input") })
		return data, "standard input", err
	case isFile && name == "":
		return nil, "", UsageError("@ needs the name of a file after it")
	case isFile:
		data, err = input.Await(ctx, func() ([]byte, error) { return input.ReadFile(name) })
		return data, name, err
	}
	return []byte(arg), what, nil
}

// Check returns the error of an argument that is not written as it has to be, without
// reading a file.
func Check(arg string) error {
	if arg == "-" || strings.HasPrefix(arg, "{") || strings.HasPrefix(arg, "@") {
		return nil
	}
	_, _, err := parseArgument(arg)
	return err
}

// readArgument parses k=v, k:=json or k=@file.
func readArgument(ctx context.Context, arg string) (Argument, error) {
	a, name, err := parseArgument(arg)
	if name == "" || err != nil {
		return a, err
	}
	data, err := input.Await(ctx, func() ([]byte, error) { return input.ReadFile(name) })
	a.Value = string(data)
	return a, cmp.Or(err, a.check())
}

// parseArgument parses an argument, and returns the name of the file that has its value.
func parseArgument(arg string) (a Argument, file string, err error) {
	key, value, ok := strings.Cut(arg, "=")
	key, a.Json = strings.CutSuffix(key, ":")
	if !ok || key == "" {
		return a, "", UsageError("an argument must be key=value, not " + wire.Quote(arg))
	}
	a.Key, a.Value = key, value
	if value == "@" {
		return a, "", UsageError("argument " + wire.Quote(key) + " needs the name of a file after @")
	}
	if name, ok := strings.CutPrefix(value, "@"); ok {
		return a, name, nil
	}
	return a, "", a.check()
}

// check returns the error of a value that is not what it has to be.
func (a *Argument) check() error {
	if !utf8.ValidString(a.Value) {
		return UsageError("argument " + wire.Quote(a.Key) + " is not UTF-8 text")
	}
	if a.Json && wire.Valid([]byte(a.Value)) != nil {
		return UsageError("argument " + wire.Quote(a.Key) + " is not JSON: " + wire.Quote(terminal.Cut(a.Value, 100)) + "; for a text, leave out the colon")
	}
	return nil
}

// Object encodes the arguments as one object, with the types in the tool's schema.
func (a *Given) Object(tool string, s *Schema) (mcp.RawMessage, error) {
	if unknown := a.Unknown(s); unknown != "" {
		return nil, badArguments(tool, "has no argument "+wire.Quote(unknown)+failure.DidYouMean(unknown, s.Names()), s)
	}
	if missing := a.Absent(s.Required); len(missing) > 0 {
		return nil, badArguments(tool, "requires "+strings.Join(missing, ", "), s)
	}
	b := []byte("{")
	for _, one := range a.Each {
		p := s.Property(one.Key)
		if p == nil {
			p = new(Schema) // anything
		}
		value := one.Encode(p)
		if value == nil {
			return nil, badArguments(tool, "requires "+p.Kind()+" for "+wire.Quote(one.Key)+", not "+wire.Quote(terminal.Cut(one.Value, 100))+one.written(p), s)
		}
		b = append(wire.AppendKey(b, one.Key), value...)
	}
	for _, name := range a.Absent(s.Filled) {
		b = wire.AppendLine(wire.AppendKey(b, name), []byte(s.Property(name).Default))
	}
	return append(b, '}'), nil
}

// written returns how the user should write the value, after a separator, or "".
func (a *Argument) written(s *Schema) string {
	value := ""
	switch near := nearest.Names(a.Value, enumTexts(s)); {
	case len(near) == 1:
		value = near[0]
	case s.Allows("boolean") && slices.Contains([]string{"yes", "on", "1", "True", "TRUE"}, a.Value):
		value = "true"
	case s.Allows("boolean") && slices.Contains([]string{"no", "off", "0", "False", "FALSE"}, a.Value):
		value = "false"
	case s.Allows("array") && s.Items != nil && s.Items.Allows("string") && !s.Items.Exact && !strings.HasPrefix(a.Value, "["):
		b := []byte{'['}
		for part := range strings.SplitSeq(a.Value, ",") {
			b = wire.AppendString(wire.AppendComma(b), strings.TrimSpace(part))
		}
		value = string(append(b, ']'))
	}
	if one := (&Argument{Key: a.Key, Value: value}); value == "" || one.Encode(s) == nil {
		return ""
	}
	if text := (cmdline.Line{cmdline.Argument(a.Key, "="+value)}).Text(); text != "" {
		return "; write " + text
	}
	return ""
}

// enumTexts returns the texts that the schema allows, if it lists them.
func enumTexts(s *Schema) (texts []string) {
	for _, v := range s.Enum {
		texts = append(texts, terminal.PlainJSON([]byte(v)))
	}
	return texts
}

// badArguments returns the failure for arguments that violate the tool's schema, with
// a list of the arguments that it has.
func badArguments(tool, what string, s *Schema) error {
	return &failure.Error{Status: failure.Usage, Kind: "usage", Message: "the tool " + wire.Quote(tool) + " " + what + s.Described()}
}

// Unknown returns the first key that the schema does not allow, or "".
func (a *Given) Unknown(s *Schema) string {
	for _, one := range a.Each {
		if !s.Open && s.Property(one.Key) == nil {
			return one.Key
		}
	}
	return ""
}

// Absent returns the names of arguments that the user did not give.
func (a *Given) Absent(names []string) (absent []string) {
	for _, name := range names {
		if !slices.ContainsFunc(a.Each, func(one Argument) bool { return one.Key == name }) {
			absent = append(absent, name)
		}
	}
	return absent
}

// Described describes the arguments in the schema, a line each.
func (s *Schema) Described() string {
	if len(s.Properties) == 0 {
		return "\n\tIt has no arguments."
	}
	required := Set(s.Required)
	var b bytes.Buffer
	for _, p := range s.Properties {
		b.WriteString("\n\t" + p.Name + "  " + p.Kind())
		if required[p.Name] {
			b.WriteString(", required")
		}
		if d := terminal.FirstLine(p.Description); d != "" {
			b.WriteString("  " + d)
		}
	}
	return b.String()
}

// Encode returns the argument as JSON: a string if the schema requires one, else
// JSON of an allowed type, else a string if the schema allows it, else nil.
func (a *Argument) Encode(s *Schema) []byte {
	value := []byte(a.Value)
	if a.Json {
		return wire.AppendLine(nil, bytes.TrimSpace(value))
	}
	text := wire.AppendString(nil, a.Value)
	if (!s.onlyText() || s.Exact) && wire.Valid(value) == nil && s.Allows(TypeOf(value)) && s.accepts(a.Value) {
		return wire.AppendLine(nil, value)
	}
	if s.Allows("string") && s.accepts(string(text)) {
		return text
	}
	return nil
}
