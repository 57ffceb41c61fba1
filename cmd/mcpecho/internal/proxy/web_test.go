package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestEqualIDsOfTwoClients: the requests of two clients have the same id and the same
// progress token, at the same time, and each gets its own responses: in sessions, and
// in the era without them.
func TestEqualIDsOfTwoClients(t *testing.T) {
	t.Parallel()
	f := serveWeb(t, NewWeb(echo(nil)), false)
	check := func(name string, all []string) {
		if len(all) < 2 || !strings.Contains(all[0], `"progressToken":"tok"`) || !strings.Contains(all[len(all)-1], `"id":"same"`) {
			t.Errorf("%s: %s", name, all)
		}
		for _, message := range all {
			if strings.Contains(message, `"progressToken"`) && !strings.Contains(message, `"progressToken":"tok"`) {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
	const params = `{"name":"slow","arguments":{"steps":4,"seconds":0.2},"_meta":{"progressToken":"tok"}}`
	var wg sync.WaitGroup
	for i := range 2 {
		session := f.session()
		wg.Go(func() {
			_, all := f.post(request(`"same"`, "tools/call", params), session...)
			check(fmt.Sprint("session ", i), all)
		})
		wg.Go(func() {
			body, header := modern(`"same"`, "tools/call", "slow", params)
			_, all := f.post(body, header...)
			check(fmt.Sprint("modern ", i), all)
		})
	}
	wg.Wait()
}

// TestSubscriptionsOfTwoClients: each gets its own id in the notifications of its
// subscription.
func TestSubscriptionsOfTwoClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
		ctx, leave := context.WithCancel(t.Context())
		var streams [2]*http.Response
		for i, id := range []string{`"sub"`, `"sub"`} {
			body, header := modern(id, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true}}`)
			resp, err := f.do(ctx, "POST", body, header...)
			if err != nil {
				t.Fatal(err)
			}
			streams[i] = resp
		}
		body, header := modern("1", "tools/call", "add_tool", `{"name":"add_tool","arguments":{}}`)
		if m := f.call(body, header...); m.Error != nil {
			t.Error(m.Error)
		}
		for _, resp := range streams {
			buf := make([]byte, 4096)
			text := ""
			for !strings.Contains(text, "list_changed") {
				n, err := resp.Body.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				text += string(buf[:n])
			}
			if n := strings.Count(text, `subscriptionId":"sub"`); n < 2 || n != strings.Count(text, "subscriptionId") {
				t.Error(text)
			}
		}
		leave()
	})
}

// TestClientThatVanishesWithoutFIN: the comments on its stream do not arrive, so its
// server ends, after a time in which it could have returned.
func TestClientThatVanishesWithoutFIN(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := NewWeb(inMemory(testserver.New(nil)))
		f := serveWeb(t, web, true)
		session := f.session()
		resp, err := f.do(t.Context(), "GET", "", session...)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now() // from now on the client reads nothing
		web.running.Wait()
		if took := time.Since(began); took < keepAlive || took > keepAlive+stallTime+brokenTime+time.Second {
			t.Errorf("the session ended after %v", took)
		}
		_ = resp.Body.Close()
		if status, all := f.post(callEcho(1, "x"), session...); status != 404 {
			t.Error(status, all)
		}
	})
}

// TestSessionsEnd: by DELETE, or after ten minutes without a request, and not because a
// client opens its stream again.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := NewWeb(inMemory(testserver.New(nil)))
		f := serveWeb(t, web, true)
		first, second := f.session(), f.session()
		resp, err := f.do(t.Context(), "DELETE", "", first...)
		if err != nil || resp.StatusCode != 204 {
			t.Error(resp, err)
		}
		if status, _ := f.post(callEcho(1, "x"), first...); status != 404 {
			t.Error(status)
		}
		for i := range 3 {
			ctx, leave := context.WithCancel(t.Context())
			if resp, err = f.do(ctx, "GET", "", second...); err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
			leave()
			_ = resp.Body.Close()
			time.Sleep(brokenTime - time.Second)
			if m := f.call(callEcho(i+1, "x"), second...); m.Result == nil {
				t.Error(m)
			}
		}
		time.Sleep(idleTime - time.Second)
		if m := f.call(callEcho(9, "x"), second...); m.Result == nil {
			t.Error(m)
		}
		time.Sleep(idleTime + time.Second)
		synctest.Wait()
		if status, _ := f.post(callEcho(1, "x"), second...); status != 404 {
			t.Error(status)
		}
	})
}

