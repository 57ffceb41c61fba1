package testserver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFaults writes what comes over the wire with every fault to
// testdata/web-faults.golden.
func TestFaults(t *testing.T) {
	const file = "testdata/web-faults.golden"
	var got bytes.Buffer
	for _, f := range Faults() {
		if strings.Contains(f.On, "S") || f.badCertificate || f.unread {
			continue // TestBadCertificate, TestBodiesThatAreNotRead
		}
		for _, transport := range f.On {
			fmt.Fprintf(&got, "%s (%c)\n", f.Name, transport)
			for _, line := range injectHTTP(t, f, transport == 'E') {
				fmt.Fprintf(&got, "\t%s\n", line)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d\n got  %s\n want %s", i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d", len(g), len(w))
	}
}

// strike brings the fault about and returns what came, for one minute.
func injectHTTP(t *testing.T, f Fault, sse bool) (lines []string) {
	synctest.Test(t, func(t *testing.T) {
		engine := &Options{Fault: f.Name, Size: 3000}
		if f.Era == "legacy" || sse {
			engine.ProtocolVersions = legacy
		}
		p := start(t, engine, &HTTPOptions{InMemory: true})
		switch {
		case sse:
			lines = p.strikeSSE(f)
		case engine.ProtocolVersions != nil:
			lines = p.strikeLegacy(f)
		default:
			headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)
			if strings.Contains(f.Method, "/") {
				headers, body = modern(1, f.Method, "", "")
			}
			lines = []string{p.raw("POST", "/mcp", headers, body)}
		}
		if v := p.srv.Violations(); v != nil {
			t.Errorf("%s on %v: %q", f.Name, sse, v)
		}
	})
	return lines
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"t","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func (p *peer) strikeLegacy(f Fault) (lines []string) {
	headers := version("2025-11-25")
	switch {
	case f.Method == "server/discover":
		headers, body := modern(1, "server/discover", "", "")
		return []string{p.raw("POST", "/mcp", headers, body)}
	case f.Method == "initialize" || f.id != nil:
		return []string{p.raw("POST", "/mcp", "", initialize)}
	}
	if f.replacesServer() {
		return []string{p.raw("POST", "/mcp", "", initialize)}
	}
	resp := p.do("POST", p.web.URL, "", initialize)
	p.text(resp)
	p.session = resp.Header.Get("Mcp-Session-Id")
	first := p.raw("POST", "/mcp", headers, initialized)
	if f.Method == "notifications/initialized" {
		return []string{first}
	}
	if f.get != nil {
		return []string{p.raw("GET", "/mcp", headers, "")}
	}
	if f.delete != nil {
		return []string{p.raw("DELETE", "/mcp", headers, "")}
	}
	got := p.raw("POST", "/mcp", headers, strikes(f))
	lines = append(lines, got)
	if ids := eventIDs.FindAllStringSubmatch(got, -1); ids != nil {
		lines = append(lines, p.raw("GET", "/mcp", headers+"Last-Event-ID: "+ids[len(ids)-1][1]+"\n", ""))
	}
	return lines
}

// strikes is a legacy request that the fault strikes.
func strikes(f Fault) string {
	if f.Method == "tools/list" {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	}
	return toolCall(1, "echo", hi)
}

var eventIDs = regexp.MustCompile(`id: (stream-[0-9]+/[0-9]+)`)

func (p *peer) strikeSSE(f Fault) (lines []string) {
	if f.replacesServer() || f.get != nil {
		return []string{p.raw("GET", "/sse", "", "")}
	}
	stream := make(chan string, 1)
	go func() { stream <- p.raw("GET", "/sse", "", "") }() // ends within a minute
	synctest.Wait()
	time.Sleep(time.Second)
	path := p.endpoint()
	for _, body := range []string{initialize, initialized, strikes(f)} {
		if f.Method == "initialize" && body != initialize {
			break
		}
		got := p.raw("POST", path, "", body)
		if struck := f.Method == "" || strings.Contains(body, f.Method); struck && f.post != nil && got != "202 Accepted | Content-Length: 0 | \"\"" {
			lines = append(lines, got)
		}
	}
	return append(lines, <-stream)
}

