package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// formOf returns the fields of a form with the given properties.
func formOf(t *testing.T, properties string, required ...string) []FormField {
	t.Helper()
	req, _ := json.Marshal(required)
	p := ElicitParams{RequestedSchema: RawMessage(`{"type":"object","properties":{` + properties + `},"required":` + string(req) + `}`)}
	fields, err := p.Fields()
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestFormDefaults(t *testing.T) {
	fields := formOf(t, `"s":{"type":"string","default":"a"},"i":{"type":"integer","default":30},"n":{"type":"number","default":95.5},
		"b":{"type":"boolean","default":true},"e":{"type":"string","enum":["x","y"],"default":"y"},
		"m":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["x"]},"none":{"type":"string"}`)
	got, err := completeForm(fields, map[string]any{"s": "mine"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"s": "mine", "i": RawMessage("30"), "n": RawMessage("95.5"), "b": RawMessage("true"),
		"e": RawMessage(`"y"`), "m": RawMessage(`["x"]`)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFormAnswersAreChecked(t *testing.T) {
	for _, tt := range []struct {
		schema string
		v      any
		want   string // part of the error; empty if it fits
	}{
		{`{"type":"string"}`, "x", ""},
		{`{"type":"string"}`, 1, "not of type string"},
		{`{"type":"string","minLength":2}`, "é", "shorter than 2 characters"},
		{`{"type":"string","maxLength":2}`, "日本語", "longer than 2 characters"},
		{`{"type":"string","maxLength":3}`, "日本語", ""},
		{`{"type":"string","enum":["a","b"]}`, "c", "not one of the choices"},
		{`{"type":"string","enum":["a","b"],"enumNames":["A","B"]}`, "A", "not one of the choices"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`, "a", ""},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`, "A", "not one of the choices"},
		{`{"type":"string","format":"email"}`, "a@b", ""},
		{`{"type":"string","format":"email"}`, "a@", "not a valid email"},
		{`{"type":"string","format":"uri"}`, "https://example.com", ""},
		{`{"type":"string","format":"uri"}`, "example", "not a valid uri"},
		{`{"type":"string","format":"date"}`, "2026-02-28", ""},
		{`{"type":"string","format":"date"}`, "2026-13-28", "not a valid date"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28T10:00:00Z", ""},
		{`{"type":"string","format":"date"}`, "2026-02-30", "not a valid date"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28", "not a valid date-time"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28t10:00:00.5+01:00", ""},
		{`{"type":"string","format":"date-time"}`, "2026-02-28T10:00:00", "not a valid date-time"},
		{`{"type":"string","format":"color"}`, "anything", ""},
		{`{"type":"integer"}`, 3, ""},
		{`{"type":"integer"}`, 3.5, "not a whole number"},
		{`{"type":"integer","minimum":1,"maximum":5}`, 0, "below the minimum of 1"},
		{`{"type":"number","minimum":1,"maximum":5}`, 5.5, "above the maximum of 5"},
		{`{"type":"number"}`, "5", "not of type number"},
		{`{"type":"boolean"}`, false, ""},
		{`{"type":"boolean"}`, "false", "not of type boolean"},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, []string{"a", "b"}, ""},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, []string{"a", "c"}, "not one of the choices"},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, []string{"a"}, ""},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}`, []string{}, "fewer than 1"},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1}`, []string{"a", "b"}, "more than 1"},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, "a", "not of type array"},
	} {
		_, err := completeForm(formOf(t, `"f":`+tt.schema), map[string]any{"f": tt.v})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s, %v: %v", tt.schema, tt.v, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"f"`)):
			t.Errorf("%s, %v: %v, want %s", tt.schema, tt.v, err, tt.want)
		}
	}
}

func TestFormRequiresEveryField(t *testing.T) {
	fields := formOf(t, `"a":{"type":"string"},"b":{"type":"string","default":"x"}`, "a", "b")
	if _, err := completeForm(fields, map[string]any{"b": "y"}); err == nil || !strings.Contains(err.Error(), `"a": required`) {
		t.Error(err)
	}
	if _, err := completeForm(fields, map[string]any{"a": "y"}); err != nil {
		t.Error(err)
	}
	if _, err := completeForm(fields, map[string]any{"a": "y", "c": "z"}); err == nil || !strings.Contains(err.Error(), `"c": not in the form`) {
		t.Error(err)
	}
}

func TestHostOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.com":            "example.com",
		"HTTP://example.com:8080/a?b#c":  "example.com:8080",
		"https://[::1]:80/":              "[::1]:80",
		"https://a@b/":                   "",
		"https://example.com\\@evil.com": "",
		"https://exa mple.com":           "",
		"https://exämple.com":            "",
		"https://example.com%2f@evil":    "",
		"javascript:alert(1)":            "",
		"file:///etc/passwd":             "",
		"//example.com":                  "",
		"":                               "",
	} {
		if got := hostOf(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// TestManyChoices: a default and an answer with as many values as there are choices take
// linear time. Quadratic time would be minutes.
func TestManyChoices(t *testing.T) {
	var list []string
	for i := range 30_000 {
		list = append(list, fmt.Sprintf("%08d", i))
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	p := &ElicitParams{RequestedSchema: RawMessage(fmt.Sprintf(`{"properties":{"a":{"type":"array","items":{"enum":%s},"default":%s}}}`, text, text))}
	began := time.Now()
	fields, err := p.Fields()
	if err == nil {
		err = fields[0].Schema.Check(list)
	}
	if took := time.Since(began); err != nil || took > 10*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	if err := fields[0].Schema.Check([]string{list[0], "other"}); err == nil || err.Error() != `"other" is not one of the choices` {
		t.Error(err)
	}
}
