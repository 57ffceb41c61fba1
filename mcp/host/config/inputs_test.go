package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestInputs(t *testing.T) {
	c := config.Parse([]byte(`{"servers":{"x":{"command":"run"}},"inputs":[
		{"id":"key","type":"promptString","description":"API key","password":true},
		{"id":"place","type":"pickString","options":["Rome","Oslo"],"default":"Oslo"},
		{"id":"odd \"id\"","description":"with quotes"}]}`), "f", "")
	for _, want := range []config.Input{
		{ID: "key", Description: "API key", Password: true},
		{ID: "place", Options: []string{"Rome", "Oslo"}, Default: "Oslo"},
		{ID: `odd "id"`, Description: "with quotes"},
		{ID: "not described", Password: true},
	} {
		if got, err := c.Input(want.ID); err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("have %+v, %v, want %+v", got, err, want)
		}
	}
	if c := config.Parse([]byte(`{"mcp":{"servers":{},"inputs":[{"id":"key","password":true}]}}`), "f", ""); len(c.Problems) > 0 {
		t.Errorf("%v", c.Problems)
	} else if in, err := c.Input("key"); err != nil || !in.Password {
		t.Errorf("%+v, %v", in, err)
	}
	for list, want := range map[string]string{
		`{}`:                           `"inputs" must be a list of objects, not an object`,
		`[7]`:                          "",
		`[{"id":"key","password":1}]`:  `"inputs.password" must be true or false, not a number`,
		`[{"id":"key","options":"a"}]`: `"inputs.options" must be a list of strings`,
		`[{"id":"key","id":"key"}]`:    `"inputs.id" occurs twice`,
	} {
		c := config.Parse([]byte(`{"servers":{},"inputs":`+list+`}`), "f", "")
		in, err := c.Input("key")
		if want == "" && (err != nil || in.ID != "key") || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %+v, %v, want %s", list, in, err, want)
		}
	}
}

func TestInputsOfSeveralFiles(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, text := range map[string]string{
		filepath.Join(home, ".mcp.json"): `{"servers":{},"inputs":[{"id":"a","description":"user"},{"id":"b","description":"user"}]}`,
		filepath.Join(dir, ".mcp.json"):  `{"servers":{},"inputs":[{"id":"b","description":"project"}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Load(dir)
	for id, want := range map[string]string{"a": "user", "b": "project"} {
		if in, err := c.Input(id); err != nil || in.Description != want {
			t.Errorf("%s: %+v, %v", id, in, err)
		}
	}
}

// TestInputsOfOtherFiles: a project neither words the question for the value of the user's
// own server, nor answers it.
func TestInputsOfOtherFiles(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	file := filepath.Join(dir, ".mcp.json")
	for _, inputs := range []string{`[{"id":"a","default":"evil"},{"id":"b","default":"evil"},{"id":"c","default":"mine"}]`, `7`} {
		for name, text := range map[string]string{
			filepath.Join(home, ".mcp.json"): `{"servers":{"own":{"url":"http://${\u0069nput:a}/${input:b}"}},"inputs":[{"id":"a","password":true}]}`,
			file:                             `{"servers":{"x":{"command":"${input:a}","args":["${input:c}"]}},"inputs":` + inputs + `}`,
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := config.Load(dir)
		if in, err := c.Input("a"); err != nil || !in.Password || in.Default != "" {
			t.Errorf("%s: %+v, %v", inputs, in, err)
		}
		if in, err := c.Input("b"); err != nil || in.Default != "" {
			t.Errorf("%s: %+v, %v", inputs, in, err)
		}
		in, err := c.Input("c")
		if described := inputs != "7"; described != (err == nil) || described && in.Default != "mine" {
			t.Errorf("%s: %+v, %v", inputs, in, err)
		}
	}
}

// TestEffectsOfInputs: what an input is without an answer is a part of the entry.
func TestEffectsOfInputs(t *testing.T) {
	s := config.Parse([]byte(`{"servers":{"x":{"command":"sh","args":["-c","${input:a}"]}},"inputs":[{"id":"a","default":"evil","password":true}]}`), "f", "project").Servers[0]
	if lines := strings.Join(s.Effects(), "\n"); !strings.Contains(lines, `takes "evil" for input:a`) {
		t.Error(lines)
	}
}
