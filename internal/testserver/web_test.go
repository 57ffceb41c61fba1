package testserver

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A peer is an HTTP client that knows nothing of MCP.
type peer struct {
	t       *testing.T
	web     *HTTPServer
	srv     *Server
	client  *http.Client
	session string
}

func start(t *testing.T, o *Options, h *HTTPOptions) *peer {
	t.Helper()
	srv := New(o)
	web, err := StartHTTP(srv, h)
	if err != nil {
		t.Fatal(err)
	}
	client := web.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return &peer{t: t, web: web, srv: srv, client: client}
}

// wantViolation fails the test unless there is a violation that contains want,
// or no violation if want is empty.
func (p *peer) wantViolation(want string) {
	p.t.Helper()
	v := p.srv.Violations()
	found := slices.ContainsFunc(v, func(v string) bool { return strings.Contains(v, want) })
	if want == "" && v != nil || want != "" && !found {
		p.t.Errorf("violations %q, want %q", v, want)
	}
}

// do sends a request. Headers are lines; a line without a value deletes a header.
func (p *peer) do(method, url, headers, body string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if req.Header.Set(name, strings.TrimPrefix(value, " ")); value == "" {
			req.Header.Del(name)
		}
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, body, err)
	}
	return resp
}

// text reads a response to its end.
func (p *peer) text(resp *http.Response) string {
	p.t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Errorf("body: %v after %q", err, b)
	}
	return string(b)
}

// post sends a message and returns the status and body.
func (p *peer) post(headers, body string) (int, string) {
	p.t.Helper()
	resp := p.do("POST", p.web.URL, headers, body)
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	return resp.StatusCode, p.text(resp)
}

// wantPost sends a message and checks the status and a part of the body.
func (p *peer) wantPost(headers, body string, wantStatus int, want string) {
	p.t.Helper()
	if status, got := p.post(headers, body); status != wantStatus || !strings.Contains(got, want) {
		p.t.Errorf("%s: %d %q, want %d %q", body, status, got, wantStatus, want)
	}
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping        = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	cancelled   = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`
	hi          = `{"message":"hi"}`
)

// initialize begins a legacy session.
func (p *peer) initialize(protocolVersion string) {
	p.t.Helper()
	hello := strings.NewReplacer("2025-11-25", protocolVersion, `"capabilities":{}`, `"capabilities":{"roots":{}}`).Replace(initialize)
	p.wantPost("", hello, 200, `"protocolVersion":"`+protocolVersion)
	p.wantPost(version(protocolVersion), initialized, 202, "")
}

func version(v string) string { return "Mcp-Protocol-Version: " + v + "\n" }