// TestCommonConnectionEnds: that of requests without a session, after ten minutes without
// one. The next request has another.
func TestCommonConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := NewWeb(inMemory(testserver.New(nil)))
		f := serveWeb(t, web, true)
		for range 2 {
			body, header := modern("1", "server/discover", "", "{}")
			if m := f.call(body, header...); m.Result == nil {
				t.Error(m.Error)
			}
			began := time.Now()
			web.running.Wait()
			if took := time.Since(began); took < idleTime || took > idleTime+time.Second {
				t.Errorf("it ended after %v", took)
			}
		}
	})
}

// TestSecondGeneralStream is refused, and the first one continues.
func TestSecondGeneralStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
		session := f.session()
		resp, err := f.do(t.Context(), "GET", "", session...)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := f.do(t.Context(), "GET", "", session...); err != nil || second.StatusCode != http.StatusConflict {
			t.Error(second, err)
		}
		if m := f.call(request(1, "tools/call", `{"name":"add_tool","arguments":{}}`), session...); m.Result == nil {
			t.Error(m)
		}
		_ = resp.Body.Close()
	})
}

// TestSixteenSessions: a seventeenth is refused until one ends.
func TestSixteenSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
		var session []string
		for range maxSessions {
			session = f.session()
		}
		if status, all := f.post(initialize); status != 503 || !strings.Contains(all[0], "16 sessions are open") {
			t.Error(status, all)
		}
		if _, err := f.do(t.Context(), "DELETE", "", session...); err != nil {
			t.Error(err)
		}
		f.session()
	})
}

// TestServerDiesOverHTTP: in initialize the client gets the reason, and no session;
// later the session is gone, and the next one has another process.
func TestServerDiesOverHTTP(t *testing.T) {
	t.Parallel()
	var seen notes
	o := program("die")
	o.Note = seen.add
	web := NewWeb(o)
	f := serveWeb(t, web, false)
	resp, err := f.do(t.Context(), "POST", initialize)
	if err != nil {
		t.Fatal(err)
	}
	all, err := messages(resp)
	if err != nil || len(all) != 1 || !strings.Contains(all[0], "exited with status 3: fatal: no such database") || resp.Header.Get(sessionHeader) != "" {
		t.Error(resp.Status, all, err)
	}
	web.running.Wait()
	if !strings.Contains(seen.String(), "no such database") {
		t.Error(seen.String())
	}
	body, header := modern("7", "server/discover", "", "{}")
	status, all := f.post(body, header...)
	if status != 404 || !strings.Contains(all[0], `"id":7`) || !strings.Contains(all[0], "no such database") {
		t.Error(status, all)
	}
	if m := serveWeb(t, NewWeb(command([]string{"/nonexistent/server"})), false).call(initialize); m.Error == nil || !strings.Contains(m.Error.Message, "/nonexistent/server") {
		t.Error(m)
	}
}

// TestServerComesBack: the process of a session is killed during a call, which gets the
// reason. The session is gone, and the client's next one works.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	f := serveWeb(t, NewWeb(echo(&testserver.Options{Fault: "dies-mid-call"})), false)
	for range 2 {
		session := f.session()
		m := f.call(callEcho(1, "x"), session...)
		if m.Error == nil || !strings.Contains(m.Error.Message, "exited") && !strings.Contains(m.Error.Message, "closed") {
			t.Errorf("%s %v", m.Result, m.Error)
		}
	}
}

// TestClientStopsReadingOverHTTP: in the middle of a result of 64 MiB. It is disconnected,
// and the session's other requests continue.
func TestClientStopsReadingOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
		session := f.session()
		text := strings.Repeat("x", 4<<20)
		resp, err := f.do(t.Context(), "POST", callEcho(1, text), session...)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if m := f.call(callEcho(2, "y"), session...); m.Result == nil {
			t.Error(m)
		}
		if took := time.Since(began); took > stallTime {
			t.Errorf("another call took %v", took)
		}
		time.Sleep(stallTime + time.Second)
		if all, err := messages(resp); err == nil {
			t.Errorf("the client is still connected: %d", len(all[0]))
		}
	})
}

