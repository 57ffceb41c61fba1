package testserver

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The golden files hold what the server sends with each fault. Every fault is in
// one of them, except those that need a child process, a certificate or a body
// that is not read.

func TestFaultsOfStreams(t *testing.T) {
	var got bytes.Buffer
	for _, f := range Faults() {
		if strings.Contains(f.On, "S") && !f.Process {
			fmt.Fprintf(&got, "%s\n\t%s\n", f.Name, bytesWith(t, f))
		}
	}
	golden(t, "testdata/stream-faults.golden", got.Bytes())
}

// bytesWith sends an affected request and describes what the server writes
// within an hour.
func bytesWith(t *testing.T, f Fault) (text string) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&Options{Fault: f.Name, Size: 2})
		if f.On == "S" {
			s.opts.Size = 100_000 // bytes and not messages
		}
		conn, begin := s.Pipe(), time.Now()
		var ours atomic.Bool
		time.AfterFunc(time.Hour-time.Second/2, func() {
			ours.Store(true)
			_ = conn.Close()
		})
		lines := strings.NewReplacer(`"hi"`, `"Grüße"`, modernMeta, `"_meta":{"progressToken":"tok",`+strings.TrimPrefix(modernMeta, `"_meta":{`)).Replace(echoCall)
		switch f.Method {
		case "", "*":
		case "initialize":
			lines = initialize + "\n" + initialized + "\n" + ping
		default:
			lines = `{"jsonrpc":"2.0","id":1,"method":"` + f.Method + `","params":{` + modernMeta + "}}"
		}
		go io.WriteString(conn, lines+"\n") // ends with the connection
		var sent []byte
		var last time.Duration
		buf := make([]byte, 1<<20)
		for writes := 0; ; writes++ {
			n, err := conn.Read(buf)
			if err != nil {
				end := ending(err)
				if ours.Load() { // the server may have closed its end since
					end = "open"
				}
				short := strings.NewReplacer(`{"resultType":"complete","content":[{"type":"text","text":"Grüße"}],`+
					`"_meta":{"io.modelcontextprotocol/serverInfo":`+serverName+`}}`, "RIGHT", initializeResponse(), "INITIALIZED").Replace(string(sent))
				text = fmt.Sprintf("%d bytes in %d writes, the last after %v; %s: %.400q", len(sent), writes, last, end, short)
				break
			}
			sent, last = append(sent, buf[:n]...), time.Since(begin)
		}
		_ = conn.Close()
		if v := s.Violations(); v != nil && f.Method != "initialize" && f.Era != "legacy" { // a client would begin or end such a session in another way
			t.Error(f.Name, v)
		}
	})
	return text
}

// TestFaultsOfHTTP records the responses that differ from those of a server
// without faults.
func TestFaultsOfHTTP(t *testing.T) {
	var got bytes.Buffer
	usual := make(map[string][]string)
	for _, f := range Faults() {
		if strings.Contains(f.On, "S") || f.badCertificate || f.unread {
			continue
		}
		for _, transport := range f.On {
			key := string(transport) + f.Era
			if usual[key] == nil {
				usual[key] = responsesWith(t, Fault{Era: f.Era}, transport == 'E')
				fmt.Fprintf(&got, "no fault (%s)\n\t%s\n", key, strings.Join(usual[key], "\n\t"))
			}
			fmt.Fprintf(&got, "%s (%c)\n", f.Name, transport)
			lines := responsesWith(t, f, transport == 'E')
			for i, line := range lines {
				if !slices.Contains(usual[key], line) && !slices.Contains(lines[:i], line) {
					fmt.Fprintf(&got, "\t%s\n", line)
				}
			}
		}
	}
	golden(t, "testdata/web-faults.golden", got.Bytes())
}

// responsesWith plays the requests of a client, whatever the responses are, and
// describes the responses.
func responsesWith(t *testing.T, f Fault, sse bool) (lines []string) {
	synctest.Test(t, func(t *testing.T) {
		o := &Options{Fault: f.Name, Size: 3000}
		if sse || f.Era == "legacy" {
			o.ProtocolVersions = legacy
		}
		c := &conversation{peer: start(t, o, &HTTPOptions{InMemory: true})}
		switch {
		case sse:
			c.sse()
		case f.Era == "legacy":
			c.legacy()
		default:
			for _, method := range []string{"server/discover", "tools/call", "tools/list", "tools/call"} {
				headers, body := modern(1, method, "", "")
				if method == "tools/call" {
					headers, body = modern(1, method, "echo", `"arguments":`+hi)
				}
				c.post(headers+"Accept-Encoding: gzip\n", body)
			}
		}
		if v := c.srv.Violations(); v != nil {
			t.Errorf("%s on %v: %q", f.Name, sse, v)
		}
		lines = c.lines
	})
	return lines
}

// A conversation records the responses to a client.
type conversation struct {
	*peer
	lines []string
}

// ask sends a request and describes the response.
func (c *conversation) ask(method, path, headers, body string) string {
	synctest.Wait()
	resp, err := c.do(method, c.web.Base+path, "Host: server1.test\n"+headers, body)
	m := parseHTTP([]byte(body))
	if err == nil && m.method == "initialize" {
		c.session = resp.Header.Get("Mcp-Session-Id")
	}
	return strings.TrimSpace(method+" "+m.method+string(m.id)) + ": " + describe(resp, err)
}

func (c *conversation) post(headers, body string) string {
	c.lines = append(c.lines, c.ask("POST", "/mcp", headers, body))
	return c.lines[len(c.lines)-1]
}

func (c *conversation) get(method, headers string) {
	c.lines = append(c.lines, c.ask(method, "/mcp", headers, ""))
}

const listCall = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`

var eventIDs = regexp.MustCompile(`id: (stream-[0-9]+/[0-9]+)`)

// legacy probes the server and uses two sessions.
func (c *conversation) legacy() {
	c.post(modern(1, "server/discover", "", ""))
	for range 2 {
		c.session = ""
		if c.post("", initialize); c.session == "" || c.web.fault.id != nil {
			return
		}
		headers := version("2025-11-25")
		c.post(headers, initialized)
		if ids := eventIDs.FindAllStringSubmatch(c.post(headers, toolCall(1, "echo", hi)), -1); ids != nil {
			c.get("GET", headers+"Last-Event-ID: "+ids[len(ids)-1][1]+"\n")
		}
		c.post(headers, listCall)
		c.get("GET", headers)
		c.get("DELETE", headers)
	}
}

// sse uses a session of HTTP+SSE, whatever endpoint the server announces.
func (c *conversation) sse() {
	stream := make(chan string, 1)
	go func() { stream <- c.ask("GET", "/sse", "", "") }() // ends within a minute
	time.Sleep(time.Second)
	c.web.Handler.mu.Lock()
	path := ""
	for id := range c.web.sessions {
		path = "/message?session=" + url.QueryEscape(id)
	}
	c.web.Handler.mu.Unlock()
	for _, body := range []string{initialize, initialized, toolCall(1, "echo", hi), listCall} {
		if path == "" {
			break // there is no session, or no more
		}
		got := c.ask("POST", path, "", body)
		if c.lines = append(c.lines, got); body == initialize && !strings.Contains(got, ": 202 ") {
			break
		}
	}
	c.lines = append(c.lines, <-stream)
}
