package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lineedit"
	"github.com/stdmcp/stdmcp/mcp"
)

// form has the user fill in a form and confirm it.
func (a *asker) form(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	fields, err := p.Fields()
	if err != nil {
		return nil, err
	}
	end, err := a.begin(ctx, p.Message)
	if err != nil {
		return nil, err
	}
	defer end()
	if len(fields) > 0 {
		a.print("Press Enter for the value in brackets or to omit an optional field, Ctrl-D to cancel.\n")
	}
	content, err := a.fill(ctx, fields)
	yes := false
	if err == nil {
		yes, err = a.confirm(ctx, "Send this answer?", len(fields) > 0)
	}
	switch {
	case errors.Is(err, io.EOF):
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	case err != nil:
		return nil, err
	case !yes:
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}
	return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
}

// fill asks for each field until its value is valid.
func (a *asker) fill(ctx context.Context, fields []mcp.FormField) (map[string]any, error) {
	content := make(map[string]any)
	for i := range fields {
		f := &fields[i]
		for {
			line, err := a.askLine(ctx, fieldLine(f))
			if err != nil {
				return nil, err
			}
			if line == "" && (f.Schema.Default != nil || !f.Required) {
				break // package mcp fills in the default
			}
			v, err := fieldValue(f, line)
			if err == nil {
				content[f.Name] = v
				break
			}
			a.print("    " + escapeLine(err.Error()) + "\n")
		}
	}
	return content, nil
}

// fieldLine returns the line for a field. The arrow keys lead through its choices,
// which Tab completes.
func fieldLine(f *mcp.FormField) *lineedit.Line {
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
	l.History, l.Around = choiceHistory(choices), true
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

// choiceHistory returns what the arrow keys show for a question with choices.
func choiceHistory(choices []string) *lineedit.History {
	h := new(lineedit.History)
	for _, choice := range choices {
		h.Add(choice)
	}
	return h
}

// fieldPrompt returns the prompt for a field.
func fieldPrompt(f *mcp.FormField) string {
	s := &f.Schema
	text := "  " + escapeName(firstOf(s.Title, f.Name))
	var notes []string
	if description := s.Description; description != "" && description != s.Title {
		notes = append(notes, escapeLine(description))
	}
	notes = append(notes, fieldLimits(s)...)
	if !f.Required {
		notes = append(notes, "optional")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	for i, choice := range s.Choices() {
		text += "\n    " + strconv.Itoa(i+1) + "  " + escapeName(firstOf(choice.Title, choice.Const))
	}
	if s.Choices() != nil {
		text += "\n  which"
		if s.Type == "array" {
			text += ", separated by commas"
		}
	}
	if s.Default != nil {
		text += " [" + escapeLine(fieldDefault(s)) + "]"
	}
	return text + ": "
}

// fieldDefault returns the default as the user would enter it.
func fieldDefault(s *mcp.PrimitiveSchema) string {
	switch text := plainJSON(s.Default); {
	case s.Type == "boolean" && text == "true":
		return "yes"
	case s.Type == "boolean":
		return "no"
	case s.Type == "array":
		return strings.Join(texts(s.Default), ", ")
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
		notes = append(notes, escapeLine(s.Format))
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

// fieldValue converts what the user entered to a value of the field.
func fieldValue(f *mcp.FormField, line string) (v any, err error) {
	s := &f.Schema
	switch {
	case line == "" && s.Type != "array":
		err = errors.New("this field is required")
	case s.Type == "boolean":
		yes, ok := yesOrNo(line)
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
		values = union(values, []string{v})
	}
	return values, nil
}
