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

func ExampleConfig_All() {
	c := config.Parse([]byte(`{"servers": {"good": {"command": "npx"}, "bad": {"command": 7}}}`), "servers.json", "user")
	for _, s := range c.All() {
		fmt.Println(s.Name, s.Invalid)
	}
	// Output:
	// good <nil>
	// bad servers.json:1: server "bad": "command" must be a string or a list of strings, not a number
}
