// Package form has the lines of forms: their prompts, what completes them, and the
// values that they stand for. Servers define forms, and the arguments of tools are asked
// for in the same way.
package form

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// FieldLine returns the line for a field. The arrow keys lead through its choices,
// which Tab completes.
func FieldLine(f *mcp.FormField) *lineedit.Line {
	l := &lineedit.Line{Prompt: fieldPrompt(f)}
	var choices []string
	for _, choice := range f.Schema.Choices() {
		choices = append(choices, choice.Const)
	}
	if f.Schema.Type == "boolean" {
		choices = []string{"yes", "no"}
	}
	if choices == nil {
		return l
	}
	l.History, l.Around = ChoiceHistory(choices), true
	l.Complete = func(before string) (found lineedit.Completion) {
		found.Start = strings.LastIndexByte(before, ',') + 1
		for found.Start < len(before) && before[found.Start] == ' ' {
			found.Start++
		}
		for _, choice := range choices {
			if strings.HasPrefix(choice, before[found.Start:]) {
				found.Candidates = append(found.Candidates, lineedit.Candidate{Text: choice, Open: true})
			}
		}
		return found
	}
	return l
}

// ChoiceHistory returns what the arrow keys show for a question with choices.
func ChoiceHistory(choices []string) *lineedit.History {
	h := new(lineedit.History)
	for _, choice := range choices {
		h.Add(choice)
	}
	return h
}

func fieldPrompt(f *mcp.FormField) string {
	s := &f.Schema
	text := "  " + terminal.EscapeName(terminal.FirstOf(s.Title, f.Name))
	notes := fieldLimits(s)
	if !f.Required {
		notes = append(notes, "optional")
	}
	if len(notes) > 0 {
		text += ": " + strings.Join(notes, ", ")
	}
	if description := s.Description; description != "" && description != s.Title {
		text += " (" + terminal.EscapeLine(description) + ")"
	}
	var choices strings.Builder // of which a server may have many
	for i, choice := range s.Choices() {
		choices.WriteString("\n    " + strconv.Itoa(i+1) + "  " + terminal.EscapeName(terminal.FirstOf(choice.Title, choice.Const)))
	}
	if text += choices.String(); s.Choices() != nil {
		text += "\n  which"
		if s.Type == "array" {
			text += ", separated by commas"
		} else {
			text += " (arrow keys)"
		}
	}
	if s.Default != nil {
		text += " [" + terminal.EscapeLine(fieldDefault(s)) + "]"
	}
	return text + ": "
}

// fieldDefault returns the default as the user would enter it.
func fieldDefault(s *mcp.PrimitiveSchema) string {
	switch text := terminal.PlainJSON(s.Default); {
	case s.Type == "boolean" && text == "true":
		return "yes"
	case s.Type == "boolean":
		return "no"
	case s.Type == "array":
		return strings.Join(toolargs.Texts(s.Default), ", ")
	default:
		return text
	}
}

