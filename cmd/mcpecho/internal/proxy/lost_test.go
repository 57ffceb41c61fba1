package proxy

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A record is what the Taps of a proxy have received.
type record struct {
	mu    sync.Mutex
	lines []string
	all   bool // also valid HTTP messages
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// take returns the lines since the last call, one each.
func (r *record) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.Join(r.lines, "\n")
	r.lines = nil
	return text
}

// tapped makes o record what passes, and what the user sees.
func tapped(o *Options) *record {
	r := new(record)
	o.Note = func(line string) { r.add("note: " + line) }
	o.Tap = func() *Tap {
		return &Tap{
			Message: func(kind recording.Kind, sent bool, data []byte) {
				switch {
				case sent:
					r.add("> " + string(data))
				case kind == recording.Refusal:
					r.add("- " + string(data))
				default:
					r.add("< " + string(data))
				}
			},
			HTTP: func(h *recording.HTTP) {
				if r.all || h.IsUnusual() {
					r.add("http " + string(h.Append(nil)))
				}
			},
			End: func(how string) { r.add("end " + how) },
		}
	}
	return r
}

// aServer serves lines: answer returns the lines that it sends for a message.
func aServer(t *testing.T, o *Options, answer func(m *jsonrpc.Message) []string) {
	o.Open = func(ctx context.Context, tap *Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		near, far := jsonrpcPipe()
		go func() { // ends with the stream
			defer far.Close()
			for in := bufio.NewReader(far); ; {
				line, err := in.ReadBytes('\n')
				if err != nil {
					return
				}
				m, err := jsonrpc.Parse(line)
				if err != nil {
					t.Error(err)
				}
				for _, line := range answer(&m) {
					_, _ = far.Write([]byte(line + "\n"))
				}
			}
		}()
		return openStream(near)(ctx, tap, dropped)
	}
}

// mistaken answers each request twice, and after it a request that there is not.
func mistaken(m *jsonrpc.Message) []string {
	if !m.IsRequest() {
		return nil
	}
	one := string(jsonrpc.AppendResponse(nil, m.ID, []byte(`{"n":1}`), nil))
	return []string{strings.TrimSpace(one), strings.TrimSpace(strings.Replace(one, `"n":1`, `"n":2`, 1)), `{"jsonrpc":"2.0","id":999,"result":{"n":3}}`}
}

// TestNothingIsLost: a second response, and one that is for no request, cannot reach a
// client over HTTP. They are recorded after the first one, and the user learns of them.
func TestNothingIsLost(t *testing.T) {
	const lost = "note: the server has sent a response with the id %v, for which no request waits; over HTTP, the client cannot receive it"
	modernBody, modernHeader := modern(`"x"`, "tools/call", "a", `{"name":"a"}`)
	for _, test := range []struct {
		name, id string
		body     string
		header   []string
	}{
		{"session", "7", request(7, "tools/call", `{"name":"a"}`), nil},
		{"modern", `"x"`, modernBody, modernHeader},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := inMemory(nil)
			seen := tapped(o)
			aServer(t, o, mistaken)
			f := serveWeb(t, NewWeb(o), true)
			header := test.header
			if header == nil {
				header = f.session()
			}
			synctest.Wait()
			seen.take()
			status, all := f.post(test.body, header...)
			synctest.Wait()
			first := `{"jsonrpc":"2.0","id":` + test.id + `,"result":{"n":1}}`
			if status != 200 || len(all) != 1 || all[0] != first {
				t.Error(status, all)
			}
			got := seen.take()
			for _, want := range []string{"> " + test.body, "< " + first, "< " + strings.Replace(first, `:1}`, `:2}`, 1), `< {"jsonrpc":"2.0","id":999,"result":{"n":3}}`,
				fmt.Sprintf(lost, test.id), fmt.Sprintf(lost, 999)} {
				if strings.Count(got, want) != 1 {
					t.Errorf("%s: want once %s\nin %s", test.name, want, got)
				}
			}
			if strings.Index(got, `"n":1`) > strings.Index(got, `"n":2`) {
				t.Errorf("%s: the second response is recorded before the first\n%s", test.name, got)
			}
		})
	}
}

// TestUnreadMessagesAreRecorded: what the server has sent for a client that does not read
// it, at the end of the session, and without a note.
func TestUnreadMessagesAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := inMemory(nil)
		seen := tapped(o)
		release := make(chan struct{})
		aServer(t, o, func(m *jsonrpc.Message) []string {
			if m.Method == "tools/call" {
				<-release
			}
			if !m.IsRequest() {
				return []string{`{"jsonrpc":"2.0","method":"notifications/changed"}`}
			}
			return []string{strings.TrimSpace(string(jsonrpc.AppendResponse(nil, m.ID, []byte(`{"of":"`+m.Method+`"}`), nil)))}
		})
		web := NewWeb(o)
		f := serveWeb(t, web, true)
		session := f.session()
		synctest.Wait() // the notification is held
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if resp, err := f.do(ctx, "POST", callEcho(5, "x"), session...); err == nil {
			t.Error(resp.Status)
		}
		seen.take()
		close(release)
		synctest.Wait()
		if got := seen.take(); got != `< {"jsonrpc":"2.0","id":5,"result":{"of":"tools/call"}}` {
			t.Error(got)
		}
		if resp, err := f.do(t.Context(), "DELETE", "", session...); err != nil || resp.StatusCode != 204 {
			t.Error(resp, err)
		}
		synctest.Wait()
		if got := seen.take(); got != `< {"jsonrpc":"2.0","method":"notifications/changed"}` {
			t.Error(got)
		}
	})
}

