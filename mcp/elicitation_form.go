package mcp

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

func completeForm(fields []FormField, content map[string]any) (map[string]any, error) {
	filled := make(map[string]any, len(content))
	for name, v := range content {
		filled[name] = v
	}
	for i := range fields {
		f := &fields[i]
		v, ok := filled[f.Name]
		switch {
		case ok:
			if err := f.Schema.Check(v); err != nil {
				return nil, diag.Op("field "+wire.Quote(f.Name), err)
			}
		case f.Schema.Default != nil:
			filled[f.Name] = f.Schema.Default
		case f.Required:
			return nil, diag.Op("field "+wire.Quote(f.Name), errors.New("required, but not filled in"))
		}
	}
	for name := range filled {
		if !hasField(fields, name) {
			return nil, diag.Op("field "+wire.Quote(name), errors.New("not in the form"))
		}
	}
	return filled, nil
}

func hasField(fields []FormField, name string) bool {
	for i := range fields {
		if fields[i].Name == name {
			return true
		}
	}
	return false
}

// Check returns an error if v, a value for [ElicitResult].Content, does not
// match the schema.
func (s *PrimitiveSchema) Check(v any) error {
	b, err := wire.AppendValue(nil, v)
	if err != nil {
		return err
	}
	r := wire.NewReader(b)
	switch s.Type {
	case "string":
		err = s.checkString(r.String())
	case "number", "integer":
		err = s.checkNumber(r.Float())
	case "boolean":
		r.Bool()
	case "array":
		err = s.checkList(&r)
	default:
		r.Skip() // of a later protocol version; the server decides
	}
	if end := r.End(); end != nil {
		return errors.New("not of type " + s.Type)
	}
	return err
}

func (s *PrimitiveSchema) checkString(v string) error {
	n := int64(utf8.RuneCountInString(v))
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return errors.New("shorter than " + strconv.FormatInt(*s.MinLength, 10) + " characters")
	case s.MaxLength != nil && n > *s.MaxLength:
		return errors.New("longer than " + strconv.FormatInt(*s.MaxLength, 10) + " characters")
	}
	if err := s.checkChoice(v); err != nil {
		return err
	}
	return checkFormat(s.Format, v)
}

func (s *PrimitiveSchema) checkChoice(v string) error {
	choices := s.Choices()
	if choices == nil {
		return nil
	}
	for _, c := range choices {
		if c.Const == v {
			return nil
		}
	}
	return errNoChoice(v)
}

func errNoChoice(v string) error { return errors.New(wire.Quote(v) + " is not one of the choices") }

// checkFormat checks dates fully, and email addresses and URIs roughly. The
// server checks the rest.
func checkFormat(format, v string) error {
	var err error
	ok := true
	switch format {
	case "email":
		at := strings.LastIndexByte(v, '@')
		ok = at > 0 && at < len(v)-1
	case "uri":
		i := strings.IndexByte(v, ':')
		ok = i > 0 && wire.IndexAny(v, " \t\r\n") < 0
	case "date":
		_, err = time.Parse(time.DateOnly, v)
	case "date-time":
		_, err = time.Parse(time.RFC3339, strings.ToUpper(v))
	}
	if !ok || err != nil {
		return errors.New(wire.Quote(v) + " is not a valid " + format)
	}
	return nil
}

func (s *PrimitiveSchema) checkNumber(v float64) error {
	switch {
	case s.Type == "integer" && v != math.Trunc(v):
		return errors.New("not a whole number")
	case s.Minimum != nil && v < *s.Minimum:
		return errors.New("below the minimum of " + strconv.FormatFloat(*s.Minimum, 'g', -1, 64))
	case s.Maximum != nil && v > *s.Maximum:
		return errors.New("above the maximum of " + strconv.FormatFloat(*s.Maximum, 'g', -1, 64))
	}
	return nil
}

func (s *PrimitiveSchema) checkList(r *wire.Reader) (err error) {
	var known map[string]bool // nil permits every value
	if choices := s.Choices(); choices != nil {
		known = make(map[string]bool, len(choices))
		for i := range choices {
			known[choices[i].Const] = true
		}
	}
	n := int64(0)
	for r.Array(); r.More(); n++ {
		if v := r.String(); err == nil && known != nil && !known[v] {
			err = errNoChoice(v)
		}
	}
	switch {
	case err != nil:
		return err
	case s.MinItems != nil && n < *s.MinItems:
		return errors.New("fewer than " + strconv.FormatInt(*s.MinItems, 10) + " choices")
	case s.MaxItems != nil && n > *s.MaxItems:
		return errors.New("more than " + strconv.FormatInt(*s.MaxItems, 10) + " choices")
	}
	return nil
}