// fieldLimits describes the constraints on a value.
func fieldLimits(s *mcp.PrimitiveSchema) (notes []string) {
	switch {
	case s.Type == "boolean":
		notes = append(notes, "yes or no")
	case s.Type == "integer":
		notes = append(notes, "a whole number")
	case s.Type == "number":
		notes = append(notes, "a number")
	case s.Format != "":
		notes = append(notes, terminal.EscapeLine(s.Format))
	}
	count := func(least, most *int64, what string) {
		if least != nil && *least > 1 {
			notes = append(notes, strconv.FormatInt(*least, 10)+" "+what+" or more")
		}
		if most != nil {
			notes = append(notes, strconv.FormatInt(*most, 10)+" "+what+" at most")
		}
	}
	count(s.MinLength, s.MaxLength, "characters")
	count(s.MinItems, s.MaxItems, "choices")
	if s.Minimum != nil {
		notes = append(notes, "at least "+number(*s.Minimum))
	}
	if s.Maximum != nil {
		notes = append(notes, "at most "+number(*s.Maximum))
	}
	return notes
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// FieldValue converts what the user entered to a value of the field.
func FieldValue(f *mcp.FormField, line string) (v any, err error) {
	s := &f.Schema
	switch {
	case line == "" && s.Type != "array":
		err = errors.New("this field is required")
	case s.Type == "boolean":
		yes, ok := YesOrNo(line)
		if v = yes; !ok {
			err = errors.New("enter yes or no")
		}
	case s.Type == "integer", s.Type == "number":
		v, err = numberValue(line)
	case s.Type == "array":
		v, err = choiceValues(s, line)
	case s.Choices() != nil:
		v, err = choiceValue(s, line)
	default:
		v = line
	}
	if err != nil {
		return nil, err
	}
	return v, s.Check(v)
}

// AnswerValue converts an answer that was given in advance, in which an empty text is one.
func AnswerValue(f *mcp.FormField, text string) (any, error) {
	if text == "" && f.Schema.Type == "string" && f.Schema.Choices() == nil {
		return text, f.Schema.Check(text)
	}
	return FieldValue(f, text)
}

// Describe describes a field in a line.
func Describe(f *mcp.FormField) string {
	notes := fieldLimits(&f.Schema)
	separator := "one of "
	for _, choice := range f.Schema.Choices() {
		notes = append(notes, separator+choice.Const)
		separator = ""
	}
	switch {
	case f.Schema.Default != nil:
		notes = append(notes, "default "+fieldDefault(&f.Schema))
	case f.Required:
		notes = append(notes, "required")
	}
	if len(notes) == 0 {
		notes = []string{"text"}
	}
	return f.Name + "  " + strings.Join(notes, ", ")
}

// numberValue returns an int64 for integers, because a float64 cannot hold all
// of them.
func numberValue(line string) (any, error) {
	if n, err := strconv.ParseInt(line, 10, 64); err == nil {
		return n, nil
	}
	v, err := strconv.ParseFloat(line, 64)
	if err != nil || v-v != 0 { // infinite or NaN
		return nil, errors.New("enter a number")
	}
	return v, nil
}

// choiceValue returns the choice with this value, title or number.
func choiceValue(s *mcp.PrimitiveSchema, line string) (string, error) {
	choices := s.Choices()
	i := slices.IndexFunc(choices, func(c mcp.EnumOption) bool { return c.Const == line })
	if i < 0 {
		i = slices.IndexFunc(choices, func(c mcp.EnumOption) bool { return strings.EqualFold(c.Title, line) })
	}
	if n, err := strconv.Atoi(line); i < 0 && err == nil {
		i = n - 1
	}
	if i < 0 || i >= len(choices) {
		return "", errors.New("enter one of the choices or its number")
	}
	return choices[i].Const, nil
}

func choiceValues(s *mcp.PrimitiveSchema, line string) ([]string, error) {
	values := []string{}
	for one := range strings.SplitSeq(line, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		v, err := choiceValue(s, one)
		if err != nil {
			return nil, err
		}
		values = toolargs.Union(values, []string{v})
	}
	return values, nil
}

// IsOpenJSON reports whether text begins a JSON array or object that needs another
// line.
func IsOpenJSON(text string) bool {
	_, open := shellwords.Split(text)
	return open && strings.IndexAny(strings.TrimSpace(text), "[{") == 0
}

// ArgumentValue converts what the user entered to JSON.
func ArgumentValue(field *mcp.FormField, simple bool, s *toolargs.Schema, line string) (mcp.RawMessage, error) {
	if !simple {
		if line == "" {
			return nil, errors.New("this argument is required")
		}
		one := toolargs.Argument{Value: line}
		if value := one.Encode(s); value != nil {
			return value, nil
		}
		return nil, errors.New("enter " + s.Kind() + " as JSON")
	}
	if line == "" && field.Schema.Default != nil {
		return mcp.RawMessage(field.Schema.Default), nil
	}
	v, err := FieldValue(field, line)
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

// SimpleField returns the field of a form for an argument of a simple type.
func SimpleField(name string, raw []byte) (f *mcp.FormField, ok bool) {
	f = &mcp.FormField{Name: name, Required: true}
	for _, keyword := range []string{"$ref", "anyOf", "allOf", "oneOf", "const"} {
		if wire.Lookup(raw, keyword) != nil {
			return f, false
		}
	}
	switch terminal.PlainJSON(wire.Lookup(raw, "type")) {
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

// DescribedBy returns the description of an argument in parentheses.
func DescribedBy(s *toolargs.Schema) string {
	if d := terminal.FirstLine(s.Description); d != "" {
		return " (" + terminal.EscapeLine(d) + ")"
	}
	return ""
}

func YesOrNo(s string) (yes, ok bool) {
	switch strings.ToLower(s) {
	case "y", "yes", "true":
		return true, true
	case "n", "no", "false":
		return false, true
	}
	return false, false
}
