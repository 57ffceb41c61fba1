package testserver

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLegacyConversation(t *testing.T) {
	for _, revision := range legacy {
		for form, o := range map[string]*HTTPOptions{
			"auto": {}, "json": {Answers: JSON}, "stream": {Answers: Stream, Resumable: true, Retry: "10", Chunk: 7}, "stateless": {Stateless: true},
		} {
			t.Run(revision+"/"+form, func(t *testing.T) {
				o.InMemory = true
				p := start(t, nil, o)
				p.initialize(revision)
				if (p.session == "") != o.Stateless {
					t.Errorf("session id %q", p.session)
				}
				resp := p.do("POST", p.web.URL, version(revision), toolCall(1, "echo", hi))
				body, kind := p.text(resp), resp.Header.Get("Content-Type")
				want, wantKind := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}`, "application/json"
				if form == "stream" {
					want, wantKind = "id: stream-2/0\nretry: 10\ndata: \n\nid: stream-2/1\nevent: message\ndata: "+want+"\n\n", "text/event-stream"
				}
				if resp.StatusCode != 200 || kind != wantKind || body != want {
					t.Errorf("%d %s %q", resp.StatusCode, kind, body)
				}
				if form != "json" {
					status, body := p.post(version(revision), strings.Replace(toolCall(2, "slow", `{"seconds":0,"steps":2}`), `"arguments"`, `"_meta":{"progressToken":1},"arguments"`, 1))
					if status != 200 || strings.Count(body, "event: message") != 3 {
						t.Errorf("%d %q", status, body)
					}
				}
				if resp := p.do("DELETE", p.web.URL, version(revision), ""); resp.StatusCode != 204 && !o.Stateless {
					t.Error(resp.Status)
				}
				if n := p.web.Sessions(); n != 0 {
					t.Error(n, "sessions")
				}
				p.lawful()
			})
		}
	}
}

func TestModernConversation(t *testing.T) {
	for form, answers := range map[string]Answers{"auto": Auto, "json": JSON, "stream": Stream} {
		t.Run(form, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{Answers: answers, InMemory: true, Resumable: true})
			for _, test := range []struct {
				method, name, params string
				status               int
				want                 string
			}{
				{"server/discover", "", "", 200, `"supportedVersions":["2026-07-28",`},
				{"tools/call", "echo", `"arguments":{"message":"hi"}`, 200, `"text":"hi"`},
				{"resources/read", "echo://text", "", 200, `"contents":[`},
				{"prompts/get", "hello", "", 200, `"messages":[`},
				{"tools/call", "log", `"arguments":{}`, 200, `Logged.`},
				{"tools/call", "ask_roots", "", 400, `"code":-32021`},
			} {
				status, body := p.post(modern(1, test.method, test.name, test.params))
				if status != test.status || !strings.Contains(body, test.want) || strings.Contains(body, "id: ") {
					t.Errorf("%s: %d %s", test.method, status, body)
				}
				if stream := strings.HasPrefix(body, "event: message\n"); status == 200 && stream != (answers == Stream) {
					t.Errorf("%s: %s", test.method, body)
				}
			}
			p.lawful()
		})
	}
}

func TestModernRefusals(t *testing.T) {
	for _, test := range []struct {
		name, headers, body string
		status              int
		want, violation     string
	}{
		{"unknown revision", "Mcp-Protocol-Version: 2099-01-01", "2026-07-28 2099-01-01", 400, `"code":-32022`, ""},
		{"unknown method", "Mcp-Method: no/such", "tools/list no/such", 404, `"code":-32601`, "Method not found"},
		{"no version header", "Mcp-Protocol-Version:", "", 400, `"code":-32020`, "there 0 times"},
		{"another version", "Mcp-Protocol-Version: 2025-11-25", "", 400, `"code":-32020`, "does not match"},
		{"no method header", "Mcp-Method:", "", 400, `"code":-32020`, "Mcp-Method"},
		{"another method", "Mcp-Method: Tools/list", "", 400, `"code":-32020`, "Mcp-Method"},
		{"no capabilities", "", "clientCapabilities other", 400, `"code":-32602`, "clientCapabilities"},
		{"a session id", "Mcp-Session-Id: x", "", 200, `"tools":[`, "Mcp-Session-Id in the modern era"},
		{"last event", "Last-Event-ID: x", "", 200, `"tools":[`, "Last-Event-Id in the modern era"},
		{"no JSON type", "Content-Type: text/plain", "", 415, "", "Content-Type"},
		{"half an Accept", "Accept: application/json", "", 406, "", "Accept"},
		{"any Accept", "Accept: */*", "", 406, "", "Accept"},
		{"an origin", "Origin: http://evil.example", "", 403, "", ""},
		{"no JSON", "", `{"jsonrpc ,`, 400, `"code":-32700`, "expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{InMemory: true})
			headers, body := modern(1, "tools/list", "", "")
			if from, to, ok := strings.Cut(test.body, " "); ok {
				body = strings.Replace(body, from, to, 1)
			}
			status, got := p.post(headers+test.headers, body)
			if status != test.status || !strings.Contains(got, test.want) {
				t.Errorf("%d %s", status, got)
			}
			if test.violation == "" {
				p.lawful()
			} else if test.name != "no JSON" {
				p.guilty(test.violation)
			}
		})
	}
}

func TestClosingTheStreamCancels(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: Stream})
	headers, body := modern(1, "tools/call", "slow", `"arguments":{"seconds":3600}`)
	resp := p.do("POST", p.web.URL, headers, body)
	resp.Body.Close()
	if leaks := p.web.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	p.lawful()
}

func TestSubscriptionIsALongStream(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Answers: JSON})
	headers, body := modern(1, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	resp := p.do("POST", p.web.URL, headers, body)
	r := bufio.NewReader(resp.Body)
	if got := events(t, r, 1)[0]; !strings.Contains(got, "acknowledged") {
		t.Error(got)
	}
	p.post(modern(2, "tools/call", "add_tool", ""))
	if got := events(t, r, 1)[0]; !strings.Contains(got, "notifications/tools/list_changed") {
		t.Error(got)
	}
	resp.Body.Close()
	if leaks := p.web.Leaks(); leaks != nil {
		t.Error(leaks)
	}
	p.lawful()
}

// Legacy servers ask on the stream of a call, or on that of GET when answers
// are JSON.
func TestServerAsks(t *testing.T) {
	for form, answers := range map[string]Answers{"stream": Stream, "auto": Auto, "json": JSON} {
		t.Run(form, func(t *testing.T) {
			p := start(t, nil, &HTTPOptions{Answers: answers})
			p.initialize("2025-11-25")
			listening := p.do("GET", p.web.URL, version("2025-11-25"), "")
			defer listening.Body.Close()
			answered := make(chan *http.Response, 1)
			go func() { answered <- p.do("POST", p.web.URL, version("2025-11-25"), toolCall(1, "ask_roots", "{}")) }()
			from := listening
			if answers != JSON {
				from = <-answered
				answered <- from
			}
			r := bufio.NewReader(from.Body)
			asked := events(t, r, 1)[0]
			id, ok := strings.CutPrefix(asked, `{"jsonrpc":"2.0","id":"`)
			id, _, _ = strings.Cut(id, `"`)
			if !ok || !strings.Contains(asked, `"roots/list"`) {
				t.Fatal(asked)
			}
			status, body := p.post(version("2025-11-25"), `{"jsonrpc":"2.0","id":"`+id+`","result":{"roots":[{"uri":"file:///x"}]}}`)
			if status != 202 || body != "" {
				t.Error(status, body)
			}
			resp := <-answered
			if from == resp {
				if got := events(t, r, 1)[0]; !strings.Contains(got, "file:///x") {
					t.Error(got)
				}
				resp.Body.Close()
			} else if got := p.text(resp); !strings.Contains(got, "file:///x") {
				t.Error(got)
			}
			p.lawful()
		})
	}
}

func TestResumption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, nil, &HTTPOptions{Answers: Stream, Resumable: true, InMemory: true})
		p.initialize("2025-11-25")
		resp := p.do("POST", p.web.URL, version("2025-11-25"),
			strings.Replace(toolCall(1, "slow", `{"seconds":3,"steps":3}`), `"arguments"`, `"_meta":{"progressToken":1},"arguments"`, 1))
		if got := events(t, bufio.NewReader(resp.Body), 1)[0]; !strings.Contains(got, "step 1") {
			t.Error(got)
		}
		resp.Body.Close()
		time.Sleep(time.Minute)
		resp = p.do("GET", p.web.URL, version("2025-11-25")+"Last-Event-ID: stream-2/1", "")
		if got := p.text(resp); strings.Count(got, "data: {") != 3 || !strings.Contains(got, "Done after 3 seconds") ||
			!strings.Contains(got, "id: stream-2/2\n") || strings.Contains(got, "step 1") {
			t.Error(got)
		}
		p.lawful()
		if resp := p.do("GET", p.web.URL, version("2025-11-25")+"Last-Event-ID: stream-2/9", ""); resp.StatusCode != 400 {
			t.Error(resp.Status)
		}
		p.guilty("no event of this session")
	})
}

func TestListeningStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, nil, &HTTPOptions{InMemory: true, KeepAlive: time.Minute})
		p.initialize("2025-06-18")
		resp := p.do("GET", p.web.URL, version("2025-06-18")+"Accept: text/event-stream", "")
		defer resp.Body.Close()
		p.post(version("2025-06-18"), toolCall(1, "add_tool", "{}"))
		r := bufio.NewReader(resp.Body)
		if got := events(t, r, 1)[0]; !strings.Contains(got, "list_changed") {
			t.Error(got)
		}
		_, _ = r.ReadString('\n')
		begin := time.Now()
		if line, err := r.ReadString('\n'); line != ": still here\n" || err != nil || time.Since(begin) != time.Minute {
			t.Errorf("%q %v after %v", line, err, time.Since(begin))
		}
		if leaks := p.web.Leaks(); len(leaks) != 1 || leaks[0] != "GET /mcp" {
			t.Errorf("leaks %q", leaks)
		}
		p.web.ForgetSessions()
		if leaks := p.web.Leaks(); leaks != nil {
			t.Errorf("leaks %q", leaks)
		}
		if status, body := p.post(version("2025-06-18"), toolCall(2, "echo", hi)); status != 404 || !strings.Contains(body, "Session not found") {
			t.Error(status, body)
		}
		p.lawful()
	})
}

