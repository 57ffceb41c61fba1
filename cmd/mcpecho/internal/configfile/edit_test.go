package configfile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

const entryOfX = "{\n  \"command\": \"x\"\n}"

// TestAddKeepsBlanks: of the texts of an entry, also in a file of one line.
func TestAddKeepsBlanks(t *testing.T) {
	got, err := Add(`{"mcpServers":{"a":{"command":"a"}}}`, "x", "{\n  \"command\": \"a  b\u00a0c\"\n}")
	if s := config.Parse([]byte(got), "f", "user").Server("x"); err != nil || s == nil || s.Command != "a  b\u00a0c" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAddKeepsCommentsAndOrder(t *testing.T) {
	for _, test := range []struct{ before, after string }{
		{"", "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{}", "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}"},
		{"{\n  // mine\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"}, // second\n    \"a\": {\"command\": \"a\"} // first\n  }\n}\n",
			"{\n  // mine\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"}, // second\n    \"a\": {\"command\": \"a\"}, // first\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{\n\t\"servers\": {\n\t\t\"a\": {\"url\": \"http://a\"},\n\t},\n}", "{\n\t\"servers\": {\n\t\t\"a\": {\"url\": \"http://a\"},\n\t\t\"x\": {\n\t\t  \"command\": \"x\"\n\t\t},\n\t},\n}"},
		{`{"mcpServers":{"a":{"command":"a"}}}`, `{"mcpServers":{"a":{"command":"a"}, "x": {"command":"x"}}}`},
		{"{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n", "{\n  \"mcpServers\": {\n    // none yet\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{\n  \"other\": \"}\\\"{\" /* } */\n}\n", "{\n  \"other\": \"}\\\"{\", /* } */\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
	} {
		got, err := Add(test.before, "x", entryOfX)
		if err != nil || got != test.after {
			t.Errorf("%v:\n%s\nbecomes\n%s\nwant\n%s", err, test.before, got, test.after)
		}
		if config.Parse([]byte(got), "f", "user").Server("x") == nil {
			t.Errorf("no server x in %s", got)
		}
		// Removing it again restores the other servers.
		without, ok := Remove(got, "x")
		if !ok || config.Parse([]byte(without), "f", "user").Server("x") != nil {
			t.Errorf("%s\nbecomes\n%s", got, without)
		}
		for _, p := range config.Parse([]byte(without), "f", "user").Problems {
			if !p.Warning {
				t.Errorf("%s\nbecomes\n%s: %v", got, without, p)
			}
		}
	}
	for _, broken := range []string{"[]", "{", `{"mcpServers": {`, "x", `{"a" 1}`, `{"mcpServers": {"a": }}`} {
		if got, err := Add(broken, "x", entryOfX); err == nil {
			t.Errorf("%s becomes %s", broken, got)
		}
	}
}

// TestAddFindsTheMapOfEachDialect: Add writes no second map beside one that package config
// reads, and Remove finds the entry there.
func TestAddFindsTheMapOfEachDialect(t *testing.T) {
	const a = `{"a":{"command":"a"}}`
	for _, file := range []string{`{"mcpServers":%}`, `{"servers":%}`, `{"mcp_servers":%}`, `{"context_servers":%}`, `{"mcp.servers":%}`, `{"mcp":{"servers":%}}`,
		`{"mcp":%}`, `{"tools.mcp.servers":%}`, `{"tools":{"mcp":{"servers":%}}}`, `{"mcp":{"enabled":true},"servers":%}`} {
		file = strings.Replace(file, "%", a, 1)
		got, err := Add(file, "x", entryOfX)
		c := config.Parse([]byte(got), "f", "user")
		if err != nil || c.Server("x") == nil || c.Server("a") == nil || !strings.Contains(got, `}, "x"`) {
			t.Errorf("%s becomes %s: %v", file, got, err)
		}
		if without, ok := Remove(got, "x"); !ok || strings.ReplaceAll(without, " ", "") != file {
			t.Errorf("%s becomes %s", got, without)
		}
	}
	if got, err := Add(`{"mcp":{"enabled":true}}`, "x", entryOfX); err != nil || !strings.Contains(got, "mcpServers") {
		t.Errorf("settings become %s: %v", got, err)
	}
}

func TestRemoveKeepsTheRest(t *testing.T) {
	const text = "{\n  \"mcpServers\": {\n    // one\n    \"a\": {\"command\": \"a\"},\n    \"b\": {\"command\": \"b\"}, // two\n    \"c\": {\"command\": \"c\"}\n  }\n}\n"
	for name, want := range map[string]string{
		"a": "{\n  \"mcpServers\": {\n    // one\n    \"b\": {\"command\": \"b\"}, // two\n    \"c\": {\"command\": \"c\"}\n  }\n}\n",
		"c": "{\n  \"mcpServers\": {\n    // one\n    \"a\": {\"command\": \"a\"},\n    \"b\": {\"command\": \"b\"} // two\n  }\n}\n",
	} {
		if got, ok := Remove(text, name); !ok || got != want {
			t.Errorf("without %s:\n%s\nwant\n%s", name, got, want)
		}
	}
	if _, ok := Remove(text, "d"); ok {
		t.Error("removed a server that is not there")
	}
}

// TestRemoveFromBrokenFile: what is not JSON stays as it is.
func TestRemoveFromBrokenFile(t *testing.T) {
	for _, text := range []string{`{"mcpServers":{"a":{"command":"a"} "b":{"command":"b"}}}`, `{"mcpServers":{"a":1"b":2}}`, `{"mcpServers":{"a":1 /*,*/ "b":2}}`, `{"mcpServers":{"b":`} {
		if got, ok := Remove(text, "b"); ok {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

// FuzzAdd checks that a file that mcpecho can read has the new server and all
// earlier ones after a change.
func FuzzAdd(f *testing.F) {
	f.Add("{\"mcpServers\":{\"a\":{\"command\":\"a\"},/*c*/}}//")
	f.Add("{\n\"a\":[1,{\"}\":null}],\"servers\":{}}")
	f.Add(`{"mcpServers":{"b":1"a":2}}`)
	f.Fuzz(func(t *testing.T, before string) {
		old := config.Parse([]byte(before), "f", "user")
		_, _ = Remove(before, "a") // runRemove checks what it writes
		after, err := Add(before, "added x", entryOfX)
		if err != nil || len(old.Problems) > 0 {
			return // runAdd checks what it writes
		}
		now := config.Parse([]byte(after), "f", "user")
		for _, s := range old.Servers {
			if now.Server(s.Name) == nil && strings.Contains(before, "ervers\"") {
				t.Errorf("%q is gone from\n%s\nwhich was\n%s", s.Name, after, before)
			}
		}
		if json.Valid([]byte(before)) && !json.Valid([]byte(after)) {
			t.Errorf("invalid:\n%s\nwhich was\n%s", after, before)
		}
	})
}
