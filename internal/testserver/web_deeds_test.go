package testserver

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLostSessions(t *testing.T) {
	for fault, want := range map[string][]int{
		"session-lost": {404, 200}, "session-lost-400": {400, 200}, "session-lost-again": {404, 404}, "": {200, 200},
	} {
		p := start(t, &Options{Fault: fault}, &HTTPOptions{InMemory: true})
		for _, want := range want {
			p.initialize("2025-11-25")
			if status, body := p.post(version("2025-11-25"), toolCall(1, "echo", hi)); status != want {
				t.Errorf("%q: %d %s", fault, status, body)
			}
			if status, _ := p.post(version("2025-11-25"), toolCall(2, "add", `{"a":1,"b":2}`)); (status == 404) == (want == 200) {
				t.Errorf("%q: then %d", fault, status)
			}
			p.session = ""
		}
		p.lawful()
	}
}

func TestFaultsThatPass(t *testing.T) {
	for _, fault := range []string{"retry-after-seconds", "header-mismatch-once"} {
		p := start(t, &Options{Fault: fault}, &HTTPOptions{InMemory: true})
		echo := func(want bool) {
			t.Helper()
			status, body := p.post(modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`))
			if want != (status == 200) {
				t.Error(fault, status, body)
			}
		}
		echo(false)
		if fault == "header-mismatch-once" {
			echo(false)
			p.post(modern(2, "tools/list", "", ""))
		}
		echo(true)
		p.lawful()
	}
}

func TestAnswerGoesAstray(t *testing.T) {
	p := start(t, &Options{Fault: "astray"}, &HTTPOptions{Answers: Stream})
	headers, body := modern(1, "tools/call", "slow", `"arguments":{"seconds":3600}`)
	other := p.do("POST", p.web.URL, headers, body)
	defer other.Body.Close()
	if status, body := p.post(modern(2, "tools/call", "echo", `"arguments":{"message":"hi"}`)); status != 200 || body != "" {
		t.Error(status, body)
	}
	if got := events(t, bufio.NewReader(other.Body), 1)[0]; !strings.Contains(got, `"id":2,"result"`) {
		t.Error(got)
	}
}

func TestAnswerGoesToGet(t *testing.T) {
	p := start(t, &Options{Fault: "astray-on-get"}, &HTTPOptions{})
	p.initialize("2025-11-25")
	listening := p.do("GET", p.web.URL, version("2025-11-25"), "")
	defer listening.Body.Close()
	if status, body := p.post(version("2025-11-25"), toolCall(2, "echo", hi)); status != 200 || body != "" {
		t.Error(status, body)
	}
	if got := events(t, bufio.NewReader(listening.Body), 1)[0]; !strings.Contains(got, `"id":2,"result"`) {
		t.Error(got)
	}
}

// The Go client follows redirects as browsers do.
func TestRedirects(t *testing.T) {
	for fault, violation := range map[string]string{
		"redirect-307": "", "redirect-308": "", "moved": "", "redirect-chain": "",
		"redirect-301": "into a GET", "redirect-302": "into a GET", "redirect-303": "into a GET",
		"redirect-elsewhere-307": "a message was sent to another origin", "redirect-elsewhere-308": "a message was sent to another origin",
		"moved-elsewhere": "a message was sent to another origin",
	} {
		p := start(t, &Options{Fault: fault}, &HTTPOptions{InMemory: true})
		p.client.CheckRedirect = nil
		status, body := p.post(modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`))
		if violation == "" {
			p.lawful()
			if status != 200 || !strings.Contains(body, `"text":"hi"`) {
				t.Error(fault, status, body)
			}
		} else {
			p.guilty(violation)
		}
		if n := len(p.web.Elsewhere()); (n > 0) != strings.Contains(fault, "elsewhere") {
			t.Error(fault, n, "requests elsewhere")
		}
	}
}

func TestPackedStreams(t *testing.T) {
	p := start(t, &Options{Fault: "stream-gzip"}, &HTTPOptions{InMemory: true})
	headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)
	resp, content, _, err := p.send("POST", "/mcp", headers+"Accept-Encoding: gzip\n", body)
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(resp, content, nil); resp.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(got, "hi") {
		t.Error(got)
	}
}

