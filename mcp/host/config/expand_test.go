package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

var vars = &config.Vars{
	Lookup: func(name string) (string, bool) {
		v, ok := map[string]string{"V": "value", "EMPTY": "", "NESTED": "${V}", "TOKEN": "s3cret-token", "CRLF": "a\r\nb: c"}[name]
		return v, ok
	},
	Input: func(_ context.Context, id string) (string, error) {
		if id == "key" {
			return "entered", nil
		}
		return "", errors.New("canceled")
	},
	Home: "/home/me",
}

func TestVariables(t *testing.T) {
	for _, test := range []struct{ text, want, err string }{
		{"${V}", "value", ""},
		{"a${V}b${V}", "avaluebvalue", ""},
		{"${V:-d}", "value", ""},
		{"${NO:-d}", "d", ""},
		{"${NO:-}", "", ""},
		{"${EMPTY}", "", ""},
		{"${EMPTY:-d}", "d", ""},
		{"${env:V}", "value", ""},
		{"${env:NO:-d}", "d", ""},
		{"${env:V | value:x}", "value", ""},
		{"${env:NO | value:x y}", "x y", ""},
		{"${env:NO|value:x}", "x", ""},
		{"$env:V", "value", ""},
		{"$env:V/x", "value/x", ""},
		{"${input:key}", "entered", ""},
		{"${NESTED}", "${V}", ""}, // values are not expanded
		{"$V", "$V", ""},
		{"$", "$", ""},
		{"${V", "${V", ""},
		{"$env:", "$env:", ""},
		{"100 $ and ${V}", "100 $ and value", ""},
		{"${NO}", "", `"args" needs the variable "NO", which is not set`},
		{"${env:NO}", "", `"args" needs the variable "NO", which is not set`},
		{"$env:NO", "", `"args" needs the variable "NO", which is not set`},
		{"${}", "", `"args" needs the variable "", which is not set`},
		{"${input:other}", "", `"args" asks for the input "other": canceled`},
		{"~", "/home/me", ""},
		{"~/x/${V}", "/home/me/x/value", ""},
		{"~other", "~other", ""},
		{"x~", "x~", ""},
	} {
		s := &config.Server{Type: config.Stdio, Command: "run", Args: []string{test.text}}
		got, err := s.Expand(t.Context(), vars)
		switch {
		case test.err != "":
			if err == nil || err.Error() != test.err {
				t.Errorf("%s: error %v, want %s", test.text, err, test.err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.text, err)
		case got.Args[0] != test.want:
			t.Errorf("%s: have %q, want %q", test.text, got.Args[0], test.want)
		}
		if s.Args[0] != test.text {
			t.Errorf("%s: the original was changed to %q", test.text, s.Args[0])
		}
	}
}

func TestExpandEveryField(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "env")
	if err := os.WriteFile(file, []byte("# comment\n\nexport A=1\nB = \"two words\"\nC='$V'\nD=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &config.Server{Command: "~/bin/${V}", Dir: "${V}", EnvFiles: []string{file}, Env: []string{"A=${V}", "V", "NO"}}
	got, err := s.Expand(t.Context(), vars)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A=1", "B=two words", "C=$V", "D=", "A=value", "V=value"}; !slices.Equal(got.Env, want) {
		t.Errorf("have %q, want %q", got.Env, want)
	}
	if got.Command != "/home/me/bin/value" || got.Dir != "value" {
		t.Errorf("%+v", got)
	}
	remote := &config.Server{URL: "https://${V}/", Headers: map[string]string{"X": "${V}"},
		Auth: config.Auth{Type: "bearer", Token: "${TOKEN}"}}
	if got, err = remote.Expand(t.Context(), vars); err != nil {
		t.Fatal(err)
	}
	if got.URL != "https://value/" || got.Headers["X"] != "value" || got.Headers["Authorization"] != "Bearer s3cret-token" {
		t.Errorf("%+v", got)
	}
	remote.Auth = config.Auth{Type: "apikey", Token: "${TOKEN}"}
	if got, err = remote.Expand(t.Context(), vars); err != nil || got.Headers["X-API-Key"] != "s3cret-token" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestExpandErrors(t *testing.T) {
	for want, s := range map[string]*config.Server{
		`"headers" must have no line breaks in the value of "A"`: {URL: "https://h/", Headers: map[string]string{"A": "${CRLF}"}},
		`"auth" must have no line breaks`:                        {URL: "https://h/", Auth: config.Auth{Type: "bearer", Token: "${CRLF}"}},
		`"envFile" open`:                                         {Command: "run", EnvFiles: []string{filepath.Join(t.TempDir(), "absent")}},
		`"env" must have no NUL`:                                 {Command: "run", Env: []string{"A=\x00"}},
		`"url" needs the variable "NO"`:                          {URL: "${NO}"},
	} {
		if _, err := s.Expand(t.Context(), vars); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	s := &config.Server{Command: "${input:key}"}
	if _, err := s.Expand(t.Context(), nil); err == nil || !strings.Contains(err.Error(), `the input "key", but Vars.Input is nil`) {
		t.Errorf("without Input: %v", err)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	s := &config.Server{
		Command: "run", Args: []string{"--api-key", "arg-secret", "--token=arg-secret", "postgres://me:arg-secret@db/x", "https://me:arg-secret@h/?key=arg-secret", "ghp_arg-secret", "plain", "${TOKEN}"},
		Env: []string{"KEY=env-secret", "NAME"}, URL: "https://me:url-secret@h/p?key=url-secret",
		Headers: map[string]string{"Authorization": "Bearer head-secret"},
		Auth:    config.Auth{Token: "auth-secret", OAuth: config.OAuth{ClientSecret: "auth-secret"}},
	}
	p := s.Public()
	text := strings.Join(append(append(p.Args, p.Env...), p.URL, p.Headers["Authorization"], p.Auth.Token, p.Auth.OAuth.ClientSecret), " ")
	if strings.Contains(text, "secret") || !strings.Contains(text, "plain ${TOKEN}") || !strings.Contains(text, "KEY=***") {
		t.Errorf("public: %s", text)
	}
	x, err := s.Expand(t.Context(), vars)
	if err != nil {
		t.Fatal(err)
	}
	hidden := x.Hide(`arg-secret s3cret-token env-secret url-secret "Bearer head-secret" head-secret auth-secret run`)
	if strings.Contains(strings.ReplaceAll(hidden, "s3cret", "secret"), "secret") || !strings.HasSuffix(hidden, " run") {
		t.Errorf("hidden: %s", hidden)
	}
}

// collect adds all keys and strings of a value to words.
func collect(v any, words map[string]bool) {
	words[""] = true
	switch v := v.(type) {
	case string:
		words[v] = true
	case []any:
		for _, v := range v {
			collect(v, words)
		}
	case map[string]any:
		for key, v := range v {
			words[key] = true
			collect(v, words)
		}
	}
}

// A user may have written a secret value where a name belongs. Errors do not
// quote it.
func TestErrorsDoNotQuoteSecretNames(t *testing.T) {
	for entry, want := range map[string]string{
		`{"url":"https://h/","headers":{"Authorization: Bearer s3cret":""}}`: `"headers" has an invalid header name: "Authorization"...`,
		`{"url":"https://h/","headers":{"\r\ns3cret":""}}`:                   `"headers" has an invalid header name: ""...`,
		`{"command":"run","env":{"KEY=s3cret":""}}`:                          `"env" has an invalid variable name: "KEY"...`,
		`{"command":"run","env":["=s3cret"]}`:                                `"env" [0] must be KEY=value`,
		`{"url":"https://h/","bearer_token_env_var":"Bearer s3cret"}`:        `"bearer_token_env_var" must be the name of a variable`,
	} {
		if s, problems := one(t, entry); s != nil || len(problems) != 1 || !strings.Contains(problems[0], want) || strings.Contains(problems[0], "s3cret") {
			t.Errorf("%s: %q, want %s", entry, problems, want)
		}
	}
	for text, want := range map[string]string{
		"${KEY:=s3cret}": `"args" needs the variable "KEY"..., which is not set`, "${KEY-s3cret}": `"args" needs the variable "KEY"..., which is not set`,
	} {
		s := &config.Server{Command: "run", Args: []string{text}}
		if _, err := s.Expand(t.Context(), vars); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		`{"mcpServers":{"x":{"command":"run","args":["a"],"env":{"A":"${B:-c}"}}}}`,
		`{"servers":{"x":{"type":"http","url":"https://h/","headers":{"A":"b"}}},}`,
		`{"servers":{},"inputs":[{"id":"key","password":true,"options":["a"]}],"mcp":{"inputs":[]}}`,
		`{"x":{"command":["a","b"]},"x":{"url":""}}`, `// c
		{"mcp":{"servers":{"x":{"transport":{"type":"sse","url":"u"},"timeout":30,"tools":[]}}}}`,
		`{"tools":{"mcp":{"servers":{"":{},"a":null}}}}`, `{"mcp_servers":{"a":{"bearer_token_env_var":"T","url":"u","oauth":{"scopes":"a"}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := config.Parse(text, "f", "s")
		words := make(map[string]bool) // keys and strings that encoding/json finds
		var whole any
		if utf8.Valid(text) && json.Unmarshal(text, &whole) == nil {
			collect(whole, words)
		}
		for _, s := range c.Servers {
			for _, word := range append(s.Args, s.Name, s.Command, s.URL) {
				if whole != nil && !words[word] {
					t.Errorf("%q contains no %q", text, word)
				}
			}
			if s.Name == "" || s.Type == config.Stdio && (s.Command == "" || s.URL != "") {
				t.Errorf("%q becomes %+v", text, s)
			}
			if !s.Equal(s) {
				t.Errorf("%q: not equal to itself", text)
			}
			s.Public()
			if x, err := s.Expand(t.Context(), &config.Vars{Lookup: func(string) (string, bool) { return "", false }, Home: "h"}); err == nil {
				x.Hide("text")
			}
		}
		if in, err := c.Input("key"); (in == nil) != (err != nil) || in != nil && in.ID != "key" {
			t.Errorf("%q: the input is %+v, %v", text, in, err)
		}
		for _, p := range c.Problems {
			if p.Line > 1+strings.Count(string(text), "\n") {
				t.Errorf("%q: a problem on line %d", text, p.Line)
			}
			if p.Error() == "" || p.Err == nil {
				t.Errorf("%q: an empty problem", text)
			}
		}
		// A leading comment changes nothing.
		again := config.Parse(append([]byte("// comment\n"), text...), "f", "s")
		if len(again.Servers) != len(c.Servers) && len(text) > 0 && text[0] != 0xEF {
			t.Errorf("%q: %d servers, and %d after a comment", text, len(c.Servers), len(again.Servers))
		}
	})
}

func TestLiteralSettingsHaveNoVariables(t *testing.T) {
	t.Parallel()
	const odd = "pa${ss}$env:X${input:y}"
	s := &config.Server{
		Command: "~/bin/server", Args: []string{"${V}"}, Env: []string{"KEY=" + odd}, Headers: map[string]string{"X-Key": "${V}"},
		Auth: config.Auth{Type: config.AuthBearer, Token: "${V}"}, Literal: true,
	}
	got, err := s.Expand(t.Context(), vars)
	if err != nil {
		t.Fatal(err)
	}
	if got.Command != "/home/me/bin/server" || got.Args[0] != "${V}" || got.Env[0] != "KEY="+odd || got.Headers["Authorization"] != "Bearer ${V}" {
		t.Errorf("%q %q %q %q", got.Command, got.Args, got.Env, got.Headers)
	}
	if text := got.Hide("failed with " + odd); strings.Contains(text, "pa$") {
		t.Error(text)
	}
	p := s.Public()
	for _, text := range []string{p.Env[0], p.Headers["X-Key"], p.Auth.Token, strings.Join(s.Effects(), "\n")} {
		if strings.Contains(text, "$") && !strings.Contains(text, "runs ") {
			t.Errorf("a secret shows in %q", text)
		}
	}
	if effects := strings.Join(s.Effects(), "\n"); strings.Contains(effects, "uses the values") {
		t.Error(effects)
	}
	if other := *s; s.Equal(&other) {
		if other.Literal = false; s.Equal(&other) {
			t.Error("settings that mean something else are equal")
		}
	}
}

// A file may have 4 MiB of dollar signs; to expand them takes a moment, not hours.
func TestManyDollarSigns(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{"$", "${"} {
		text := strings.Repeat(sign, 4<<20/len(sign))
		s, err := (&config.Server{Command: text}).Expand(t.Context(), vars)
		if err != nil || s.Command != text {
			t.Errorf("%v, %d bytes", err, len(s.Command))
		}
	}
}

// TestPartsOfSecretValues: a program may quote a part of the value that it has received.
func TestPartsOfSecretValues(t *testing.T) {
	s := &config.Server{Command: "run", Literal: true, Env: []string{
		"DATABASE_URL=postgresql://me:p%40ss-word@db/x",
		"OPTIONS=--verbose --api-key=opt-secret",
		"PEM=-----BEGIN KEY-----\nfirst-line-of-it\nlast-line-of-it\n-----END KEY-----\n",
		`ACCOUNT={"name":"n","private_key":"-----BEGIN KEY-----\nline-in-json\n"}`,
		"FILE=from-a-file\n",
	}}
	x, err := s.Expand(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"p@ss-word", "p%40ss-word", "opt-secret", "first-line-of-it", "last-line-of-it", "line-in-json", "from-a-file"} {
		if got := x.Hide("no " + text + "!"); got != "no ***!" {
			t.Errorf("%q: %q", text, got)
		}
	}
	if n := testing.AllocsPerRun(10, func() { x.Hide("a text that has nothing to hide") }); n > 0 {
		t.Errorf("a text without secrets takes %v allocations", n)
	}
}

// TestExpandedServerIsPublicWithoutValues: [config.Server.Public], and the methods that
// print with it, show no value of a variable in any field.
func TestExpandedServerIsPublicWithoutValues(t *testing.T) {
	for _, s := range []*config.Server{
		{Command: "run", Args: []string{"${TOKEN}", "db=${TOKEN};x"}},
		{Command: "${TOKEN}", Dir: "/a/${TOKEN}"},
		{URL: "https://h.example/${TOKEN}/mcp"},
		{URL: "https://${TOKEN}.example/mcp"},
		{Type: config.ClaudeAIProxy, URL: "https://h.example", ID: "${TOKEN}"},
		{URL: "https://h.example", Auth: config.Auth{Type: config.AuthOAuth, OAuth: config.OAuth{ClientID: "${TOKEN}", RedirectURI: "http://localhost/${TOKEN}"}}},
	} {
		x, err := s.Expand(t.Context(), vars)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(x)
		if shown := string(text) + x.String() + fmt.Sprintf("%#v", *x); err != nil || strings.Contains(shown, "s3cret") || !strings.Contains(shown, "***") {
			t.Errorf("%s: %s, %v", s, shown, err)
		}
		if text, err := x.Public().RevealJSON(); err == nil {
			t.Errorf("%s is revealed", text)
		}
	}
}
