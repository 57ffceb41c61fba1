package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestMarshaledServersAreReadBack(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{
		`{"type":"stdio","command":"npx","args":["-y","a b"],"cwd":"/x","env":{"A":"${A}","B":"${env:B}"},"envFile":["one.env"],"inheritEnv":true}`,
		`{"type":"stdio","command":"run","env":["A","B=${B}"],"lazy":true,"serial":true,"required":true,"disabled":true}`,
		`{"url":"https://h/","headers":{"X":"${KEY}"},"timeout":"1500ms","connectTimeout":"90s","max_retries":-1,"maxResultText":9}`,
		`{"type":"sse","url":"https://h/","auth":{"type":"oauth","clientId":"c","clientSecret":"${S}","scopes":["a","b"],"callbackPort":1,"redirectUri":"http://localhost/"}}`,
		`{"type":"http","url":"https://h/","auth":{"type":"bearer","token":"${T}"},"includeTools":[],"excludeTools":["a*"],"autoApprove":["b"],"deferred":false}`,
		`{"type":"sdk","id":"other","includeTools":["a"],"title":"T","description":"D"}`,
		`{"type":"claudeai-proxy","url":"https://h/","id":"x"}`,
	} {
		c := config.Parse([]byte(`{"mcpServers":{"x":`+entry+`}}`), "", "")
		if len(c.Problems) > 0 {
			t.Fatalf("%s: %v", entry, c.Problems)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again := config.Parse(text, "", "")
		if len(again.Problems) > 0 || !again.Server("x").Equal(c.Server("x")) {
			t.Errorf("%s\nbecomes %s, %v", entry, text, again.Problems)
		}
	}
}

func TestMarshaledServersHaveNoSecrets(t *testing.T) {
	t.Parallel()
	c := config.Parse([]byte(`{"mcpServers":{
		"a":{"command":"run","args":["--token=hunter2","--api-key","hunter2"],"env":{"K":"hunter2"}},
		"b":{"url":"https://user:hunter2@h/?k=hunter2","headers":{"X":"hunter2"}},
		"c":{"url":"https://h/","auth":{"type":"bearer","token":"hunter2"}},
		"d":{"url":"https://h/","oauth":{"clientId":"c","clientSecret":"hunter2"}}}}`), "", "")
	text, err := json.Marshal(c)
	if err != nil || len(c.Servers) != 4 || strings.Contains(string(text), "hunter2") {
		t.Errorf("%s, %v", text, err)
	}
	for _, s := range c.Servers {
		if strings.Contains(s.String(), "hunter2") {
			t.Errorf("%s", s)
		}
	}
	if got := c.Server("a").String(); got != "a: run --token=*** --api-key ***" {
		t.Errorf("%s", got)
	}
}

// TestRevealedServersAreReadBack: a file that RevealJSON wrote has all settings.
func TestRevealedServersAreReadBack(t *testing.T) {
	t.Parallel()
	c := config.Parse([]byte(withSecrets), "", "")
	text, err := c.RevealJSON()
	if err != nil || strings.Count(string(text), "hunter2") != 10 {
		t.Fatalf("%s, %v", text, err)
	}
	again := config.Parse(text, "", "")
	for _, s := range c.Servers {
		var decoded config.Server
		entry, err := s.RevealJSON()
		if err == nil {
			err = json.Unmarshal(entry, &decoded)
		}
		decoded.Name = s.Name
		if err != nil || !again.Server(s.Name).Equal(s) || !decoded.Equal(s) {
			t.Errorf("%s becomes %s, %v, %v", s, entry, err, again.Problems)
		}
	}
}

// TestMaskedServersAreNotReadBack: what reports show never becomes a setting.
func TestMaskedServersAreNotReadBack(t *testing.T) {
	t.Parallel()
	c := config.Parse([]byte(withSecrets), "", "")
	text, err := json.Marshal(*c)
	if err != nil {
		t.Fatal(err)
	}
	if again := config.Parse(text, "", ""); len(again.Servers) != 0 || len(again.Problems) != len(c.Servers) {
		t.Errorf("%s becomes %v, %v", text, again.Servers, again.Problems)
	}
	for _, s := range c.Servers {
		entry, err := json.Marshal(*s)
		decoded := config.Server{Name: "a"}
		if err != nil || json.Unmarshal(entry, &decoded) == nil || decoded.Name != "a" || decoded.Command+decoded.URL != "" {
			t.Errorf("%s becomes %s, %v", entry, &decoded, err)
		}
		if text, err := s.Public().RevealJSON(); err == nil {
			t.Errorf("%s is revealed", text)
		}
	}
	public := config.Config{Servers: []*config.Server{c.Servers[0].Public(), nil}}
	if text, err := public.RevealJSON(); err == nil {
		t.Errorf("%s is revealed", text)
	}
}

const withSecrets = `{"mcpServers":{
	"a":{"command":"run","args":["--token=hunter2","--api-key","hunter2"],"custom":1},
	"b":{"command":"run","env":{"K":"hunter2"}},
	"c":{"url":"https://user:hunter2@h/"},
	"d":{"url":"https://h/?k=hunter2"},
	"e":{"url":"https://h/","headers":{"X":"hunter2"}},
	"f":{"url":"https://h/","auth":{"type":"bearer","token":"hunter2"}},
	"g":{"url":"https://h/","oauth":{"clientId":"c","clientSecret":"hunter2"}},
	"h":{"command":"run","overrides":{"t":{"arguments":{"key":"hunter2"}}}},
	"i":{"command":"run","args":["postgresql://u:hunter2@h/db"]}}}`

func ExampleServer_RevealJSON() {
	key := "s3cret" // from the keychain of the system
	s := config.Server{Command: "npx", Env: []string{"API_KEY=" + key}}
	text, err := s.RevealJSON()
	fmt.Println(string(text), err)
	text, err = json.Marshal(s)
	fmt.Println(string(text), err)
	fmt.Println(json.Unmarshal(text, &s))
	// Output:
	// {"command":"npx","env":{"API_KEY":"s3cret"}} <nil>
	// {"command":"npx","env":{"API_KEY":"***"}} <nil>
	// a secret is masked (***): enter it again, and write files with RevealJSON
}

func ExampleConfig_All() {
	c := config.Parse([]byte(`{"servers": {"good": {"command": "npx"}, "bad": {"command": 7}}}`), "servers.json", "user")
	for _, s := range c.All() {
		fmt.Println(s.Name, s.Invalid)
	}
	// Output:
	// good <nil>
	// bad servers.json:1: server "bad": "command" must be a string or a list of strings, not a number
}

// TestPublicHidesSecretsOfAddresses: no address of a login shows a user or a query.
func TestPublicHidesSecretsOfAddresses(t *testing.T) {
	const secret = "https://u:hunter22@h.example/a?q=hunter22"
	s := &config.Server{Name: "a", URL: secret, Auth: config.Auth{Type: config.AuthOAuth, Header: secret, OAuth: config.OAuth{
		Issuer: secret, IssuerInMetadata: secret, Resource: secret, AuthorizationURL: secret, TokenURL: secret, RedirectURI: secret, Account: secret,
	}}}
	text, err := s.MarshalJSON()
	if err != nil || strings.Contains(string(text), "hunter22") || strings.Count(string(text), "https://***@h.example/a?...") != 9 {
		t.Errorf("%s, %v", text, err)
	}
	if o := s.Auth.OAuth; o.Issuer != secret || o.Resource != secret {
		t.Errorf("Public changed the server: %+v", o)
	}
}