// TestLargeMessages of 64 MiB pass, and longer ones are refused.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	f := serveWeb(t, NewWeb(echo(nil)), false)
	session := f.session()
	text := strings.Repeat("x", longest-300)
	if m := f.call(callEcho(1, text), session...); len(m.Result) < len(text) {
		t.Error(len(m.Result), m.Error)
	}
	if resp, err := f.do(t.Context(), "POST", callEcho(1, strings.Repeat("x", maxMessage)), session...); err == nil && resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(resp.Status)
	}
	if m := f.call(callEcho(2, "y"), session...); m.Result == nil {
		t.Error(m)
	}
}

// TestJSONOverSeveralLinesOverHTTP arrives on one line at a server that reads lines.
func TestJSONOverSeveralLinesOverHTTP(t *testing.T) {
	t.Parallel()
	f := serveWeb(t, NewWeb(echo(nil)), false)
	session := f.session()
	body := strings.NewReplacer(",", ",\r\n  ", "{", "{\n").Replace(callEcho(1, `a\nb`))
	if m := f.call(body, session...); !strings.Contains(string(m.Result), `a\\nb`) {
		t.Errorf("%s %v", m.Result, m.Error)
	}
}

// TestCancellationOverHTTP: a client of the modern era cancels by leaving, and the
// server learns that. A response that crosses the cancellation reaches no other client.
func TestCancellationOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testserver.New(nil)
		f := serveWeb(t, NewWeb(inMemory(server)), true)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		body, header := modern("1", "tools/call", "slow", `{"name":"slow","arguments":{"steps":10,"seconds":100}}`)
		if resp, err := f.do(ctx, "POST", body, header...); err == nil {
			_, err = messages(resp)
			if err == nil {
				t.Error("a response")
			}
		}
		synctest.Wait()
		canceled := false
		for _, m := range server.Received() {
			canceled = canceled || m.Method == "notifications/cancelled"
		}
		if !canceled {
			t.Errorf("the server has received %v", server.Received())
		}
		for i := range 100 { // each client leaves at about the time of its response
			body, header := modern("1", "tools/call", "slow", `{"name":"slow","arguments":{"steps":1,"seconds":0.1}}`)
			ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond+time.Duration(i-50)*time.Microsecond)
			if resp, err := f.do(ctx, "POST", body, header...); err == nil {
				_, _ = messages(resp)
			}
			leave()
			body, header = modern("1", "tools/call", "echo", `{"name":"echo","arguments":{"message":"m`+fmt.Sprint(i)+`"}}`)
			if m := f.call(body, header...); !strings.Contains(string(m.Result), fmt.Sprint("m", i)) {
				t.Fatalf("%s %v", m.Result, m.Error)
			}
		}
	})
}

// TestCancellationInASession: the HTTP request of a canceled call ends, although the
// server does not respond to it, and the session continues.
func TestCancellationInASession(t *testing.T) {
	for _, progress := range []string{"", `,"_meta":{"progressToken":1}`} {
		synctest.Test(t, func(t *testing.T) {
			f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
			session := f.session()
			began := time.Now()
			time.AfterFunc(30*time.Second, func() {
				f.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session...)
			})
			status, all := f.post(request(1, "tools/call", `{"name":"slow","arguments":{"steps":100,"seconds":1000}`+progress+`}`), session...)
			if took := time.Since(began); took != 30*time.Second+cancelTime || status != 200 || strings.Contains(fmt.Sprint(all), `"id":1`) {
				t.Errorf("after %v: %d %s", took, status, all)
			}
			if m := f.call(callEcho(2, "x"), session...); m.Result == nil {
				t.Error(m.Error)
			}
		})
	}
}

