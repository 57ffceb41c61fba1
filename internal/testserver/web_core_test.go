package testserver

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
)

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

func TestStormWaitsForItsReader(t *testing.T) {
	p := start(t, &Options{Fault: "notification-storm", Size: 30_000}, nil)
	_, got := p.post(modern(1, "tools/call", "echo", `"arguments":{"message":"hi"}`))
	if n := strings.Count(got, "notifications/message"); n != 30_000 || !strings.HasSuffix(got, "}\n\n") {
		t.Error(n, "notifications")
	}
}
