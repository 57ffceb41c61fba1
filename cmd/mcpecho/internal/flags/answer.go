package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An Answer answers the questions of a server, in place of a user.
type Answer struct {
	Action string // decline or cancel; else accept, with the values for the fields of forms
	Values []toolargs.Argument
}

// Value returns the last value for a field.
func (a *Answer) Value(name string) (text string, ok bool) {
	for i := range a.Values {
		if v := &a.Values[i]; v.Key == name {
			text, ok = v.Value, true
		}
	}
	return text, ok
}

// setAnswer adds to what the flags before it answer.
func setAnswer(f *Values, v string) error {
	a := new(Answer)
	if f.Answer != nil {
		*a = *f.Answer
		a.Values = slices.Clip(a.Values)
	}
	f.Answer = a
	if name, isFile := strings.CutPrefix(v, "@"); isFile {
		data, err := input.ReadFile(name)
		if err != nil {
			return err
		}
		if toolargs.TypeOf(data) != "object" || wire.Valid(data) != nil {
			return errors.New(name + " has no JSON object")
		}
		v = string(data)
	}
	key, text, isPair := strings.Cut(v, "=")
	switch {
	case slices.Contains([]string{"accept", "decline", "cancel"}, v):
		a.Action = v
	case strings.HasPrefix(strings.TrimSpace(v), "{"):
		if err := wire.Valid([]byte(v)); err != nil {
			return err
		}
		r := wire.NewReader([]byte(v))
		for r.Object(); r.More(); {
			key := string(r.Key())
			a.Values = append(a.Values, toolargs.Argument{Key: key, Value: plainValue(r.Raw())})
		}
	case isPair && key != "":
		key, isJSON := strings.CutSuffix(key, ":")
		if isJSON {
			if wire.Valid([]byte(text)) != nil {
				return errors.New("the value of " + wire.Quote(key) + " is not JSON")
			}
			text = plainValue([]byte(text))
		}
		a.Values = append(a.Values, toolargs.Argument{Key: key, Value: text})
	default:
		return errors.New("must be K=V, a JSON object, @FILE with one, accept, decline or cancel")
	}
	return nil
}

// plainValue returns a value as a user would enter it: several choices with commas.
func plainValue(raw []byte) string {
	if toolargs.TypeOf(raw) == "array" {
		return strings.Join(toolargs.Texts(raw), ",")
	}
	return terminal.PlainJSON(raw)
}