// toolCall returns a legacy tools/call.
func toolCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// modern returns the headers and the body of a modern request.
func modern(id int, method, name, params string) (headers, body string) {
	headers = version("2026-07-28") + "Mcp-Method: " + method + "\n"
	key := "name"
	if method == "resources/read" {
		key = "uri"
	}
	if name != "" {
		headers += "Mcp-Name: " + name + "\n"
		params = fmt.Sprintf(`%q:%q,`, key, name) + params
	}
	if params != "" {
		params = strings.TrimSuffix(params, ",") + ","
	}
	return headers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":`+
		`"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id, method, params)
}

func modernEcho(id int) (headers, body string) {
	return modern(id, "tools/call", "echo", `"arguments":`+hi)
}

// nextData returns the data of the next event that has any.
func nextData(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "\n" {
			return strings.TrimSpace(data)
		}
	}
}

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
		{"an unknown event", "GET", "Last-Event-ID: x", "", 400, "no event of this session"},
		{"another method", "PUT", "", ping, 405, "PUT"},
		{"another origin", "POST", "Origin: http://evil.example", ping, 403, ""},
		{"the attacker's name for this server", "POST", "Origin: http://server1.test:80", ping, 403, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{InMemory: true})
			p.initialize("2025-11-25")
			resp := p.do(test.method, p.web.URL, version("2025-11-25")+test.headers, test.body)
			if body := p.text(resp); resp.StatusCode != test.status {
				t.Error(resp.Status, body)
			}
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
			p := start(t, nil, &HTTPOptions{InMemory: true})
			headers, body := modern(1, "tools/list", "", "")
			p.wantPost(headers+test.headers, strings.Replace(body, test.from, test.to, 1), test.status, test.want)
			p.wantViolation(test.violation)
		})
	}
}

func TestLegacyFeaturesInModernEra(t *testing.T) {
	for _, test := range []struct {
		method, body string
		status       int
		violation    string
	}{
		{"POST", cancelled, 202, "no client notifications"},
		{"POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, "a response in the modern era"},
		{"POST", "[]", 400, "a batch"},
		{"GET", "", 405, "GET in the modern era"},
		{"DELETE", "", 405, "DELETE in the modern era"},
	} {
		p := start(t, nil, &HTTPOptions{InMemory: true})
		resp := p.do(test.method, p.web.URL, version("2026-07-28"), test.body)
		if body := p.text(resp); resp.StatusCode != test.status {
			t.Error(test.method, test.body, resp.Status, body)
		}
		p.wantViolation(test.violation)
	}
}

func TestUnservedPaths(t *testing.T) {
	for _, test := range []struct {
		versions []string
		o        HTTPOptions
		method   string
		path     string
		status   int
	}{
		{nil, HTTPOptions{StreamableOnly: true}, "GET", "/sse", 404},
		{nil, HTTPOptions{StreamableOnly: true}, "POST", "/message", 404},
		{[]string{"2026-07-28"}, HTTPOptions{}, "GET", "/sse", 404},
		{nil, HTTPOptions{SSEOnly: true}, "POST", "/mcp", 404},
		{nil, HTTPOptions{SSEOnly: true}, "POST", "/sse", 405},
		{[]string{"2026-07-28"}, HTTPOptions{}, "GET", "/mcp", 405},
		{[]string{"2026-07-28"}, HTTPOptions{}, "DELETE", "/mcp", 405},
		{nil, HTTPOptions{}, "GET", "/", 404},
	} {
		test.o.InMemory = true
		p := start(t, &Options{ProtocolVersions: test.versions}, &test.o)
		if resp := p.do(test.method, p.web.Base+test.path, "", ""); resp.StatusCode != test.status {
			t.Error(test.method, test.path, resp.Status)
		}
	}
}

// A page whose host name was made to resolve to this machine is refused, whether
// it sends an origin or not.
func TestHostNameOfAnotherSite(t *testing.T) {
	p := start(t, nil, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(p.web.Base, "http://"), ":")
	for host, want := range map[string]int{
		"evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "localhost": 405, "127.0.0.1": 405, "[::1]": 405,
	} {
		req, err := http.NewRequest("PUT", p.web.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host + ":" + port
		resp, err := p.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if p.text(resp); resp.StatusCode != want {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
	p.wantViolation("a method that MCP does not use")
	headers, body := modern(1, "tools/list", "", "")
	p.wantPost(headers+"Origin: "+p.web.Base, body, 200, "")
}

// Legacy servers send requests on the stream of GET if responses are JSON.
func TestServerRequestsBesideJSON(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: JSON})
	p.initialize("2025-11-25")
	stream := p.do("GET", p.web.URL, version("2025-11-25"), "")
	defer stream.Body.Close()
	called := make(chan *http.Response, 1)
	go func() { called <- p.do("POST", p.web.URL, version("2025-11-25"), toolCall(1, "ask_roots", "{}")) }()
	request := nextData(t, bufio.NewReader(stream.Body))
	id, _, ok := strings.Cut(request, `,"method":"roots/list"`)
	if !ok {
		t.Fatal(request)
	}
	p.wantPost(version("2025-11-25"), id+`,"result":{"roots":[{"uri":"file:///x"}]}}`, 202, "")
	resp := <-called
	if got := p.text(resp); resp.Header.Get("Content-Type") != "application/json" || !strings.Contains(got, "file:///x") {
		t.Error(got)
	}
	p.wantViolation("")
}

func TestStatelessServer(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Stateless: true, InMemory: true})
	for range 2 {
		p.initialize("2025-11-25")
		p.wantPost(version("2025-11-25"), toolCall(1, "echo", hi), 200, `"text":"hi"`)
		if resp := p.do("DELETE", p.web.URL, version("2025-11-25"), ""); p.session != "" || resp.StatusCode != 405 {
			t.Errorf("session id %q, DELETE: %s", p.session, resp.Status)
		}
	}
	p.wantViolation("")
	p.wantPost(version("2025-11-25")+"Mcp-Session-Id: x", ping, 200, "")
	p.wantViolation("never assigned")
}

func TestStormWaitsForItsReader(t *testing.T) {
	p := start(t, &Options{Fault: "notification-storm", Size: 30_000}, nil)
	_, got := p.post(modernEcho(1))
	if n := strings.Count(got, "notifications/message"); n != 30_000 || !strings.HasSuffix(got, "}\n\n") {
		t.Error(n, "notifications")
	}
}

func TestLostSessions(t *testing.T) {
	for fault, statuses := range map[string][]int{"session-lost": {404, 200}, "session-lost-400": {400, 200}, "session-lost-again": {404, 404}} {
		p := start(t, &Options{Fault: fault}, &HTTPOptions{InMemory: true})
		for _, status := range statuses {
			p.initialize("2025-11-25")
			p.wantPost(version("2025-11-25"), toolCall(1, "echo", hi), status, "")
			then := 404
			if status == 200 {
				then = 200
			}
			p.wantPost(version("2025-11-25"), ping, then, "")
			p.session = ""
		}
		p.wantViolation("")
	}
}

func TestFaultsThatPass(t *testing.T) {
	p := start(t, &Options{Fault: "retry-after-seconds"}, &HTTPOptions{InMemory: true})
	for _, status := range []int{429, 200} {
		headers, body := modernEcho(1)
		p.wantPost(headers, body, status, "")
	}
	p = start(t, &Options{Fault: "header-mismatch-once"}, &HTTPOptions{InMemory: true})
	for _, status := range []int{400, 400, 200} {
		if status == 200 {
			p.post(modern(1, "tools/list", "", ""))
		}
		headers, body := modernEcho(1)
		p.wantPost(headers, body, status, "")
	}
}

func TestCompressedStreams(t *testing.T) {
	p := start(t, &Options{Fault: "stream-gzip"}, &HTTPOptions{InMemory: true})
	headers, body := modernEcho(1)
	if got := p.raw(headers+"Accept-Encoding: gzip\n", body); !strings.Contains(got, "Content-Encoding: gzip") || !strings.Contains(got, "hi") {
		t.Error(got)
	}
}

func TestBatches(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.initialize("2025-03-26")
	p.wantPost("", "["+ping+`,{"jsonrpc":"2.0","id":2,"method":"ping"}]`, 200,
		`[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
	p.wantPost("", "["+cancelled+","+cancelled+"]", 202, "")
	p.wantViolation("")
	p.post("", "["+cancelled+`,{"jsonrpc":"2.0","id":1,"result":{}}]`)
	p.wantViolation("a batch of responses and other messages")
}