func TestHTTPWithSSE(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Prefix: "/api", Answers: JSON})
	resp := p.do("GET", p.web.SSE, "Accept: text/event-stream", "")
	r := bufio.NewReader(resp.Body)
	endpoint := events(t, r, 1)[0]
	if !strings.HasPrefix(endpoint, "/api/message?session=") {
		t.Fatal(endpoint)
	}
	for _, test := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, "-32601"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},` +
			`"clientInfo":{"name":"t","version":"1"}}}`, `"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{toolCall(2, "echo", hi), `"text":"hi"`},
		{toolCall(3, "log", "{}"), "This is what info looks like."},
	} {
		resp := p.do("POST", p.web.Base+endpoint, "", test.body)
		if body := p.text(resp); resp.StatusCode != 202 || body != "" {
			t.Error(resp.StatusCode, body)
		}
		if test.want != "" {
			if got := events(t, r, 1)[0]; !strings.Contains(got, test.want) {
				t.Error(got)
			}
		}
	}
	p.lawful()
	resp.Body.Close()
	if leaks, n := p.web.Leaks(), p.web.Sessions(); leaks != nil || n != 0 {
		t.Error(leaks, n)
	}
}

func TestTransportsAndErasLeftOut(t *testing.T) {
	for _, test := range []struct {
		name      string
		revisions []string
		o         HTTPOptions
		method    string
		path      string
		status    int
	}{
		{"no SSE", nil, HTTPOptions{StreamableOnly: true}, "GET", "/sse", 404},
		{"nor its endpoint", nil, HTTPOptions{StreamableOnly: true}, "POST", "/message", 404},
		{"SSE is for legacy", []string{"2026-07-28"}, HTTPOptions{}, "GET", "/sse", 404},
		{"no Streamable HTTP", nil, HTTPOptions{SSEOnly: true}, "POST", "/mcp", 404},
		{"POST to the stream", nil, HTTPOptions{SSEOnly: true}, "POST", "/sse", 405},
		{"GET in the modern era", []string{"2026-07-28"}, HTTPOptions{}, "GET", "/mcp", 405},
		{"DELETE in the modern era", []string{"2026-07-28"}, HTTPOptions{}, "DELETE", "/mcp", 405},
		{"a place that there is not", nil, HTTPOptions{}, "GET", "/", 404},
		{"outside of the prefix", nil, HTTPOptions{Prefix: "/api"}, "POST", "/mcp", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.InMemory = true
			p := start(t, &Options{ProtocolVersions: test.revisions}, &test.o)
			if resp := p.do(test.method, p.web.Base+test.path, "", ""); resp.StatusCode != test.status {
				t.Error(resp.Status)
			}
		})
	}
}

