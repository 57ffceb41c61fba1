package testserver

import (
	"bufio"
	"bytes"
	"cmp"
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
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The golden files hold what the server sends with each fault. Every fault is in
// one of them, except those that need a child process, a certificate or a body
// that is not read.

func TestFaultsOfMessages(t *testing.T) {
	var got bytes.Buffer
	for _, f := range Faults() {
		if f.On != "S" && strings.Contains(f.On, "S") {
			fmt.Fprintln(&got, f.Name)
			for _, line := range messagesWith(t, f) {
				fmt.Fprintf(&got, "\t%q\n", line)
			}
		}
	}
	golden(t, "testdata/faults.golden", got.Bytes())
}

// messagesWith returns the response to an affected request, until the call has
// ended or has been canceled.
func messagesWith(t *testing.T, f Fault) (lines []string) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&Options{Fault: f.Name, Size: 2})
		session := s.NewSession(nil)
		defer session.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		line := strings.Replace(echoCall, modernMeta, `"_meta":{"progressToken":"tok",`+strings.TrimPrefix(modernMeta, `"_meta":{`), 1)
		if f.Method == "initialize" {
			line = strings.Replace(initialize, `"id":0`, `"id":1`, 1)
		} else if f.Method != "" && f.Method != "*" {
			line = `{"jsonrpc":"2.0","id":1,"method":"` + f.Method + `","params":{` + modernMeta + "}}"
		}
		const result = `{"resultType":"complete","content":[{"type":"text","text":"hi"}],` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":` + serverName + `}}`
		run := session.Handle(ctx, []byte(line), func(msg []byte) {
			line := strings.ReplaceAll(string(msg), result, "RIGHT")
			lines = append(lines, line[:min(len(line), 200)])
		})
		if run != nil {
			run()
		}
		if v := s.Violations(); v != nil {
			t.Error(f.Name, v)
		}
	})
	return lines
}

func TestFaultsOfByteStreams(t *testing.T) {
	var got bytes.Buffer
	for _, f := range Faults() {
		if f.On == "S" && !f.Process {
			fmt.Fprintf(&got, "%s\n\t%s\n", f.Name, bytesWith(t, f))
		}
	}
	golden(t, "testdata/stream-faults.golden", got.Bytes())
}

// bytesWith sends an affected request and describes what the server writes
// within an hour.
func bytesWith(t *testing.T, f Fault) (text string) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&Options{Fault: f.Name, Size: 100_000})
		conn, begin := s.Pipe(), time.Now()
		time.AfterFunc(time.Hour, func() { _ = conn.Close() })
		line := strings.Replace(echoCall, `"hi"`, `"Grüße"`, 1)
		if f.Method != "" {
			line = `{"jsonrpc":"2.0","id":1,"method":"` + f.Method + `","params":{` + modernMeta + "}}"
		}
		go io.WriteString(conn, line+"\n") // ends with the connection
		var sent []byte
		var last time.Duration
		buf := make([]byte, 1<<20)
		for writes := 0; ; writes++ {
			n, err := conn.Read(buf)
			if err != nil {
				text = fmt.Sprintf("%d bytes in %d writes, the last after %v; %s: %.300q", len(sent), writes, last, ending(err), sent)
				break
			}
			sent, last = append(sent, buf[:n]...), time.Since(begin)
		}
		_ = conn.Close()
	})
	return text
}

func TestFaultsOfHTTP(t *testing.T) {
	var got bytes.Buffer
	for _, f := range Faults() {
		if strings.Contains(f.On, "S") || f.badCertificate || f.unread {
			continue
		}
		for _, transport := range f.On {
			fmt.Fprintf(&got, "%s (%c)\n", f.Name, transport)
			for _, line := range responsesWith(t, f, transport == 'E') {
				fmt.Fprintf(&got, "\t%s\n", line)
			}
		}
	}
	golden(t, "testdata/web-faults.golden", got.Bytes())
}