func TestDeletedSessionIsUsedAgain(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.initialize("2025-11-25")
	p.do("DELETE", p.web.URL, version("2025-11-25"), "")
	p.wantPost(version("2025-11-25"), cancelled, 404, "")
	p.wantViolation("") // it may have been sent before
	p.wantPost(version("2025-11-25"), ping, 404, "")
	p.wantViolation("has deleted")
}

func encoded(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func TestHeaderParameters(t *testing.T) {
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
			p := start(t, &Options{HeaderTool: true}, &HTTPOptions{InMemory: true})
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
	p := start(t, nil, &HTTPOptions{InMemory: true})
	p.wantPost(headers+"Mcp-Name: "+encoded("echo://greeting/世界"), body, 200, "Hello, 世界!")
	p.wantViolation("")
	p.wantPost(headers+"Mcp-Name: echo://greeting/世界", body, 400, "")
	p.wantViolation("not encoded")
}

func TestRequestsToAnotherOrigin(t *testing.T) {
	p := start(t, nil, &HTTPOptions{InMemory: true})
	headers := version("2025-11-25") + "Authorization: Bearer secret\nMcp-Session-Id: secret\nX-Other: 1"
	p.text(p.do("POST", p.web.foreign+"/mcp", headers, toolCall(1, "echo", hi)))
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

func TestSubscriptionBesideJSON(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: JSON, KeepAlive: time.Millisecond})
	headers, body := modern(1, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	resp := p.do("POST", p.web.URL, headers, body)
	r := bufio.NewReader(resp.Body)
	if got := nextData(t, r); !strings.Contains(got, "acknowledged") {
		t.Error(got)
	}
	for line := ""; line != ": still here\n"; {
		var err error
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	p.post(modern(2, "tools/call", "add_tool", ""))
	if got := nextData(t, r); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Error(got)
	}
	resp.Body.Close()
	if leaks := p.web.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	p.wantViolation("")
}

func TestProbeOfLegacyServer(t *testing.T) {
	p := start(t, &Options{ProtocolVersions: legacy}, &HTTPOptions{InMemory: true})
	headers, body := modern(1, "server/discover", "", "")
	p.wantPost(headers, body, 400, `"code":-32000`)
	p.wantViolation("")
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, nil, &HTTPOptions{InMemory: true, Latency: time.Minute})
		begin := time.Now()
		p.post(modern(1, "tools/list", "", ""))
		if took := time.Since(begin); took != time.Minute || p.web.Requests()[0].At != begin {
			t.Error(took)
		}
	})
}
