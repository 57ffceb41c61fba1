package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// overHTTP returns options for a server at the URLs, of Streamable HTTP and HTTP+SSE.
func overHTTP(client *http.Client, note func(string), urls ...string) *Options {
	web := &WebOptions{Note: note, Explain: error.Error, Client: client, URL: urls[0]}
	for _, url := range urls {
		if strings.HasSuffix(url, "/sse") {
			web.SSE = true
		} else {
			web.Streamable = true
		}
	}
	o := &Options{Modern: true, Note: note}
	web.Note = func(line string) { o.Note(line) }
	o.Open = func(ctx context.Context, tap *Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		return NewWebStream(ctx, web, tap, dropped)
	}
	return o
}

// startHTTP starts a server over HTTP, in memory.
func startHTTP(t *testing.T, o *testserver.Options, h *testserver.HTTPOptions) *webServer {
	t.Helper()
	if h == nil {
		h = &testserver.HTTPOptions{}
	}
	h.InMemory = true
	server := testserver.New(o)
	web, err := testserver.StartHTTP(server, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	return &webServer{web, server}
}

// A webServer is a server over HTTP.
type webServer struct {
	*testserver.HTTPServer
	server *testserver.Server
}

// request sends a request and returns the messages until its response.
func (c *lineClient) request(line string) (before []string, response jsonrpc.Message) {
	c.t.Helper()
	sent, err := jsonrpc.Parse([]byte(line))
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(line)
	for {
		got := c.line()
		m, err := jsonrpc.Parse([]byte(got))
		if err != nil {
			c.t.Fatalf("%s: %v", got, err)
		}
		if m.Method == "" && m.ID == sent.ID {
			return before, m
		}
		before = append(before, got)
	}
}

// open begins a session.
func (c *lineClient) open() {
	c.t.Helper()
	if _, m := c.request(initialize); m.Result == nil {
		c.t.Fatal(m.Error)
	}
	c.send(initialized)
}

// TestLinesToHTTP: ids, progress tokens, requests of the server and their answers pass
// between a client with lines and a server over HTTP, in every era.
func TestLinesToHTTP(t *testing.T) {
	for _, form := range []testserver.Answers{testserver.Auto, testserver.Stream} {
		for _, sse := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				web := startHTTP(t, nil, &testserver.HTTPOptions{Answers: form})
				url := web.URL
				if sse {
					url = web.SSE
				}
				c := serveLines(t, overHTTP(web.Client(), func(line string) { t.Error(line) }, url))
				c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1))
				c.line()
				c.send(initialized)
				for _, id := range []string{`"a"`, "7", `"7"`, "-3"} {
					before, m := c.request(request(id, "tools/call", `{"name":"slow","arguments":{"steps":2,"seconds":1},"_meta":{"progressToken":`+id+`,"x":{"y":1}}}`))
					if m.Result == nil || m.ID.String() != id || len(before) != 2 || !strings.Contains(before[0], `"progressToken":`+id) {
						t.Errorf("%s: %s %v %s", id, m.Result, m.Error, before)
					}
				}
				c.send(request(99, "resources/read", `{"uri":"echo://roots"}`))
				ask, err := jsonrpc.Parse([]byte(c.line()))
				if err != nil || ask.Method != "roots/list" {
					t.Fatal(ask, err)
				}
				c.send(`{"jsonrpc":"2.0","id":` + ask.ID.String() + `,"result":{"roots":[{"uri":"file:///x"}]}}`)
				if m, err := jsonrpc.Parse([]byte(c.line())); err != nil || !strings.Contains(string(m.Result), "file:///x") {
					t.Errorf("%s %v %v", m.Result, m.Error, err)
				}
				if _, m := c.request(request(100, "no/such", "{}")); m.Error == nil || m.Error.Code != jsonrpc.CodeMethodNotFound {
					t.Error(m.Error)
				}
				c.in.Close()
				if err := c.result(); err != nil {
					t.Error(err)
				}
				for _, v := range web.server.Violations() {
					if !strings.Contains(v, "no/such") {
						t.Error(v)
					}
				}
				if leaks := web.Leaks(); leaks != nil {
					t.Error(leaks)
				}
			})
		}
	}
}