func TestFromTLSToNone(t *testing.T) {
	p := start(t, &Options{Fault: "redirect-http"}, &HTTPOptions{TLS: true})
	headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)
	resp := p.do("POST", p.web.URL, headers, body)
	resp.Body.Close()
	if to := resp.Header.Get("Location"); !strings.HasPrefix(to, "http://127.0.0.1:") || !strings.HasSuffix(to, "/mcp") {
		t.Error(to)
	}
}

func TestBadCertificate(t *testing.T) {
	p := start(t, &Options{Fault: "bad-certificate"}, &HTTPOptions{TLS: true})
	if _, err := p.client.Get(p.web.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}

func TestRefusedConnections(t *testing.T) {
	for _, inMemory := range []bool{false, true} {
		p := start(t, nil, &HTTPOptions{InMemory: inMemory})
		p.post(modern(1, "tools/list", "", ""))
		p.web.Refuse()
		if status, _ := p.post(modern(1, "tools/list", "", "")); status != 200 {
			t.Error("the connection that there was:", status)
		}
		p.client.CloseIdleConnections()
		if _, err := p.client.Get(p.web.URL); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Error(err)
		}
	}
}

func TestBodiesThatAreNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &Options{Fault: "reads-nothing"}, &HTTPOptions{InMemory: true})
		if status, body := p.post(modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)); status != 200 {
			t.Error(status, body)
		}
		headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"`+strings.Repeat("x", 1<<20)+`"}`)
		got := make(chan string, 1)
		go func() { got <- p.raw("POST", "/mcp", headers, body) }()
		if answer := <-got; answer != "error: silence" {
			t.Error(answer)
		}
		if leaks := p.web.Leaks(); leaks != nil {
			t.Error(leaks)
		}
	})
}

// With HTTP/2 a stream is reset where with HTTP/1.1 the connection is.
func TestResetsWithHTTP2(t *testing.T) {
	for _, fault := range []string{"resets", "resets-midway", "event-reset", "length-too-short"} {
		p := start(t, &Options{Fault: fault}, &HTTPOptions{TLS: true})
		headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)
		req, err := http.NewRequestWithContext(t.Context(), "POST", p.web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		for line := range strings.Lines(headers) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			req.Header.Set(name, value)
		}
		resp, err := p.client.Do(req)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Error(fault, "is no error")
		}
		if status, _ := p.post(modern(2, "tools/list", "", "")); status != 200 || p.web.Conns() != 1 {
			t.Error(fault, status, p.web.Conns())
		}
	}
}

// Faults that lie in messages are the same on every transport.
func TestFaultsOfTheEngine(t *testing.T) {
	for _, f := range Faults() {
		if f.call == nil || f.On == "S" || f.Method != "" || f.Name == "subscription-storm" { // that goes where what belongs to no call goes
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := &Options{Fault: f.Name, Size: 100, ProtocolVersions: legacy, Delay: 25 * time.Second}
				direct := directly(engine)
				p := start(t, engine, &HTTPOptions{Answers: Stream, InMemory: true})
				p.initialize("2025-11-25")
				streamable := p.data("POST", "/mcp", version("2025-11-25"), callWithToken)
				if !slices.Equal(streamable, direct) {
					t.Errorf("Streamable HTTP: %q\nwant %q", streamable, direct)
				}
				p = start(t, engine, &HTTPOptions{InMemory: true})
				stream := make(chan []string, 1)
				go func() { stream <- p.data("GET", "/sse", "", "") }() // ends within a minute
				synctest.Wait()
				for _, body := range []string{initialize, initialized, callWithToken} {
					p.raw("POST", p.endpoint(), "", body)
				}
				if sse := (<-stream)[2:]; !slices.Equal(sse, direct) {
					t.Errorf("HTTP+SSE: %q\nwant %q", sse, direct)
				}
			})
		})
	}
}

var callWithToken = strings.Replace(toolCall(1, "echo", hi), `"arguments"`, `"_meta":{"progressToken":"tok"},"arguments"`, 1)

// directly returns what the engine says to the call within a minute.
func directly(o *Options) (list []string) {
	s := New(o).NewSession(nil)
	defer s.Close()
	for _, body := range []string{initialize, initialized, callWithToken} {
		list = nil
		said := make(chan string, 1000)
		run := s.Handle(contextOfAMinute(), []byte(body), func(msg []byte) { said <- string(msg) })
		if run != nil {
			run()
		}
		close(said)
		for msg := range said {
			list = append(list, msg)
		}
	}
	return list
}

func contextOfAMinute() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Minute-time.Second/2, cancel)
	return ctx
}
