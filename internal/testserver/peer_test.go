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
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A peer is an HTTP client that knows nothing of MCP.
type peer struct {
	t       *testing.T
	web     *HTTPServer
	srv     *Server
	session string
}

func start(t *testing.T, o *Options, h *HTTPOptions) *peer {
	t.Helper()
	srv := New(o)
	web, err := StartHTTP(srv, h)
	testutil.Must(t, err)
	t.Cleanup(web.Close)
	return &peer{t: t, web: web, srv: srv}
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

// do sends a request on a connection of its own, which lasts a minute at most.
// Headers are lines; a line without a value deletes a header. The status names
// those of interim responses, too.
func (p *peer) do(method, url, headers, body string) (*http.Response, error) {
	address, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	dial := p.web.Client().Transport.(*http.Transport).DialContext
	if dial == nil { // on js
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(p.t.Context(), "tcp", address)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute - time.Second/2)) // no multiple of Delay
	header := http.Header{"Host": {address}, "Connection": {"close"}, "Content-Length": {fmt.Sprint(len(body))},
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}, "Mcp-Session-Id": {p.session}}
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		header.Set(name, strings.TrimPrefix(value, " "))
	}
	request := method + " /" + path + " HTTP/1.1\r\n"
	for name, values := range header {
		if values[0] != "" {
			request += name + ": " + values[0] + "\r\n"
		}
	}
	go io.WriteString(conn, request+"\r\n"+body) // ends with the connection
	r, status := bufio.NewReader(conn), ""
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			conn.Close()
			return nil, err
		}
		if status += resp.Status; resp.StatusCode >= 200 {
			resp.Status = status
			resp.Body = struct {
				io.Reader
				io.Closer
			}{resp.Body, conn}
			return resp, nil
		}
		status += "; "
	}
}

// want sends a request to a path, and checks the status and a part of the body.
func (p *peer) want(method, path, headers, body string, wantStatus int, want string) {
	p.t.Helper()
	resp, err := p.do(method, p.web.Base+path, headers, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, body, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != wantStatus || !strings.Contains(string(got), want) {
		p.t.Errorf("%s %s: %s %q, %v, want %d %q", method, body, resp.Status, got, err, wantStatus, want)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
}

// wantPost sends a message and checks the status and a part of the body.
func (p *peer) wantPost(headers, body string, wantStatus int, want string) {
	p.t.Helper()
	p.want("POST", "/mcp", headers, body, wantStatus, want)
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

var sessionID = regexp.MustCompile(`[0-9]+(~|%7E)[A-Z2-7]{26}`)

// describe returns the outcome of a request in one line.
func describe(resp *http.Response, err error) string {
	if err != nil {
		return "error: " + ending(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	for _, name := range []string{"Date", "X-Accel-Buffering", "Cache-Control"} {
		resp.Header.Del(name)
	}
	if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil && resp.Header.Get("Content-Encoding") == "gzip" {
		body, _ = io.ReadAll(z)
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
	short := sessionID.ReplaceAllString(string(body), "SESSION")
	meta := `"_meta":{"io.modelcontextprotocol/serverInfo":` + serverName + `}`
	short = strings.NewReplacer(meta, "META", initializeResponse(), "INITIALIZED").Replace(short)
	if len(short) > 600 {
		short = fmt.Sprintf("%s… %d bytes", short[:200], len(short))
	}
	text += fmt.Sprintf(" | %q", short)
	if err != nil {
		text += " | " + ending(err)
	}
	return sessionID.ReplaceAllString(text, "SESSION")
}

// initializeResponse is the server's response to initialize, which the
// transcripts test.
var initializeResponse = sync.OnceValue(func() (response string) {
	s := New(&Options{ProtocolVersions: legacy}).NewSession(nil)
	defer s.Close()
	s.Handle(context.Background(), []byte(initialize), func(msg []byte) { response = string(msg) })
	return response
})

func ending(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "silence"
	case errors.Is(err, io.ErrClosedPipe):
		return "open"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "cut off"
	case errors.Is(err, io.EOF):
		return "closed"
	}
	return "malformed" // the details differ between releases of Go
}

// golden compares got with a file, or writes the file with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		testutil.Must(t, os.WriteFile(file, got, 0o666))
	}
	want, err := os.ReadFile(file)
	testutil.Must(t, err)
	have, lines := append(strings.Split(string(got), "\n"), "(end)"), append(strings.Split(string(want), "\n"), "(end)")
	for i := range min(len(have), len(lines)) {
		if have[i] != lines[i] {
			t.Fatalf("%s, line %d\n got  %s\n want %s", file, i+1, have[i], lines[i])
		}
	}
}
