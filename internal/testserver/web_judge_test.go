package testserver

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestLegacyRefusals(t *testing.T) {
	const revision = "2025-11-25"
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for _, test := range []struct {
		name, method, headers, body string
		status                      int
		violation                   string // empty if there is none
	}{
		{"as it should be", "POST", version(revision), ping, 200, ""},
		{"no session id", "POST", version(revision) + "Mcp-Session-Id:", ping, 400, "without Mcp-Session-Id"},
		{"no session id to listen", "GET", version(revision) + "Mcp-Session-Id:", "", 400, "without Mcp-Session-Id"},
		{"no session id to delete", "DELETE", version(revision) + "Mcp-Session-Id:", "", 400, "without Mcp-Session-Id"},
		{"an invented session id", "POST", version(revision) + "Mcp-Session-Id: x", ping, 404, "never gave"},
		{"no version", "POST", "", ping, 200, "without Mcp-Protocol-Version"},
		{"no version to delete", "DELETE", "", "", 204, "without Mcp-Protocol-Version"},
		{"another version", "POST", version("2025-06-18"), ping, 200, "was settled"},
		{"an unknown version", "POST", version("2025-01-01"), ping, 400, "was settled"},
		{"no Accept", "POST", version(revision) + "Accept:", ping, 406, "Accept"},
		{"half an Accept", "POST", version(revision) + "Accept: text/event-stream", ping, 406, "Accept"},
		{"Accept with parameters", "POST", version(revision) + "Accept: text/event-stream;q=0.5, Application/JSON", ping, 200, ""},
		{"listening to JSON", "GET", version(revision) + "Accept: application/json", "", 406, "lacks text/event-stream"},
		{"no content type", "POST", version(revision) + "Content-Type:", ping, 415, "Content-Type"},
		{"a charset", "POST", version(revision) + "Content-Type: application/json; charset=utf-8", ping, 200, ""},
		{"initialize with a session", "POST", "", initialize, 200, "initialize with a session id"},
		{"a batch", "POST", version(revision), "[" + ping + "]", 400, "a batch"},
		{"no JSON", "POST", version(revision), "{", 400, "unexpected end"},
		{"a null id", "POST", version(revision), `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "message.id"},
		{"an answer to nothing", "POST", version(revision), `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, "to nothing that was asked"},
		{"an id that is used again", "POST", version(revision), `{"jsonrpc":"2.0","id":0,"method":"ping"}`, 200, "used again"},
		{"a cancellation that overtakes", "POST", version(revision),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, 202, ""},
		{"an event that never was", "GET", version(revision) + "Last-Event-ID: x", "", 400, "no event of this session"},
		{"another method", "PUT", version(revision), ping, 405, "PUT"},
		{"another origin", "POST", version(revision) + "Origin: http://evil.example", ping, 403, ""},
		{"a name that DNS was made to give this server", "POST", version(revision) + "Origin: http://server1.test:80", ping, 403, ""},
		{"a welcome origin", "POST", version(revision) + "Origin: https://app.example", ping, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{InMemory: true, Origins: []string{"https://app.example"}})
			p.initialize(revision)
			resp := p.do(test.method, p.web.URL, test.headers, test.body)
			if body := p.text(resp); resp.StatusCode != test.status {
				t.Error(resp.Status, body)
			}
			if test.violation == "" {
				p.lawful()
			} else {
				p.guilty(test.violation)
			}
		})
	}
}

