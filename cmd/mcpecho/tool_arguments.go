package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An argument is a k=v on the command line.
type argument struct {
	key   string
	value string
	json  bool // k:=v
}

// arguments holds the arguments of a call, one by one or as a whole object.
type arguments struct {
	each  []argument
	whole json.RawMessage // nil if each is used
}

// readArguments reads the arguments of a call from the command line, files and
// standard input.
func (c *invocation) readArguments(ctx context.Context, args []string) (*arguments, error) {
	a := new(arguments)
	for _, arg := range args {
		if arg == "-" || strings.HasPrefix(arg, "{") {
			if len(args) > 1 {
				return nil, c.usage("use either one JSON object or k=v arguments, not both")
			}
			whole, err := c.wholeObject(ctx, arg)
			return &arguments{whole: whole}, err
		}
		one, err := c.readArgument(arg)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(a.each, func(other argument) bool { return other.key == one.key }) {
			return nil, c.usage("argument " + strconv.Quote(one.key) + " appears twice")
		}
		a.each = append(a.each, one)
	}
	return a, nil
}

// wholeObject reads a JSON object from arg, or from standard input.
func (c *invocation) wholeObject(ctx context.Context, arg string) (json.RawMessage, error) {
	data, from := []byte(arg), "arguments"
	if arg == "-" {
		var err error
		if data, err = readAll(ctx, c.stdin); err != nil {
			return nil, err
		}
		if from = "standard input"; len(data) == 0 {
			return nil, c.usage("standard input is empty, and should have the arguments as a JSON object")
		}
	}
	if err := wire.Valid(data); err != nil {
		return nil, c.usage("invalid " + from + ": " + err.Error())
	}
	if typeOf(data) != "object" {
		return nil, c.usage("the arguments must be a JSON object")
	}
	return data, nil
}

// readAll reads standard input. On a terminal that may never end, so it stops
// when ctx is done.
func readAll(ctx context.Context, r io.Reader) (data []byte, err error) {
	done := make(chan struct{})
	go func() { // ends with the input, or the program
		defer close(done)
		data, err = io.ReadAll(r)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, localFailure(err)
	}
	return data, nil
}

// readArgument parses k=v, k:=json or k=@file.
func (c *invocation) readArgument(arg string) (a argument, err error) {
	key, value, ok := strings.Cut(arg, "=")
	key, a.json = strings.CutSuffix(key, ":")
	if !ok || key == "" {
		return a, c.usage("an argument must be key=value, not " + strconv.Quote(arg))
	}
	a.key, a.value = key, value
	if name, ok := strings.CutPrefix(value, "@"); ok {
		data, err := os.ReadFile(name)
		if err != nil {
			return a, localFailure(err)
		}
		a.value = string(data)
	}
	if !utf8.ValidString(a.value) {
		return a, c.usage("argument " + strconv.Quote(key) + " is not UTF-8 text")
	}
	if a.json && wire.Valid([]byte(a.value)) != nil {
		return a, c.usage("argument " + strconv.Quote(key) + " is not JSON: " + strconv.Quote(cut(a.value, 100)))
	}
	return a, nil
}

// object encodes the arguments as one object, with the types in the tool's schema.
func (a *arguments) object(c *invocation, tool string, s *schema) (json.RawMessage, error) {
	if unknown := a.unknown(s); unknown != "" {
		return nil, a.bad(c, tool, "has no argument "+strconv.Quote(unknown)+didYouMean(unknown, s.names()), s)
	}
	if missing := a.absent(s.required); len(missing) > 0 {
		return nil, a.bad(c, tool, "requires "+strings.Join(missing, ", "), s)
	}
	b := []byte("{")
	for _, one := range a.each {
		p := s.property(one.key)
		if p == nil {
			p = new(schema) // anything
		}
		value := one.encode(p)
		if value == nil {
			return nil, a.bad(c, tool, "requires "+p.kind()+" for "+strconv.Quote(one.key)+", not "+strconv.Quote(cut(one.value, 100)), s)
		}
		b = append(wire.AppendKey(b, one.key), value...)
	}
	for _, name := range a.absent(s.filled) {
		b = wire.AppendLine(wire.AppendKey(b, name), []byte(s.property(name).def))
	}
	return append(b, '}'), nil
}

// bad returns the failure for arguments that violate the tool's schema, with what
// the user probably meant and a list of the arguments.
func (a *arguments) bad(c *invocation, tool, what string, s *schema) error {
	wrong := &failure{status: statusUsage, kind: "usage", message: "the tool " + strconv.Quote(tool) + " " + what + argumentList(s)}
	var words []string
	for _, one := range a.each {
		words = append(words, one.key+"="+one.value)
	}
	return c.repaired("call", tool, words, s, wrong)
}

// unknown returns the first key that the schema does not allow, or "".
func (a *arguments) unknown(s *schema) string {
	for _, one := range a.each {
		if !s.open && s.property(one.key) == nil {
			return one.key
		}
	}
	return ""
}

// absent returns the names of arguments that the user did not give.
func (a *arguments) absent(names []string) (absent []string) {
	for _, name := range names {
		if !slices.ContainsFunc(a.each, func(one argument) bool { return one.key == name }) {
			absent = append(absent, name)
		}
	}
	return absent
}

// argumentList describes the arguments in the schema.
func argumentList(s *schema) string {
	if len(s.properties) == 0 {
		return "\n\tIt has no arguments."
	}
	text := ""
	for _, p := range s.properties {
		text += "\n\t" + p.name + "  " + p.kind()
		if slices.Contains(s.required, p.name) {
			text += ", required"
		}
		if d := firstLine(p.description); d != "" {
			text += "  " + d
		}
	}
	return text
}

// encode returns the argument as JSON: a string if the schema requires one, else
// JSON of an allowed type, else a string if the schema allows it, else nil.
func (a *argument) encode(s *schema) []byte {
	value := []byte(a.value)
	if a.json {
		return wire.AppendLine(nil, bytes.TrimSpace(value))
	}
	if s.onlyText() {
		return wire.AppendString(nil, a.value)
	}
	if wire.Valid(value) == nil && s.allows(typeOf(value)) {
		return wire.AppendLine(nil, value)
	}
	if s.allows("string") {
		return wire.AppendString(nil, a.value)
	}
	return nil
}
