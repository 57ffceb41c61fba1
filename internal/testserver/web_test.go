package testserver

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

var inMemory = &HTTPOptions{InMemory: true}

func TestLegacyRefusals(t *testing.T) {
	for _, test := range []struct {
		name, method, headers, body string
		status                      int
		violation                   string // empty if there is none
	}{
		{"valid", "POST", "", ping, 200, ""},
		{"no session id", "POST", "Mcp-Session-Id:", ping, 400, "without Mcp-Session-Id"},
		{"no session id in GET", "GET", "Mcp-Session-Id:", "", 400, "without Mcp-Session-Id"},
		{"no session id in DELETE", "DELETE", "Mcp-Session-Id:", "", 400, "without Mcp-Session-Id"},
		{"an invented session id", "POST", "Mcp-Session-Id: x", ping, 404, "never assigned"},
		{"no version", "POST", "Mcp-Protocol-Version:", ping, 200, "without Mcp-Protocol-Version"},
		{"no version in DELETE", "DELETE", "Mcp-Protocol-Version:", "", 204, "without Mcp-Protocol-Version"},
		{"another version", "POST", version("2025-06-18"), ping, 200, "was negotiated"},
		{"an unknown version", "POST", version("2025-01-01"), ping, 400, "was negotiated"},
		{"no Accept", "POST", "Accept:", ping, 406, "Accept"},
		{"half of Accept", "POST", "Accept: text/event-stream", ping, 406, "Accept"},
		{"Accept with parameters", "POST", "Accept: text/event-stream;q=0.5, Application/JSON", ping, 200, ""},
		{"GET of JSON", "GET", "Accept: application/json", "", 406, "lacks text/event-stream"},
		{"no content type", "POST", "Content-Type:", ping, 415, "Content-Type"},
		{"a charset", "POST", "Content-Type: application/json; charset=utf-8", ping, 200, ""},
		{"initialize in a session", "POST", "Mcp-Protocol-Version:", initialize, 200, "initialize with a session id"},
		{"a batch", "POST", "", "[" + ping + "]", 400, "a batch"},
		{"no JSON", "POST", "", "{", 400, "unexpected end"},
		{"a null id", "POST", "", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "message.id"},
		{"a response to nothing", "POST", "", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, "no request of the server"},
		{"an id used twice", "POST", "", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, 200, "used again"},
		{"an early cancellation", "POST", "", cancelled, 202, ""},
		{"an unknown event", "GET", "Last-Event-ID: x", "", 400, "not an event of this session"},
		{"another method", "PUT", "", ping, 405, "PUT"},
		{"another origin", "POST", "Origin: http://evil.example", ping, 403, ""},
		{"the attacker's name for this server", "POST", "Origin: http://server1.test:80", ping, 403, ""},
		{"a notification of the modern era", "POST", version("2026-07-28"), cancelled, 202, "no client notifications"},
		{"a response of the modern era", "POST", version("2026-07-28"), `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, "a response in the modern era"},
		{"a batch of the modern era", "POST", version("2026-07-28"), "[]", 400, "a batch"},
		{"GET of the modern era", "GET", version("2026-07-28"), "", 405, "GET in the modern era"},
		{"DELETE of the modern era", "DELETE", version("2026-07-28"), "", 405, "DELETE in the modern era"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, inMemory)
			p.initialize("2025-11-25")
			p.want(test.method, "/mcp", version("2025-11-25")+test.headers, test.body, test.status, "")
			p.wantViolation(test.violation)
		})
	}
}

func TestModernRefusals(t *testing.T) {
	for _, test := range []struct {
		name, headers, from, to string
		status                  int
		want, violation         string
	}{
		{"unknown version", version("2099-01-01"), "2026-07-28", "2099-01-01", 400, `"code":-32022`, ""},
		{"unknown method", "Mcp-Method: no/such", "tools/list", "no/such", 404, `"code":-32601`, "Method not found"},
		{"no version header", "Mcp-Protocol-Version:", "", "", 400, `"code":-32020`, "sent 0 times"},
		{"another version", version("2025-11-25"), "", "", 400, `"code":-32020`, "does not match"},
		{"no method header", "Mcp-Method:", "", "", 400, `"code":-32020`, "Mcp-Method"},
		{"another method", "Mcp-Method: Tools/list", "", "", 400, `"code":-32020`, "Mcp-Method"},
		{"no capabilities", "", "clientCapabilities", "other", 400, `"code":-32602`, "clientCapabilities"},
		{"a session id", "Mcp-Session-Id: x", "", "", 200, `"tools":[`, "Mcp-Session-Id in the modern era"},
		{"last event", "Last-Event-ID: x", "", "", 200, `"tools":[`, "Last-Event-Id in the modern era"},
		{"no JSON type", "Content-Type: text/plain", "", "", 415, "", "Content-Type"},
		{"half of Accept", "Accept: application/json", "", "", 406, "", "Accept"},
		{"any Accept", "Accept: */*", "", "", 406, "", "Accept"},
		{"an origin", "Origin: http://evil.example", "", "", 403, "", ""},
		{"no JSON", "", `{"jsonrpc`, `,`, 400, `"code":-32700`, "expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, inMemory)
			headers, body := modern(1, "tools/list", "", "")
			p.wantPost(headers+test.headers, strings.Replace(body, test.from, test.to, 1), test.status, test.want)
			p.wantViolation(test.violation)
		})
	}
}

func TestUnservedPaths(t *testing.T) {
	onlyModern := []string{"2026-07-28"}
	for _, test := range []struct {
		versions     []string
		o            HTTPOptions
		method, path string
		status       int
	}{
		{nil, HTTPOptions{StreamableOnly: true}, "GET", "/sse", 404},
		{nil, HTTPOptions{StreamableOnly: true}, "POST", "/message", 404},
		{onlyModern, HTTPOptions{}, "GET", "/sse", 404},
		{nil, HTTPOptions{SSEOnly: true}, "POST", "/mcp", 404},
		{nil, HTTPOptions{SSEOnly: true}, "POST", "/sse", 405},
		{onlyModern, HTTPOptions{}, "GET", "/mcp", 405},
		{onlyModern, HTTPOptions{}, "DELETE", "/mcp", 405},
		{nil, HTTPOptions{}, "GET", "/", 404},
	} {
		test.o.InMemory = true
		start(t, &Options{ProtocolVersions: test.versions}, &test.o).want(test.method, test.path, "", "", test.status, "")
	}
}

// A page whose host name was made to resolve to this machine is refused, whether
// it sends an origin or not.
func TestHostNameOfAnotherSite(t *testing.T) {
	p := start(t, nil, nil)
	for host, want := range map[string]int{
		"evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "localhost": 405, "127.0.0.1": 405, "[::1]": 405,
	} {
		p.want("PUT", "/mcp", "Host: "+host+":80\n", "", want, "")
	}
	p.wantViolation("a method that MCP does not use")
	headers, body := modern(1, "tools/list", "", "")
	p.wantPost(headers+"Origin: "+p.web.Base, body, 200, "")
}

// open sends a request whose response is a stream, and returns a function that
// returns the data of the next event that has any.
func (p *peer) open(method, headers, body string) (resp *http.Response, nextData func() string) {
	resp, err := p.do(method, p.web.URL, headers, body)
	testutil.Must(p.t, err)
	r := bufio.NewReader(resp.Body)
	return resp, func() string {
		for {
			line, err := r.ReadString('\n')
			testutil.Must(p.t, err)
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "\n" || line == ": still here\n" {
				return strings.TrimSpace(data)
			}
		}
	}
}

// Legacy servers send requests on the stream of GET if responses are JSON.
func TestServerRequestsBesideJSON(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: JSON})
	p.initialize("2025-11-25")
	stream, nextData := p.open("GET", version("2025-11-25"), "")
	defer stream.Body.Close()
	called := make(chan string, 1)
	go func() {
		called <- describe(p.do("POST", p.web.URL, version("2025-11-25"), toolCall(1, "ask_roots", "{}")))
	}()
	request := nextData()
	id, _, ok := strings.Cut(request, `,"method":"roots/list"`)
	if !ok {
		t.Fatal(request)
	}
	p.wantPost(version("2025-11-25"), id+`,"result":{"roots":[{"uri":"file:///x"}]}}`, 202, "")
	if got := <-called; !strings.Contains(got, "Content-Type: application/json") || !strings.Contains(got, "file:///x") {
		t.Error(got)
	}
	p.wantViolation("")
}