func TestBatches(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.initialize("2025-03-26")
	status, body := p.post("", "["+toolCall(1, "echo", hi)+`,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if status != 200 || !strings.HasPrefix(body, `[{"jsonrpc":"2.0","id":1,`) || !strings.HasSuffix(body, `{"jsonrpc":"2.0","id":2,"result":{}}]`) {
		t.Error(status, body)
	}
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	if status, body := p.post("", "["+cancelled+","+cancelled+"]"); status != 202 || body != "" {
		t.Error(status, body)
	}
	p.lawful()
	p.post("", "["+cancelled+`,{"jsonrpc":"2.0","id":1,"result":{}}]`)
	p.guilty("a batch of answers and other messages")
}

func TestDeletedSessionIsUsedAgain(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.initialize("2025-11-25")
	p.do("DELETE", p.web.URL, version("2025-11-25"), "")
	if status, _ := p.post(version("2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); status != 404 {
		t.Error(status)
	}
	p.lawful() // it may have been on its way
	if status, _ := p.post(version("2025-11-25"), toolCall(1, "echo", hi)); status != 404 {
		t.Error(status)
	}
	p.guilty("has deleted")
}

func TestWhatTheModernEraHasNot(t *testing.T) {
	for _, test := range []struct {
		name, method, body string
		status             int
		violation          string
	}{
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, "has no notifications"},
		{"an answer", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, "an answer in the modern era"},
		{"a batch", "POST", "[]", 400, "a batch"},
		{"listening", "GET", "", 405, "GET in the modern era"},
		{"ending a session", "DELETE", "", 405, "DELETE in the modern era"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{InMemory: true})
			resp := p.do(test.method, p.web.URL, version("2026-07-28"), test.body)
			if body := p.text(resp); resp.StatusCode != test.status {
				t.Error(resp.Status, body)
			}
			p.guilty(test.violation)
		})
	}
}

func encoded(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func TestMirroredParameters(t *testing.T) {
	for _, test := range []struct {
		args, headers string
		violation     string
	}{
		{`{}`, "", ""},
		{`{"text":"us-west1","count":42,"flag":false}`, "Mcp-Param-Text: us-west1\nMcp-Param-Count: 42\nMCP-PARAM-FLAG: false", ""},
		{`{"where":{"region":"a b"},"plain":"x"}`, "Mcp-Param-Where-Region: a b", ""},
		{`{"where":{"x-mcp-header":"x"},"x-mcp-header":"y"}`, "Mcp-Param-X!#$%&'*+.^_|~: y", ""},
		{`{"text":"Hello, 世界"}`, "Mcp-Param-Text: " + encoded("Hello, 世界"), ""},
		{`{"text":" padded "}`, "Mcp-Param-Text: " + encoded(" padded "), ""},
		{`{"text":"a\nb"}`, "Mcp-Param-Text: " + encoded("a\nb"), ""},
		{`{"text":""}`, "Mcp-Param-Text: =?base64??=", ""},
		{`{"text":"=?base64?literal?="}`, "Mcp-Param-Text: " + encoded("=?base64?literal?="), ""},
		{`{"text":"=?base64?="}`, "Mcp-Param-Text: =?base64?=", ""},
		{`{"text":null,"count":null}`, "", ""},
		{`{"count":42.0}`, "Mcp-Param-Count: 42", ""},
		{`{"count":-9007199254740991}`, "Mcp-Param-Count: -9007199254740991", ""},
		{`{"count":42}`, "Mcp-Param-Count: 42.0", "no decimal integer"},
		{`{"text":"x"}`, "", "there 0 times"},
		{`{"text":"x"}`, "Mcp-Param-Text: y", "does not match"},
		{`{"text":null}`, "Mcp-Param-Text: null", "without a value"},
		{`{}`, "Mcp-Param-Count: 0", "without a value"},
		{`{"text":"Hello, 世界"}`, "Mcp-Param-Text: Hello, 世界", "not encoded"},
		{`{"text":" padded "}`, "Mcp-Param-Text:  padded ", "does not match"},
		{`{"text":"=?base64?literal?="}`, "Mcp-Param-Text: =?base64?literal?=", "not encoded"},
		{`{"text":"é"}`, "Mcp-Param-Text: =?base64?6Q==?=", "not encoded"},
		{`{"flag":true}`, "Mcp-Param-Flag: True", "does not match"},
		{`{"count":1}`, "Mcp-Param-Count: 2", "does not match"},
	} {
		t.Run(test.args+test.headers, func(t *testing.T) {
			p := start(t, &Options{Mirror: true}, &HTTPOptions{InMemory: true})
			headers, body := modern(1, "tools/call", "mirror", `"arguments":`+test.args)
			status, got := p.post(headers+test.headers, body)
			if test.violation == "" {
				p.lawful()
			} else {
				p.guilty(test.violation)
			}
			if refused := test.violation != "" && test.violation != "no decimal integer"; refused != (status == 400) ||
				refused != strings.Contains(got, `"code":-32020`) {
				t.Error(status, got)
			}
		})
	}
}

func TestNamesAreEncoded(t *testing.T) {
	for name, violation := range map[string]string{"echo://greeting/世界": "not encoded", encoded("echo://greeting/世界"): ""} {
		p := start(t, nil, &HTTPOptions{InMemory: true})
		headers, body := modern(1, "resources/read", "echo://greeting/世界", "")
		status, got := p.post(headers+"Mcp-Name: "+name, body)
		if violation == "" {
			p.lawful()
			if status != 200 || !strings.Contains(got, "Hello, 世界!") {
				t.Error(status, got)
			}
		} else {
			p.guilty(violation)
		}
	}
}

// Whoever follows a redirect to another origin is found out.
func TestElsewhereIsWatched(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.client.CheckRedirect = nil
	headers := version("2025-11-25") + "Authorization: Bearer secret\nMcp-Session-Id: secret\nX-Other: 1"
	p.text(p.do("POST", p.web.Foreign+"/mcp", headers, toolCall(1, "echo", hi)))
	for _, what := range []string{"Authorization was sent", "Mcp-Session-Id was sent", "a message was sent"} {
		p.guilty(what)
	}
	seen := p.web.Elsewhere()
	if len(seen) != 1 || seen[0].Method != "POST" || seen[0].URL != "/mcp" || seen[0].Header.Get("X-Other") != "1" {
		t.Error(seen)
	}
	if n := len(p.web.Requests()); n != 0 {
		t.Error(n, "requests here")
	}
}