// TestLinesToStatelessHTTP: headers repeat the method, the name, and the arguments that
// the list of tools names, even if the client has not listed the tools.
func TestLinesToStatelessHTTP(t *testing.T) {
	for _, listed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := startHTTP(t, &testserver.Options{HeaderTool: true, ProtocolVersions: []string{"2026-07-28"}, PageSize: 3}, nil)
			c := serveLines(t, overHTTP(web.Client(), func(line string) { t.Error(line) }, web.URL))
			send := func(id, method, params string) ([]string, jsonrpc.Message) {
				body, _ := modern(id, method, "", params)
				return c.request(body)
			}
			if _, m := send("0", "server/discover", "{}"); m.Result == nil {
				t.Error(m.Error)
			}
			if listed {
				for cursor := ""; ; {
					_, m := send("1", "tools/list", "{"+cursor+"}")
					next := lookup(m.Result, "nextCursor")
					if next == "" {
						break
					}
					cursor = `"cursor":` + next
				}
			}
			for i := range 2 {
				if _, m := send(fmt.Sprint(10+i), "tools/call", `{"name":"mirror","arguments":{"text":"é","number":7,"flag":true}}`); m.Result == nil {
					t.Error(m.Error)
				}
			}
			body, _ := modern(`"sub"`, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true}}`)
			c.send(body)
			if ack := c.line(); !strings.Contains(ack, `subscriptionId":"sub"`) {
				t.Error(ack)
			}
			if before, m := send("20", "tools/call", `{"name":"add_tool","arguments":{}}`); m.Result == nil || len(before) == 0 && !strings.Contains(c.line(), `subscriptionId":"sub"`) {
				t.Error(m.Error, before)
			}
			c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
			if _, m := send("30", "no/such", "{}"); m.Error == nil || m.Error.Code != jsonrpc.CodeMethodNotFound {
				t.Error(m.Error)
			}
			c.in.Close()
			if err := c.result(); err != nil {
				t.Error(err)
			}
			for _, v := range web.server.Violations() {
				if (listed || !strings.Contains(v, "Mcp-Param")) && !strings.Contains(v, "no/such") {
					t.Error(v)
				}
			}
		})
	}
}

// TestSessionLostDuringCalls: the server forgets its sessions while calls are running.
// Those get an error or their response; later ones run once, in a session that the
// proxy has opened.
func TestSessionLostDuringCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, nil)
		var seen notes
		c := serveLines(t, overHTTP(web.Client(), seen.add, web.URL))
		c.open()
		for i := range 20 {
			c.send(request(100+i, "tools/call", `{"name":"slow","arguments":{"steps":1,"seconds":1}}`))
		}
		time.Sleep(time.Second / 2)
		web.LoseSessions()
		for i := range 20 {
			c.send(callEcho(200+i, fmt.Sprint("m", i)))
		}
		seenIDs := map[string]bool{}
		for range 40 {
			m, err := jsonrpc.Parse([]byte(c.line()))
			if err != nil || seenIDs[m.ID.String()] || m.ID.String() >= "200" && m.Result == nil {
				t.Error(m, err)
			}
			seenIDs[m.ID.String()] = true
		}
		calls := 0
		for _, m := range web.server.Received() {
			if strings.Contains(m.Line, `"name":"echo"`) {
				calls++
			}
		}
		if len(seenIDs) != 40 || strings.Count(seen.String(), "the proxy has opened another one") != 1 || calls != 20 {
			t.Errorf("%d responses, %d calls, notes %s", len(seenIDs), calls, seen.String())
		}
		c.in.Close()
		if err := c.result(); err != nil {
			t.Error(err)
		}
	})
}

// TestServerOverHTTPComesBack: a server that is away fails requests, with the reason, which
// the user sees, too, and does not end the proxy. Over HTTP+SSE the next request begins a session again.
func TestServerOverHTTPComesBack(t *testing.T) {
	for _, sse := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := startHTTP(t, nil, nil)
			url := web.URL
			if sse {
				url = web.SSE
			}
			var seen notes
			c := serveLines(t, overHTTP(web.Client(), seen.add, url))
			c.open()
			web.Down()
			time.Sleep(time.Second)
			_, m := c.request(callEcho(1, "x"))
			if m.Error == nil {
				t.Fatal("a response of a server that is away")
			}
			if reason, ok := strings.CutPrefix(m.Error.Message, "mcpecho proxy: "); !ok || !strings.Contains(seen.String(), reason) {
				t.Errorf("%v; the user sees %q", m.Error, seen.String())
			}
			web.Up()
			if _, m := c.request(callEcho(2, "x")); m.Result == nil {
				t.Error(m.Error)
			}
			c.in.Close()
			if err := c.result(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCancellationToHTTP: in a session the server gets the cancellation. The client gets no response, or the one that crosses its cancellation.
func TestCancellationToHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, nil)
		c := serveLines(t, overHTTP(web.Client(), func(line string) { t.Error(line) }, web.URL))
		c.open()
		crossed := map[string]bool{} // responses
		for i := range 100 {
			id := fmt.Sprint(`"c`, i, `"`)
			c.send(request(id, "tools/call", `{"name":"slow","arguments":{"steps":1,"seconds":0.1}}`))
			time.Sleep(100*time.Millisecond + time.Duration(i-50)*time.Microsecond)
			go c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"no longer needed"}}`)
			before, m := c.request(callEcho(1000+i, "x"))
			if m.Result == nil {
				t.Fatal(m.Error)
			}
			for _, line := range before { // a response may also cross the request after its cancellation
				if crossed[line] || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"c`) {
					t.Error(line)
				}
				crossed[line] = true
			}
			time.Sleep(time.Second)
		}
		c.in.Close()
		go io.Copy(io.Discard, c.out) // ends with the proxy
		if err := c.result(); err != nil {
			t.Error(err)
		}
		canceled := 0
		for _, m := range web.server.Received() {
			if m.Method == "notifications/cancelled" && strings.Contains(m.Line, `"requestId":"c`) && strings.Contains(m.Line, "no longer needed") {
				canceled++
			}
		}
		if canceled < 30 {
			t.Errorf("the server has received %d cancellations", canceled)
		}
		if v := web.server.Violations(); v != nil {
			t.Error(v)
		}
	})
}