func TestSubscriptionBesideJSON(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: JSON, KeepAlive: time.Millisecond})
	headers, body := modern(1, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	resp, nextData := p.open("POST", headers, body)
	for _, want := range []string{"acknowledged", ": still here", "notifications/tools/list_changed"} {
		got := nextData()
		for got == ": still here" && got != want {
			got = nextData()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
		if want == ": still here" {
			headers, body := modern(2, "tools/call", "add_tool", "")
			p.wantPost(headers, body, 200, "")
		}
	}
	resp.Body.Close()
	if leaks := p.web.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	p.wantViolation("")
}

func TestStatelessServer(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Stateless: true, InMemory: true})
	for range 2 {
		p.initialize("2025-11-25")
		p.wantPost(version("2025-11-25"), toolCall(1, "echo", hi), 200, `"text":"hi"`)
		if p.want("DELETE", "/mcp", version("2025-11-25"), "", 405, ""); p.session != "" {
			t.Errorf("session id %q", p.session)
		}
	}
	p.wantViolation("")
	p.wantPost(version("2025-11-25")+"Mcp-Session-Id: x", ping, 200, "")
	p.wantViolation("never assigned")
}

func TestStormWaitsForItsReader(t *testing.T) {
	p := start(t, &Options{Fault: "notification-storm", Size: 30_000}, nil)
	headers, body := modern(1, "tools/call", "echo", `"arguments":`+hi)
	resp, err := p.do("POST", p.web.URL, headers, body)
	testutil.Must(t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if n := bytes.Count(got, []byte("notifications/message")); n != 30_000 || err != nil || !bytes.HasSuffix(got, []byte("}\n\n")) {
		t.Error(n, "notifications", err)
	}
}

func TestBatches(t *testing.T) {
	p := start(t, nil, inMemory)
	p.initialize("2025-03-26")
	p.wantPost("", "["+ping+`,{"jsonrpc":"2.0","id":2,"method":"ping"}]`, 200,
		`[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
	p.wantPost("", "["+cancelled+","+cancelled+"]", 202, "")
	p.wantViolation("")
	p.wantPost("", "["+cancelled+`,{"jsonrpc":"2.0","id":1,"result":{}}]`, 202, "")
	p.wantViolation("a batch of responses and other messages")
}

func TestDeletedSessionIsUsedAgain(t *testing.T) {
	p := start(t, nil, inMemory)
	p.initialize("2025-11-25")
	p.want("DELETE", "/mcp", version("2025-11-25"), "", 204, "")
	p.wantPost(version("2025-11-25"), cancelled, 404, "")
	p.wantViolation("") // it may have been sent before
	p.wantPost(version("2025-11-25"), ping, 404, "")
	p.wantViolation("has deleted")
}

func encoded(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func TestHeaderParameters(t *testing.T) {
	for _, test := range []struct{ args, headers, violation string }{
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
		{`{"count":42}`, "Mcp-Param-Count: 42.0", "not a decimal integer"},
		{`{"text":"x"}`, "", "sent 0 times"},
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
			p := start(t, &Options{HeaderTool: true}, inMemory)
			headers, body := modern(1, "tools/call", "mirror", `"arguments":`+test.args)
			if test.violation == "" || test.violation == "not a decimal integer" {
				p.wantPost(headers+test.headers, body, 200, `"content"`)
			} else {
				p.wantPost(headers+test.headers, body, 400, `"code":-32020`)
			}
			p.wantViolation(test.violation)
		})
	}
}

func TestEncodedNames(t *testing.T) {
	headers, body := modern(1, "resources/read", "echo://greeting/世界", "")
	p := start(t, nil, inMemory)
	p.wantPost(headers+"Mcp-Name: "+encoded("echo://greeting/世界"), body, 200, "Hello, 世界!")
	p.wantViolation("")
	p.wantPost(headers+"Mcp-Name: echo://greeting/世界", body, 400, "")
	p.wantViolation("not encoded")
}

func TestRequestsToAnotherOrigin(t *testing.T) {
	p := start(t, nil, inMemory)
	headers := version("2025-11-25") + "Authorization: Bearer secret\nMcp-Session-Id: secret\nX-Other: 1"
	describe(p.do("POST", p.srv.foreign+"/mcp", headers, toolCall(1, "echo", hi)))
	for _, what := range []string{"Authorization was sent", "Mcp-Session-Id was sent", "a message was sent"} {
		p.wantViolation(what)
	}
	seen := p.web.Elsewhere()
	if len(seen) != 1 || seen[0].Method != "POST" || seen[0].URL != "/mcp" || seen[0].Header.Get("X-Other") != "1" {
		t.Error(seen)
	}
	if n := len(p.web.Requests()); n != 0 {
		t.Error(n, "requests here")
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, nil, &HTTPOptions{InMemory: true, Latency: time.Second})
		begin := time.Now()
		headers, body := modern(1, "tools/list", "", "")
		p.wantPost(headers, body, 200, "")
		if took := time.Since(begin); took != time.Second || p.web.Requests()[0].At != begin {
			t.Error(took)
		}
	})
}