// TestServerRequestsOverHTTP: the server's requests reach the client that it asks, on
// its general stream or on the response to its request, and so does the answer.
func TestServerRequestsOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serveWeb(t, NewWeb(inMemory(testserver.New(nil))), true)
		body := strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"roots":{},"sampling":{},"elicitation":{}}`, 1)
		resp, err := f.do(t.Context(), "POST", body)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = messages(resp)
		session := []string{sessionHeader, resp.Header.Get(sessionHeader)}
		f.post(initialized, session...)
		resp, err = f.do(t.Context(), "POST", request(5, "resources/read", `{"uri":"echo://roots"}`), session...)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		for r := newEvents(resp.Body); ; {
			ev, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			m, err := jsonrpc.Parse(ev.Data)
			if err != nil {
				t.Fatal(err)
			}
			if m.Method == "roots/list" {
				answer := string(jsonrpc.AppendResponse(nil, m.ID, []byte(`{"roots":[{"uri":"file:///tmp","name":"tmp"}]}`), nil))
				if status, all := f.post(answer, session...); status != 202 {
					t.Error(status, all)
				}
			}
			if m.Method == "" {
				if !strings.Contains(string(m.Result), "file:///tmp") {
					t.Errorf("%s %v", m.Result, m.Error)
				}
				break
			}
		}
	})
}

// TestGuard: only the user's clients get through.
func TestGuard(t *testing.T) {
	t.Parallel()
	g := &Guard{Path: "/SECRET/mcp", Origins: []string{"http://localhost:6274"}, Next: NewWeb(program("die"))}
	f := serveWeb(t, g, false)
	base := strings.TrimSuffix(f.url, "/mcp")
	for _, test := range []struct {
		path   string
		header []string
		want   int
	}{
		{"/SECRET/mcp", nil, 400},
		{"/mcp", nil, 404},
		{"/WRONG_/mcp", nil, 404},
		{"/SECRET/mcp/", nil, 404},
		{"/SECRET/mcp", []string{"Origin", "http://evil.example"}, 403},
		{"/SECRET/mcp", []string{"Origin", "null"}, 403},
		{"/SECRET/mcp", []string{"Host", "evil.example"}, 403},
		{"/SECRET/mcp", []string{"Origin", base}, 400},
		{"/SECRET/mcp", []string{"Origin", "http://localhost:6274"}, 400},
		{"/SECRET/mcp", []string{"Content-Type", "text/plain"}, 415},
		{"/SECRET/mcp", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"/SECRET/mcp", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"/SECRET/mcp", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://localhost:6274"}, 400},
		{"/SECRET/mcp", []string{"Sec-Fetch-Site", "none"}, 400},
	} {
		f.url = base + test.path
		r, _ := http.NewRequestWithContext(t.Context(), "POST", f.url, strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(test.header); i += 2 {
			if test.header[i] == "Host" {
				r.Host = test.header[i+1]
			}
			r.Header.Set(test.header[i], test.header[i+1])
		}
		resp, err := f.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != test.want {
			t.Errorf("%s %v: %s, want %d", test.path, test.header, resp.Status, test.want)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s %v: %v", test.path, test.header, resp.Header)
		}
	}
}

// TestModernHeaders: what the server cannot see is checked at the front.
func TestModernHeaders(t *testing.T) {
	t.Parallel()
	f := serveWeb(t, NewWeb(echo(nil)), false)
	body, header := modern("1", "tools/call", "echo", `{"name":"echo","arguments":{"message":"x"}}`)
	for i := 1; i < len(header); i += 2 {
		wrong := append([]string(nil), header...)
		wrong[i] += "x"
		if status, all := f.post(body, wrong...); status != 400 || !strings.Contains(all[0], "-32020") {
			t.Error(wrong, status, all)
		}
	}
	if status, all := f.post(body, header...); status != 200 {
		t.Error(status, all)
	}
	body, header = modern("1", "no/such", "", "{}")
	if status, all := f.post(body, header...); status != 404 || !strings.Contains(all[0], "-32601") {
		t.Error(status, all)
	}
}

// TestAddedTimeOverHTTP prints what the proxy adds to a small call over HTTP, beyond the
// same call to a server on such a front: at most 0.3 ms.
func TestAddedTimeOverHTTP(t *testing.T) {
	skipMeasurement(t)
	const n, limit = 200, 300 * time.Microsecond
	measure := func(h http.Handler) time.Duration {
		f := serveWeb(t, h, false)
		session := f.session()
		id := 0
		return testutil.Best(func() {
			for range n {
				id++
				if m := f.call(callEcho(id, "x"), session...); m.Result == nil {
					t.Fatal(m.Error)
				}
			}
		}) / n
	}
	server := testserver.NewHandler(testserver.New(nil), nil)
	defer server.Close()
	alone := measure(server)
	origin := serveWeb(t, server, false)
	forwarder, err := NewForwarder(origin.url, nil, nil, &Options{Note: func(string) {}}, &WebOptions{Explain: error.Error})
	if err != nil {
		t.Fatal(err)
	}
	defer forwarder.Close()
	for name, h := range map[string]http.Handler{"a program": NewWeb(echo(nil)), "a server over HTTP": forwarder} {
		through := measure(h)
		t.Logf("a small call over HTTP takes %v to %s behind the proxy and %v to a server", through, name, alone)
		if through-alone > limit {
			t.Errorf("the proxy adds %v, want at most %v", through-alone, limit)
		}
	}
}

// TestForwarder: over HTTP on both sides everything passes as it is, but the headers
// that are not of MCP: sessions, the continuation of a stream, and refusals.
func TestForwarder(t *testing.T) {
	t.Parallel()
	type sent struct{ header, body string }
	var got []sent
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, sent{fmt.Sprint(r.Header["Authorization"], r.Header["Cookie"], r.Header["Mcp-Param-X"], r.Header["Last-Event-Id"]), string(body)})
		switch r.Method {
		case "GET":
			w.Header().Set("Content-Type", eventStream)
			_, _ = io.WriteString(w, ": hello\nid: 7\nretry: 100\ndata: {\"a\":\ndata: 1}\n\n")
		case "DELETE":
			http.Error(w, "no", http.StatusMethodNotAllowed)
		default:
			w.Header().Set("Mcp-Session-Id", "s1")
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("Content-Type", typeJSON)
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, " {\"jsonrpc\": \"2.0\"}\n")
		}
	})
	origin := serveWeb(t, server, false)
	forwarder, err := NewForwarder(origin.url, nil, http.Header{"Authorization": {"Bearer mine"}}, &Options{Note: func(string) {}}, &WebOptions{Explain: error.Error})
	if err != nil {
		t.Fatal(err)
	}
	defer forwarder.Close()
	f := serveWeb(t, forwarder, false)
	const odd = "{ \"id\": 1.0,\r\n \"x\": [] }"
	resp, err := f.do(t.Context(), "POST", odd, "Authorization", "Bearer theirs", "Cookie", "c=d", "Mcp-Param-X", "é")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 404 || string(body) != " {\"jsonrpc\": \"2.0\"}\n" || resp.Header.Get(sessionHeader) != "s1" || resp.Header.Get("Set-Cookie") != "" {
		t.Error(resp, string(body))
	}
	if resp, err = f.do(t.Context(), "GET", "", "Last-Event-ID", "6"); err != nil {
		t.Fatal(err)
	}
	if body, _ = io.ReadAll(resp.Body); string(body) != ": hello\nid: 7\nretry: 100\ndata: {\"a\":\ndata: 1}\n\n" {
		t.Errorf("%q", body)
	}
	if resp, err = f.do(t.Context(), "DELETE", ""); err != nil || resp.StatusCode != 405 {
		t.Error(resp, err)
	}
	want := []sent{{"[Bearer mine] [] [é] []", odd}, {"[Bearer mine] [] [] [6]", ""}, {"[Bearer mine] [] [] []", ""}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the server got %q, want %q", got, want)
	}
}

// TestForwarderPassesNoPages: what a browser could show as a page does not reach it, whatever
// the server calls it. Its status does.
func TestForwarderPassesNoPages(t *testing.T) {
	t.Parallel()
	const page = "<script>alert(1)</script>"
	for _, test := range []struct {
		types  []string
		status int
		want   int
		passed bool
	}{
		{[]string{"text/html"}, 200, 502, false},
		{[]string{"text/html"}, 404, 404, false},
		{nil, 200, 502, false},
		{[]string{"image/svg+xml"}, 200, 502, false},
		{[]string{"application/xhtml+xml"}, 400, 400, false},
		{[]string{"application/json, text/html"}, 200, 502, false},
		{[]string{"application/json; charset=utf-7"}, 200, 200, true},
		{[]string{"application/json", "text/html"}, 200, 200, true},
		{[]string{"application/problem+json"}, 403, 502, false}, // what refuses the credentials of the proxy
		{[]string{"application/problem+json"}, 409, 409, true},
		{[]string{eventStream, "text/html"}, 200, 200, true},
	} {
		origin := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = test.types
			w.Header().Set("Mcp-Session-Id", "s")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, page)
		}), false)
		forwarder, err := NewForwarder(origin.url, nil, nil, &Options{Note: func(string) {}}, &WebOptions{Explain: error.Error})
		if err != nil {
			t.Fatal(err)
		}
		defer forwarder.Close()
		resp, err := serveWeb(t, forwarder, false).do(t.Context(), "POST", callEcho(7, "x"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		types := resp.Header["Content-Type"]
		if resp.StatusCode != test.want || (string(body) == page) != test.passed || len(types) != 1 || types[0] != typeJSON && types[0] != eventStream ||
			!test.passed && !strings.Contains(string(body), `"id":7`) {
			t.Errorf("%v: status %d, %v, %s", test.types, resp.StatusCode, types, body)
		}
	}
}