// TestRefusalsAreRecorded: what a client does against the protocol over HTTP gets an error
// at once, which is recorded with the request. A client that reads no events would wait
// for ever for a response of a server that asks it something.
func TestRefusalsAreRecorded(t *testing.T) {
	const both = "application/json, text/event-stream"
	for _, test := range []struct {
		method, body string
		header       []string
		status       int
		want         []string
	}{
		{"POST", callEcho(1, "x"), []string{"Accept", "application/json"}, 406, []string{`"accept":"application/json"`, "> " + callEcho(1, "x"),
			`"status":406`, `"id":1,"error":{"code":-32000,"message":"mcpecho proxy: the header Accept of a POST must include application/json and text/event-stream, and is \"application/json\""`}},
		{"POST", callEcho(1, "x"), []string{"Accept", "text/event-stream"}, 406, []string{`"accept":"text/event-stream"`, `"status":406`}},
		{"GET", "", []string{"Accept", "application/json"}, 406, []string{`"accept":"application/json"`, `"status":406`, "the header Accept of a GET must include text/event-stream"}},
		{"POST", callEcho(1, "x"), []string{"Content-Type", "text/plain"}, 415, []string{`"content-type":"text/plain"`, `"status":415`, `the Content-Type is \"text/plain\"`}},
		{"POST", "no JSON", nil, 400, []string{"> no JSON", `"status":400`}},
		{"PUT", "", nil, 405, []string{`"status":405`}},
		{"POST", callEcho(1, "x"), []string{sessionHeader, "unknown"}, 404, []string{`"status":404`, "no such session"}},
		{"POST", callEcho(1, "x"), []string{sessionHeader, ""}, 400, []string{"> " + callEcho(1, "x"), `"status":400`, "the first request must be initialize"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := inMemory(testserver.New(nil))
			seen := tapped(o)
			f := serveWeb(t, NewWeb(o), true)
			header := append(append(f.session(), "Accept", both), test.header...)
			seen.take()
			resp, err := f.do(t.Context(), test.method, test.body, header...)
			if err != nil || resp.StatusCode != test.status {
				t.Errorf("%s %v: %v, %v", test.method, test.header, resp, err)
			}
			got := seen.take()
			rest := got
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("%s %v: want %s in\n%s", test.method, test.header, want, got)
				}
				rest = after
			}
		})
	}
}

// TestForwarderRecordsWrongContent: of a server over HTTP, the status, a content type that
// the protocol does not have, and content that is none of messages.
func TestForwarderRecordsWrongContent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Mcp-Name") {
		case "html":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte("<p>Bad gateway</p>"))
		case "events": // which are none
			w.Header().Set("Content-Type", eventStream)
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		case "other events":
			w.Header().Set("Content-Type", eventStream)
			_, _ = w.Write([]byte("event: error\ndata: overloaded\n\n"))
		}
	}))
	defer server.Close()
	o := &Options{}
	seen := tapped(o)
	f, err := NewForwarder(server.URL, nil, nil, o, &WebOptions{Explain: func(err error) string { return err.Error() }})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	front := serveWeb(t, f, false)
	for name, want := range map[string][]string{
		"html":         {`http {"exchange":1,"status":502,"headers":{"content-type":"text/html"}}`, "< <p>Bad gateway</p>"},
		"events":       {`< {"jsonrpc":"2.0","id":1,"result":{}}`},
		"other events": {"< event: error data: overloaded"},
	} {
		_, _ = front.post(callEcho(1, "x"), "Mcp-Name", name)
		got := seen.take()
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: want %s in\n%s", name, line, got)
			}
		}
	}
}

// TestIDOfAnotherType: the proxy passes a response whose id is a string in place of a
// number unchanged to a client over HTTP if only one request has that number, as lenient
// clients accept it.
func TestIDOfAnotherType(t *testing.T) {
	modernBody, modernHeader := modern("7", "tools/call", "a", `{"name":"a"}`)
	for _, isModern := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := inMemory(nil)
			seen := tapped(o)
			aServer(t, o, func(m *jsonrpc.Message) []string {
				switch {
				case !m.IsRequest():
					return nil
				case m.Method != "tools/call":
					return []string{strings.TrimSpace(string(jsonrpc.AppendResponse(nil, m.ID, []byte(`{}`), nil)))}
				}
				return []string{`{"jsonrpc":"2.0","id":"` + strings.Trim(m.ID.String(), `"`) + `","result":{}}`}
			})
			f := serveWeb(t, NewWeb(o), true)
			body, header := modernBody, modernHeader
			if !isModern {
				body, header = request(7, "tools/call", `{"name":"a"}`), f.session()
			}
			const want = `{"jsonrpc":"2.0","id":"7","result":{}}`
			status, all := f.post(body, header...)
			synctest.Wait()
			if got := seen.take(); status != 200 || len(all) != 1 || all[0] != want ||
				!strings.Contains(got, "< "+want) || !strings.Contains(got, `note: the server has responded to the request 7 with the id "7"`) {
				t.Error(status, all, got)
			}
		})
	}
}
