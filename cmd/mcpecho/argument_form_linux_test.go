package main

import (
	"strings"
	"testing"
)

func TestMissingArgumentsAreAskedFor(t *testing.T) {
	p := startInPty(t, 80, "call", "add", "a=40", "--no-color", "--", "mcpecho", "serve")
	p.shown("add needs b")
	p.shown("b (Second number; a number): ")
	p.typed("\n")
	p.shown("this field is required")
	p.typed("two\n")
	p.shown("enter a number")
	p.typed("2\n")
	p.wantEnd(0, "42\n")
	p = startInPty(t, 80, "call", "add", "--no-color", "--", "mcpecho", "serve")
	p.shown("a (")
	p.typed(ctrlD)
	if shown, status := p.end(); status != statusUsage || strings.Contains(shown, "brackets") || !strings.Contains(shown, `"add" requires a, b`) {
		t.Errorf("status %d, %q", status, shown)
	}
	shown, status := startInPty(t, 80, "call", "add", "--no-input", "--no-color", "--", "mcpecho", "serve").end()
	if status != statusUsage || strings.Contains(shown, "needs") {
		t.Errorf("status %d, %q", status, shown)
	}
}

func TestMissingArgumentsInTheShell(t *testing.T) {
	p := startShell(t, "shell", "--no-color", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("call add\r")
	p.shown(" number): ")
	p.typed("1\r")
	p.shown(" number): ")
	p.typed("2\r")
	p.shown("3\r\n")
	p.typed("exit\r")
	p.wantEnd(0, "")
}

// A form that the user cancels is not shown again, also when the list of tools is
// from before the command.
func TestCanceledFormInTheShell(t *testing.T) {
	p := startShell(t, "shell", "--no-color", "--", "mcpecho", "serve")
	p.shown("> ")
	p.typed("tools\r")
	p.shown("Asks for roots and keeps no state.")
	p.typed("call add a=1\r")
	p.shown(" number): ")
	p.typed(ctrlD)
	p.shown(`"add" requires b`)
	p.typed("exit\r")
	p.wantEnd(0, "")
}

func TestValuesOfMissingArguments(t *testing.T) {
	t.Parallel()
	const schemaText = `{"properties":{"color":{"type":"string","enum":["red","green"],"default":"green"},"on":{"type":"boolean"},
		"n":{"type":"integer","maximum":9},"list":{"type":"array"},"o":{"type":"object","properties":{"x":{}}},"any":{},
		"u":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`
	input := parseSchema([]byte(schemaText))
	a := new(asker)
	for _, test := range []struct{ name, line, want string }{
		{"color", "", `"green"`}, {"color", "1", `"red"`}, {"color", "blue", "enter one of"},
		{"on", "y", "true"}, {"on", "x", "enter yes or no"},
		{"n", "9", "9"}, {"n", "10", "above the maximum of 9"},
		{"list", "[1, 2]", "[1, 2]"}, {"list", "1", "as JSON"}, {"list", "", "required"},
		{"o", `{"x": 1}`, `{"x": 1}`}, {"any", "text", `"text"`}, {"u", "null", "null"}, {"u", "a b", `"a b"`},
	} {
		raw := member([]byte(member([]byte(schemaText), "properties")), test.name)
		field, simple := simpleField(test.name, raw)
		value, err := a.argumentValue(field, simple, input.property(test.name), test.line)
		have := string(value)
		if err != nil {
			have = err.Error()
		}
		if !strings.Contains(have, test.want) {
			t.Errorf("%s %q: %s, want %s", test.name, test.line, have, test.want)
		}
	}
}

func TestFormShowsWhatJSONAnArgumentIs(t *testing.T) {
	t.Parallel()
	for schemaText, want := range map[string]string{
		`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`: `; as JSON, such as [{"name":"…"}]`,
		`{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}`:                             `; as JSON, such as {"on":true}`,
		`{"type":"array"}`:  "",
		`{"type":"string"}`: "",
		`{}`:                "",
	} {
		if have := parseSchema([]byte(schemaText)).inJSON(); have != want {
			t.Errorf("%s: %q, want %q", schemaText, have, want)
		}
	}
}
