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
		{ID: "not described"},
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