// TestPipelinedToHTTP: each of 2,000 requests that a client sends at once gets its
// response, with its own id.
func TestPipelinedToHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, nil)
		c := serveLines(t, overHTTP(web.Client(), func(line string) { t.Error(line) }, web.URL))
		c.open()
		const n = 2000
		go func() {
			for i := range n {
				c.send(callEcho(i+1, fmt.Sprint("m", i+1)))
			}
		}()
		seen := map[string]bool{}
		for range n {
			m, err := jsonrpc.Parse([]byte(c.line()))
			if err != nil || !strings.Contains(string(m.Result), `"m`+m.ID.String()+`"`) || seen[m.ID.String()] {
				t.Fatal(m, err)
			}
			seen[m.ID.String()] = true
		}
		c.in.Close()
		if err := c.result(); err != nil {
			t.Error(err)
		}
	})
}

// TestOtherTransport: the proxy uses HTTP+SSE if the URL is one of it, as clients of
// both transports do.
func TestOtherTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, &testserver.HTTPOptions{SSEOnly: true})
		o := overHTTP(web.Client(), func(line string) { t.Error(line) }, web.SSE, web.URL)
		c := serveLines(t, o)
		if _, m := c.request(request(1, "server/discover", modernMeta)); m.Error == nil || m.Error.Code != jsonrpc.CodeMethodNotFound {
			t.Error(m.Error)
		}
		c.open()
		if _, m := c.request(callEcho(2, "x")); m.Result == nil {
			t.Error(m.Error)
		}
		c.in.Close()
		if err := c.result(); err != nil {
			t.Error(err)
		}
	})
}

// TestJSONOverSeveralLinesOfAnHTTPServer is one line for the client.
func TestJSONOverSeveralLinesOfAnHTTPServer(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, _ := jsonrpc.Parse(body)
		if r.Method != "POST" || !m.IsRequest() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", eventStream)
		_, _ = io.WriteString(w, "data: {\ndata:   \"jsonrpc\": \"2.0\",\r\ndata:   \"method\": \"x\", \"params\": {\ndata: \"a\": 1}\ndata: }\n\n")
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"result\": {\ndata: \"protocolVersion\":\ndata: \"2025-11-25\"}, \"id\":"+m.ID.String()+"}\n\n")
	})
	f := serveWeb(t, h, false)
	c := serveLines(t, overHTTP(f.client, func(string) {}, f.url))
	before, m := c.request(initialize)
	if string(m.Result) != `{"protocolVersion":"2025-11-25"}` || len(before) != 1 || before[0] != `{"jsonrpc":"2.0","method":"x","params":{"a":1}}` {
		t.Errorf("%s %v %s", m.Result, m.Error, before)
	}
	c.in.Close()
	if err := c.result(); err != nil {
		t.Error(err)
	}
}

// TestMistakesToHTTP: lines that are not messages, and a batch in a protocol version
// without batches, reach the server, which responds to them.
func TestMistakesToHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, nil)
		c := serveLines(t, overHTTP(web.Client(), func(string) {}, web.URL))
		c.open()
		for line, code := range map[string]int64{"nonsense": jsonrpc.CodeParseError, `{"jsonrpc":"2.0"}`: jsonrpc.CodeInvalidRequest, "[" + callEcho(1, "x") + "]": jsonrpc.CodeInvalidRequest} {
			c.send(line)
			if m, err := jsonrpc.Parse([]byte(c.line())); err != nil || m.Error == nil || m.Error.Code != code {
				t.Error(m, err)
			}
		}
		c.in.Close()
		go io.Copy(io.Discard, c.out) // the request in the batch has no response; ends with the proxy
		if err := c.result(); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// TestBatchToHTTP: a batch passes as one, and so does the response to it.
func TestBatchToHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := startHTTP(t, nil, nil)
		c := serveLines(t, overHTTP(web.Client(), func(string) {}, web.URL))
		c.request(strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
		c.send(initialized, "["+callEcho(1, "x")+","+callEcho(2, "y")+"]", callEcho(3, "z"))
		all := ""
		for strings.Count(all, `"id"`) < 3 {
			all += c.line()
		}
		for _, part := range []string{`"id":1`, `"id":2`, `"id":3`} {
			if !strings.Contains(all, part) {
				t.Error(all)
			}
		}
		c.in.Close()
		if err := c.result(); err != nil {
			t.Error(err)
		}
	})
}