// responsesWith returns the responses to the affected requests, for one minute.
func responsesWith(t *testing.T, f Fault, sse bool) (lines []string) {
	synctest.Test(t, func(t *testing.T) {
		o := &Options{Fault: f.Name, Size: 3000}
		if sse {
			o.ProtocolVersions = legacy
		}
		p := start(t, o, &HTTPOptions{InMemory: true})
		switch {
		case sse:
			lines = p.injectSSE(f)
		case f.Era == "legacy":
			lines = p.injectLegacy(f)
		case strings.Contains(f.Method, "/"):
			lines = []string{p.raw(modern(1, f.Method, "", ""))}
		default:
			lines = []string{p.raw(modern(1, "tools/call", "echo", `"arguments":`+hi))}
		}
		if v := p.srv.Violations(); v != nil {
			t.Errorf("%s on %v: %q", f.Name, sse, v)
		}
	})
	return lines
}

func (p *peer) injectLegacy(f Fault) (lines []string) {
	headers := version("2025-11-25")
	switch {
	case f.Method == "server/discover":
		return []string{p.raw(modern(1, "server/discover", "", ""))}
	case f.Method == "initialize" || f.id != nil || f.replacesServer():
		return []string{p.raw("", initialize)}
	}
	p.post("", initialize)
	first := p.raw(headers, initialized)
	switch {
	case f.Method == "notifications/initialized":
		return []string{first}
	case f.get != nil && f.event == nil:
		return []string{p.request("GET", "/mcp", headers, "")}
	case f.delete != nil:
		return []string{p.request("DELETE", "/mcp", headers, "")}
	}
	got := p.raw(headers, affectedRequest(f))
	lines = append(lines, got)
	if ids := eventIDs.FindAllStringSubmatch(got, -1); ids != nil {
		lines = append(lines, p.request("GET", "/mcp", headers+"Last-Event-ID: "+ids[len(ids)-1][1]+"\n", ""))
	}
	return lines
}

var eventIDs = regexp.MustCompile(`id: (stream-[0-9]+/[0-9]+)`)

func affectedRequest(f Fault) string {
	if f.Method == "tools/list" {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	}
	return toolCall(1, "echo", hi)
}

func (p *peer) injectSSE(f Fault) (lines []string) {
	if f.replacesServer() || f.get != nil {
		return []string{p.request("GET", "/sse", "", "")}
	}
	stream := make(chan string, 1)
	go func() { stream <- p.request("GET", "/sse", "", "") }() // ends within a minute
	synctest.Wait()
	time.Sleep(time.Second)
	path := "/message"
	p.web.Handler.mu.Lock()
	for id := range p.web.sessions { // whatever the server announces
		path += "?session=" + url.QueryEscape(id)
	}
	p.web.Handler.mu.Unlock()
	for _, body := range []string{initialize, initialized, affectedRequest(f)} {
		if f.Method == "initialize" && body != initialize {
			break
		}
		got := p.request("POST", path, "", body)
		affected := f.post != nil && (f.Method == "" || strings.Contains(body, f.Method))
		if affected && got != "202 Accepted | Content-Length: 0 | \"\"" {
			lines = append(lines, got)
		}
	}
	return append(lines, <-stream)
}

// raw sends a message on a connection of its own and describes the response.
func (p *peer) raw(headers, body string) string { return p.request("POST", "/mcp", headers, body) }

// request sends a request on a connection of its own and describes what arrives
// within a minute. Of interim responses it returns the status only.
func (p *peer) request(method, path, headers, body string) (text string) {
	conn, err := p.web.network.dial(p.t.Context(), "", p.web.listener.Addr().String())
	if err != nil {
		p.t.Fatal(err)
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
			return text + "error: " + ending(err)
		}
		if resp.StatusCode >= 200 {
			return text + describe(resp)
		}
		text += resp.Status + "; "
	}
}

var sessionID = regexp.MustCompile(`[0-9]+(~|%7E)[A-Z2-7]{26}`)

// describe returns a response in one line.
func describe(resp *http.Response) string {
	body, err := io.ReadAll(resp.Body)
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
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, lines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(lines)) {
		h, w := line(have, i), line(lines, i)
		if h != w {
			t.Fatalf("%s, line %d\n got  %s\n want %s", file, i+1, h, w)
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return cmp.Or(lines[i], "(empty)")
	}
	return "(none)"
}