// endpoint is where messages of the session go, whatever the server says.
func (p *peer) endpoint() string {
	p.web.Handler.mu.Lock()
	defer p.web.Handler.mu.Unlock()
	for id := range p.web.sessions {
		return "/message?session=" + url.QueryEscape(id)
	}
	return "/message"
}

// send sends a request on a connection of its own and returns what came within
// a minute, and how that ended. Interim responses are only named.
func (p *peer) send(method, path, headers, body string) (resp *http.Response, content []byte, interim string, err error) {
	conn, err := p.web.network.dial(p.t.Context(), "", p.web.listener.Addr().String())
	if err != nil {
		return nil, nil, "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute - time.Second/2)) // no multiple of Delay
	req := "Host: server1.test\nContent-Type: application/json\nAccept: application/json, text/event-stream\nConnection: close\n" + headers
	if p.session != "" {
		req += "Mcp-Session-Id: " + p.session + "\n"
	}
	if body != "" {
		req += fmt.Sprintf("Content-Length: %d\n", len(body))
	}
	go func() { // ends with the connection
		_, _ = io.WriteString(conn, method+" "+path+" HTTP/1.1\r\n"+strings.ReplaceAll(req, "\n", "\r\n")+"\r\n"+body)
	}()
	r := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return nil, nil, interim, err
		}
		if resp.StatusCode >= 200 {
			content, err := io.ReadAll(resp.Body)
			return resp, content, interim, err
		}
		interim += resp.Status + "; "
	}
}

// raw sends a request and says in one line what came.
func (p *peer) raw(method, path, headers, body string) string {
	resp, content, interim, err := p.send(method, path, headers, body)
	if resp == nil {
		return interim + "error: " + ending(err)
	}
	return interim + describe(resp, content, err)
}

// data sends a request and returns what came as data of events.
func (p *peer) data(method, path, headers, body string) (list []string) {
	_, content, _, _ := p.send(method, path, headers, body)
	for line := range strings.Lines(string(content)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, strings.TrimSuffix(data, "\n"))
		}
	}
	return list
}

var sessionID = regexp.MustCompile(`[0-9]+(~|%7E)[A-Z2-7]{26}`)

func describe(resp *http.Response, b []byte, err error) string {
	resp.Header.Del("Date")
	resp.Header.Del("X-Accel-Buffering")
	resp.Header.Del("Cache-Control")
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil && resp.Header.Get("Content-Encoding") == "gzip" {
		b, _ = io.ReadAll(z)
		resp.Header.Del("Content-Length")
	}
	text := resp.Status
	if len(resp.Header) > 10 {
		text += fmt.Sprintf(" | %d headers", len(resp.Header))
		clear(resp.Header)
	}
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		text += fmt.Sprintf(" | %s: %.200s", name, strings.Join(resp.Header[name], ", "))
	}
	body := shorten.Replace(sessionID.ReplaceAllString(string(b), "SESSION"))
	if len(body) > 600 {
		body = fmt.Sprintf("%s… %d bytes", body[:200], len(body))
	}
	text += fmt.Sprintf(" | %q", body)
	if err != nil {
		text += " | " + ending(err)
	}
	return sessionID.ReplaceAllString(text, "SESSION")
}

// shorten leaves out what the engine's own tests look at.
var shorten = strings.NewReplacer(
	`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"stdmcp-echo","title":"Echo","version":"1.0.0"}}`, "META",
	firstAnswer(), "INITIALIZED")

func firstAnswer() (answer string) {
	s := New(&Options{ProtocolVersions: legacy}).NewSession(nil)
	defer s.Close()
	s.Handle(context.Background(), []byte(initialize), func(msg []byte) { answer = string(msg) })
	return answer
}

func ending(err error) string {
	for what, of := range map[string]error{"silence": os.ErrDeadlineExceeded, "cut off": io.ErrUnexpectedEOF, "closed": io.EOF} {
		if errors.Is(err, of) {
			return what
		}
	}
	return "malformed" // in what way, each release of Go says in its own words
}