func TestDiscoverOnALegacyServer(t *testing.T) {
	p := start(t, &Options{ProtocolVersions: legacy}, &HTTPOptions{InMemory: true})
	status, body := p.post(modern(1, "server/discover", "", ""))
	if status != 400 || !strings.Contains(body, `"code":-32000`) {
		t.Error(status, body)
	}
	p.lawful()
}

func TestInitializeOnAModernServer(t *testing.T) {
	p := start(t, &Options{ProtocolVersions: []string{"2026-07-28"}}, &HTTPOptions{InMemory: true})
	status, body := p.post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	if status != 400 || !strings.Contains(body, `"code":-32020`) || !strings.Contains(body, "2026-07-28") {
		t.Error(status, body)
	}
	p.lawful()
}

func TestTLSWithHTTP2(t *testing.T) {
	for _, inMemory := range []bool{false, true} {
		p := start(t, nil, &HTTPOptions{TLS: true, InMemory: inMemory})
		headers, body := modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`)
		resp := p.do("POST", p.web.URL, headers, body)
		if got := p.text(resp); resp.ProtoMajor != 2 || !strings.Contains(got, `"text":"hi"`) {
			t.Error(resp.Proto, got)
		}
		if n := p.web.Conns(); n != 1 {
			t.Error(n, "connections")
		}
	}
}

func TestOwnOrigin(t *testing.T) {
	p := start(t, nil, nil)
	headers, body := modern(1, "tools/list", "", "")
	if status, got := p.post(headers+"Origin: "+p.web.Base, body); status != 200 {
		t.Error(status, got)
	}
}

// A page whose name was made to stand for this machine is refused, whether it
// sends an origin or not.
func TestNameOfSomebodyElse(t *testing.T) {
	p := start(t, nil, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(p.web.Base, "http://"), ":")
	for host, want := range map[string]int{"evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "localhost": 405, "127.0.0.1": 405, "[::1]": 405} {
		req, err := http.NewRequest("PUT", p.web.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host + ":" + port
		resp, err := p.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", host, resp.Status)
		}
	}
	p.guilty("a method that MCP does not use")
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

func TestManyCallsAtOnce(t *testing.T) {
	p := start(t, nil, &HTTPOptions{Resumable: true})
	p.initialize("2025-11-25")
	var running sync.WaitGroup
	for i := range 20 {
		running.Go(func() {
			for j := range 20 {
				id := 1 + i*20 + j
				resp := p.do("POST", p.web.URL, version("2025-11-25"), toolCall(id, []string{"echo", "log"}[j%2], hi))
				if got := p.text(resp); !strings.Contains(got, fmt.Sprintf(`"id":%d,"result"`, id)) {
					t.Error(got)
				}
			}
		})
	}
	running.Wait()
	p.lawful()
}

func TestStormWaitsForItsReader(t *testing.T) {
	p := start(t, &Options{Fault: "notification-storm", Size: 30_000}, nil)
	_, got := p.post(modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`))
	if n := strings.Count(got, "notifications/message"); n != 30_000 || !strings.HasSuffix(got, "}\n\n") {
		t.Error(n, "notifications")
	}
}
