package testserver

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A peer is a client that knows nothing and sends what it is told.
type peer struct {
	t       *testing.T
	web     *HTTPServer
	srv     *Server
	client  *http.Client
	session string
	id      int
}

func start(t *testing.T, engine *Options, o *HTTPOptions) *peer {
	t.Helper()
	srv := New(engine)
	web, err := StartHTTP(srv, o)
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

// lawful fails the test when there are violations.
func (p *peer) lawful() {
	p.t.Helper()
	if v := p.srv.Violations(); v != nil {
		p.t.Errorf("violations: %q", v)
	}
}

// guilty fails the test unless there is a violation that contains what.
func (p *peer) guilty(what string) {
	p.t.Helper()
	v := p.srv.Violations()
	if !slices.ContainsFunc(v, func(v string) bool { return strings.Contains(v, what) }) {
		p.t.Errorf("violations %q, want %q", v, what)
	}
}

// do sends a request. Headers are lines; one without a value goes.
func (p *peer) do(method, url, headers, body string) *http.Response {
	p.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, r)
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
		if value = strings.TrimPrefix(value, " "); value == "" {
			req.Header.Del(name)
		} else {
			req.Header.Add(name, value)
			req.Header[http.CanonicalHeaderKey(name)] = req.Header[http.CanonicalHeaderKey(name)][len(req.Header.Values(name))-1:]
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

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// initialize begins a legacy session.
func (p *peer) initialize(revision string) {
	p.t.Helper()
	status, body := p.post("", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	if status != 200 || !strings.Contains(body, `"protocolVersion":"`+revision) {
		p.t.Fatal(status, body)
	}
	if status, body := p.post(version(revision), `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 || body != "" {
		p.t.Fatal(status, body)
	}
}

func version(revision string) string { return "Mcp-Protocol-Version: " + revision + "\n" }

// call is a legacy tools/call.
func toolCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

const hi = `{"message":"hi"}`

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

// events reads n lines that hold data and returns what they hold.
func events(t *testing.T, r *bufio.Reader, n int) (list []string) {
	t.Helper()
	for len(list) < n {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, list)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "\n" {
			list = append(list, strings.TrimSpace(data))
		}
	}
	return list
}
