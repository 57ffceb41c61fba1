package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

func TestSecretsOfAddresses(t *testing.T) {
	const password = "hunter2@hunter2"
	for _, url := range []string{"https://user:" + password + "@example.com/mcp", "postgresql://user:" + password + "@db/x?y=z"} {
		if got := settings.PublicURL(url); strings.Contains(got, "hunter2") {
			t.Errorf("%s: public %s", url, got)
		}
		s := &Server{Name: "x", Command: "a", Args: []string{url}}
		e, err := s.Expand(t.Context(), &Vars{Lookup: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Hide("failed for " + password + " and hunter2%40hunter2"); strings.Contains(got, "hunter2") {
			t.Errorf("%s: hides %s", url, got)
		}
		if got := s.Public().Args[0]; strings.Contains(got, "hunter2") {
			t.Errorf("%s: public %s", url, got)
		}
	}
}

// TestReferencesArePublic: what names a variable alone is shown; a default value is not.
func TestReferencesArePublic(t *testing.T) {
	for text, public := range map[string]bool{"${A}": true, "${A:-hunter2hunter2}": false, "${env:A|value:hunter2hunter2}": false, "x${A}": false, "$A": false} {
		if settings.IsReference(text) != public {
			t.Errorf("%s: is a reference: %v", text, !public)
		}
		s := &Server{Command: "a", Args: []string{"--api-key", text}}
		s.Auth.Token, s.Auth.OAuth.ClientSecret = text, text
		p := s.Public()
		for _, got := range []string{p.Auth.Token, p.Auth.OAuth.ClientSecret, p.Args[1]} {
			if (got == text) != public {
				t.Errorf("%s: public %s", text, got)
			}
		}
	}
	if got := maskLiterals("a${A:-hunter2hunter2}b${B}"); got != "***${B}" {
		t.Errorf("masked: %s", got)
	}
	for text, want := range map[string]bool{"a1=9": true, "http://h:80/a?b=1": true, "a;b": false, "a b": false, "a=./b": false, "": true} {
		if isPlainWord(text) != want {
			t.Errorf("%q: plain is %v", text, !want)
		}
	}
}

func TestOwnHeaderTakesPrecedenceOverToken(t *testing.T) {
	s := &Server{URL: "https://example.com", Headers: map[string]string{"authorization": "Basic own"}, Auth: Auth{Type: AuthBearer, Token: "hunter2hunter2"}}
	e, err := s.Expand(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Headers) != 1 || e.Headers["authorization"] != "Basic own" {
		t.Errorf("sent: %v", e.Headers)
	}
}

func TestNamesThatAreRefused(t *testing.T) {
	for _, text := range []string{`{"url":"https://e","headers":{"":"x"}}`, `{"url":"https://e","headers":{"a:b":"x"}}`, `{"url":"https://e","headers":{"a":"x\u0000"}}`} {
		if c := Parse([]byte(`{"mcpServers":{"x":`+text+`}}`), "", "user"); len(c.Servers) != 0 {
			t.Errorf("%s is accepted", text)
		}
	}
	file := filepath.Join(t.TempDir(), ".env")
	for _, text := range []string{"1 a=b", "=b", "a b=c"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if env, err := readEnvFile(file); err == nil {
			t.Errorf("%q is accepted: %q", text, env)
		}
	}
}

// TestEnvFile: values are what the programs read that have such files.
func TestEnvFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	for line, want := range map[string]string{
		`A=b`: "b", ` export A = b `: "b", `A=`: "", `A= # none`: "# none", `A=b # c`: "b", `A=b#c`: "b#c", `A="b # c"`: "b # c",
		`A="b" # c`: "b", `A='b' #"c"`: "b", `A="it's"`: "it's", `A="a"b"`: `a"b`, `A="b`: `"b`, `A="C:\d\"`: `C:\d\`,
		`A="-----BEGIN\nx"`: "-----BEGIN\nx", `A='a\nb'`: `a\nb`, `A=a\nb`: `a\nb`,
	} {
		if err := os.WriteFile(file, []byte(line+"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if env, err := readEnvFile(file); err != nil || len(env) != 1 || env[0] != "A="+want {
			t.Errorf("%s: %q, %v", line, env, err)
		}
	}
}
