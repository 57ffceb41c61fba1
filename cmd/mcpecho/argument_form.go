package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lineedit"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// askMissing asks on a terminal for the required arguments that the user did not
// give, in the form that servers' questions have. It changes nothing if there is
// no terminal, or with --no-input. If the user cancels, by the end of the input,
// the arguments stay incomplete, which is then an error.
func (c *invocation) askMissing(ctx context.Context, s *conversation, tool *mcp.Tool, input *schema, given *arguments) (canceled bool, err error) {
	missing := given.absent(input.required)
	if len(missing) == 0 || given.unknown(input) != "" || c.flags.noInput || !c.onTerminal() {
		return false, nil
	}
	a := &asker{c: c, s: s, in: bufio.NewReader(c.stdin)}
	s.console.pause()
	defer s.console.resume()
	filled := given.absent(input.filled)
	keys := "Press Ctrl-D to cancel.\n"
	if len(filled) > 0 {
		keys = "Press Enter for the value in brackets, Ctrl-D to cancel.\n"
	}
	a.print(c.styler(c.stderr)(bold, escapeName(tool.Name)+" needs "+escapeName(strings.Join(missing, ", "))) + "\n" + keys)
	var added []argument
	for _, name := range append(missing, filled...) {
		p := input.property(name)
		if p == nil {
			p = new(schema)
		}
		value, err := a.argument(ctx, tool.Name, name, p, wire.Lookup(tool.InputSchema, "properties", name))
		switch {
		case errors.Is(err, io.EOF):
			a.print("\n")
			return true, nil
		case err != nil:
			return false, err
		}
		added = append(added, argument{key: name, value: string(value), json: true})
	}
	given.each = append(given.each, added...)
	return false, nil
}

// argument asks for an argument until it is valid, and returns it as JSON.
func (a *asker) argument(ctx context.Context, tool, name string, s *schema, raw []byte) (json.RawMessage, error) {
	field, simple := simpleField(name, raw)
	entered := a.c.enteredFor(tool, name)
	for {
		l := fieldLine(field)
		if !simple {
			l = &lineedit.Line{Prompt: "  " + escapeName(name) + " (" + escapeLine(s.kind()) + describedBy(s) + s.inJSON() + "): ", More: isOpenJSON}
		}
		if l.History == nil {
			l.History = entered
		}
		line, err := a.askLine(ctx, l)
		if err != nil {
			return nil, err
		}
		value, err := a.argumentValue(field, simple, s, line)
		if err == nil {
			if line != "" {
				entered.Add(line)
			}
			return value, nil
		}
		a.print("    " + escapeLine(err.Error()) + "\n")
	}
}

// enteredFor returns what the user has entered for an argument in this shell.
func (c *invocation) enteredFor(tool, argument string) *lineedit.History {
	if c.shell == nil {
		return new(lineedit.History)
	}
	c.shell.mu.Lock()
	defer c.shell.mu.Unlock()
	key := tool + "\x00" + argument
	if c.shell.entered[key] == nil {
		c.shell.entered[key] = new(lineedit.History)
	}
	return c.shell.entered[key]
}

// isOpenJSON reports whether text begins a JSON array or object that needs another
// line.
func isOpenJSON(text string) bool {
	_, open := splitLine(text)
	return open && strings.IndexAny(strings.TrimSpace(text), "[{") == 0
}

// argumentValue converts what the user entered to JSON.
func (a *asker) argumentValue(field *mcp.FormField, simple bool, s *schema, line string) (json.RawMessage, error) {
	if !simple {
		if line == "" {
			return nil, errors.New("this argument is required")
		}
		one := argument{value: line}
		if value := one.encode(s); value != nil {
			return value, nil
		}
		return nil, errors.New("enter " + s.kind() + " as JSON")
	}
	if line == "" && field.Schema.Default != nil {
		return json.RawMessage(field.Schema.Default), nil
	}
	v, err := fieldValue(field, line)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return wire.AppendString(nil, v), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), nil
	}
	return wire.AppendValue(nil, v)
}

// simpleField returns the field of a form for an argument of a simple type.
func simpleField(name string, raw []byte) (f *mcp.FormField, ok bool) {
	f = &mcp.FormField{Name: name, Required: true}
	for _, keyword := range []string{"$ref", "anyOf", "allOf", "oneOf", "const"} {
		if wire.Lookup(raw, keyword) != nil {
			return f, false
		}
	}
	switch plainJSON(wire.Lookup(raw, "type")) {
	case "string", "number", "integer", "boolean":
	default:
		return f, false
	}
	if f.Schema.UnmarshalJSON(raw) != nil {
		return f, false
	}
	f.Schema.Title = "" // the name is what the user may type the next time
	return f, true
}

// inJSON returns a value of an array or object as an example, after a separator.
func (s *schema) inJSON() string {
	if sample, isJSON := s.sample(); isJSON && len(sample) > len("[]") {
		return "; as JSON, such as " + escapeLine(sample)
	}
	return ""
}

// describedBy returns the description of an argument after a separator.
func describedBy(s *schema) string {
	if d := firstLine(s.description); d != "" {
		return "; " + escapeLine(d)
	}
	return ""
}
