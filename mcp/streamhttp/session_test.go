package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// forgetful is a server whose sessions can be lost. It refuses messages of
// others with 404.
type forgetful struct {
	server
	opened atomic.Int64                            // sessions so far; the last one counts
	broken atomic.Bool                             // no session lasts
	refuse func(w http.ResponseWriter, r *request) // refuses messages of other sessions; nil means 404
}

func newForgetful() *forgetful {
	f := new(forgetful)
	f.post = func(w http.ResponseWriter, r *request) bool {
		switch current := "session-" + strconv.FormatInt(f.opened.Load(), 10); {
		case r.Method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
		case r.Method == "initialize":
			w.Header().Set("Mcp-Session-Id", "session-"+strconv.FormatInt(f.opened.Add(1), 10))
			return false
		case r.HTTP.Header.Get("Mcp-Session-Id") != current && f.refuse != nil:
			f.refuse(w, r)
		case r.HTTP.Header.Get("Mcp-Session-Id") != current, r.Method == "tools/call" && f.broken.Load():
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session %s not found"}}`, r.HTTP.Header.Get("Mcp-Session-Id"))
		default:
			return false
		}
		return true
	}
	return f
}

// lose makes the server forget the session.
func (f *forgetful) lose() { f.opened.Add(1) }

// opens returns how often a client asked for a session.
func (f *forgetful) opens() int { return len(f.got("initialize")) }

func TestLostSessionIsOpenedAgain(t *testing.T) {
	f := newForgetful()
	var seen []string
	c := f.open(t, nil, &mcp.Options{Trace: &mcp.Trace{
		EraChosen: func(_ context.Context, s mcp.ServerInfo) { seen = append(seen, s.ProtocolVersion) },
		SessionLost: func(_ context.Context, err error) {
			seen = append(seen, fmt.Sprint("lost: ", errors.Is(err, jsonrpc.ErrNoSession)))
		},
		Retry: func(_ context.Context, method string, err error) {
			seen = append(seen, fmt.Sprint(method, ": ", err != nil))
		},
	}})
	callTool(t, c, "before")
	f.lose()
	callTool(t, c, "after")
	if want := []string{mcp.ProtocolVersion20251125, "lost: true", "tools/call: true"}; !slices.Equal(seen, want) {
		t.Errorf("reported %q, want %q", seen, want)
	}
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions", n)
	}
	if last := f.got("initialize")[1]; last.HTTP.Header.Get("Mcp-Session-Id") != "" {
		t.Error("the new session was asked for in the old one")
	}
	if n := len(f.got("notifications/initialized")); n != 2 {
		t.Errorf("initialized %d times", n)
	}
}

func TestManyCallsLoseTheSessionTogether(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	for range 3 {
		before := f.opens()
		f.lose()
		var calls sync.WaitGroup
		for i := range 50 {
			calls.Go(func() { callTool(t, c, "tool-"+strconv.Itoa(i)) })
		}
		calls.Wait()
		if n := f.opens() - before; n != 1 {
			t.Errorf("%d sessions were opened", n)
		}
	}
}

// TestLateResponseOfALostSession: a call that hears of the loss when another one
// has opened a new session uses that session.
func TestLateResponseOfALostSession(t *testing.T) {
	f := newForgetful()
	arrived, renewed := make(chan struct{}), make(chan struct{})
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Params.Name == "late" && r.HTTP.Header.Get("Mcp-Session-Id") == "session-1" {
			close(arrived)
			select {
			case <-renewed:
			case <-r.HTTP.Context().Done():
			}
		}
		return post(w, r)
	}
	c := f.open(t, nil, nil)
	f.lose()
	var late sync.WaitGroup
	late.Go(func() { callTool(t, c, "late") })
	<-arrived
	callTool(t, c, "early")
	close(renewed)
	late.Wait()
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions were opened", n)
	}
}

func TestSessionThatIsLostAgainAndAgain(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	f.broken.Store(true)
	_, err := c.CallTool(within(t, callTimeout), "x", nil)
	wantError(t, err, jsonrpc.ErrNoSession, "forgotten the session")
	wantStatus(t, err, 404)
	if strings.Contains(err.Error(), "session-") {
		t.Error("the error has the session's id:", err)
	}
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions were opened", n)
	}
	f.broken.Store(false)
	callTool(t, c, "x")
}

func TestSessionCannotBeOpenedAgain(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	f.lose()
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "initialize" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return post(w, r)
	}
	for range 2 { // each call tries
		_, err := c.CallTool(within(t, callTimeout), "x", nil)
		wantError(t, err, nil, "new session", "503")
	}
	f.post = post
	callTool(t, c, "x")
}

// TestCallerLeavesWhileSessionIsReopened: others that wait for the new
// session get it all the same.
func TestCallerLeavesWhileSessionIsReopened(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	f.lose()
	asked, release := make(chan struct{}), make(chan struct{})
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "initialize" {
			close(asked)
			<-release
		}
		return post(w, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	calls.Go(func() {
		_, err := c.CallTool(ctx, "impatient", nil)
		wantError(t, err, context.Canceled)
	})
	<-asked
	calls.Go(func() { callTool(t, c, "patient") })
	if !testutil.Eventually(func() bool { return len(f.got("tools/call")) == 2 }) {
		t.Error("the second call doesn't come")
	}
	cancel()
	close(release)
	calls.Wait()
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// TestNothingIsSentInASessionBeforeItIsOpen: a call that is made while a new
// session is opened stays out of it until the server knows that it is.
func TestNothingIsSentInASessionBeforeItIsOpen(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	f.lose()
	asked, release := make(chan struct{}), make(chan struct{})
	var ready atomic.Bool
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		switch r.Method {
		case "notifications/initialized":
			close(asked)
			<-release
			ready.Store(true)
		case "tools/call":
			if id := r.HTTP.Header.Get("Mcp-Session-Id"); !ready.Load() && id != "session-1" {
				t.Errorf("a call in %q, which is not open yet", id)
			}
		}
		return post(w, r)
	}
	var calls sync.WaitGroup
	calls.Go(func() { callTool(t, c, "first") })
	<-asked
	calls.Go(func() { callTool(t, c, "second") })
	if !testutil.Eventually(func() bool { return len(f.got("tools/call")) == 2 }) {
		t.Error("the second call doesn't come")
	}
	close(release)
	calls.Wait()
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// TestSessionThatNeverBeginsIsEnded: the DELETE states the protocol version that the
// session would have had.
func TestSessionThatNeverBeginsIsEnded(t *testing.T) {
	s := &server{session: "the-session", post: func(w http.ResponseWriter, r *request) bool {
		if r.Method == "notifications/initialized" {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		return false
	}}
	s.start(t)
	if _, err := mcp.Connect(within(t, callTimeout), streamhttp.New(s.URL, nil), nil); err == nil {
		t.Error("connects")
	}
	list := s.got("DELETE")
	if len(list) != 1 {
		t.Fatalf("%d sessions are ended", len(list))
	}
	if h := list[0].HTTP.Header; h.Get("Mcp-Session-Id") != "the-session" || h.Get("Mcp-Protocol-Version") != legacy {
		t.Errorf("DELETE with %v", h)
	}
}

// TestSessionHeaders: every request in the session states its id and protocol
// version.
func TestSessionHeaders(t *testing.T) {
	s := &server{session: "the-session", version: mcp.ProtocolVersion20250618,
		get: func(w http.ResponseWriter, r *http.Request) {
			events(w, `data: {"jsonrpc":"2.0","id":"q","method":"ping"}`+"\n\n")
		}}
	c := s.open(t, nil, nil)
	callTool(t, c, "x")
	if err := c.Notify(t.Context(), "notifications/x", nil); err != nil {
		t.Error(err)
	}
	if !testutil.Eventually(func() bool { return len(s.got("")) > 0 }) {
		t.Error("ping is not answered")
	}
	c.Close()
	for _, what := range []string{"notifications/initialized", "tools/call", "notifications/x", "", "GET", "DELETE"} {
		list := s.got(what)
		if len(list) == 0 {
			t.Errorf("no %q", what)
			continue
		}
		h := list[0].HTTP.Header
		if h.Get("Mcp-Session-Id") != "the-session" || h.Get("Mcp-Protocol-Version") != mcp.ProtocolVersion20250618 {
			t.Errorf("%q has %v", what, h)
		}
		if h.Get("Mcp-Method") != "" {
			t.Errorf("%q has a header of a later protocol version", what)
		}
	}
	for _, r := range s.got("POST") {
		h := r.HTTP.Header
		if h.Get("Content-Type") != "application/json" || h.Get("Accept") != "application/json, text/event-stream" {
			t.Errorf("POST with %v", h)
		}
	}
	if h := s.got("initialize")[0].HTTP.Header; h.Get("Mcp-Session-Id") != "" {
		t.Errorf("initialize has %v", h)
	}
}

// TestReplyWithoutStream: the protocol version of a response does not depend on
// the session's stream.
func TestReplyWithoutStream(t *testing.T) {
	answered := make(chan bool, 1)
	s := &server{session: "s", call: func(w http.ResponseWriter, r *request) {
		events(w, `data: {"jsonrpc":"2.0","id":7,"method":"ping"}`+"\n\n")
		<-answered
		send(w, "data: "+r.result(done)+"\n\n")
	}, post: func(_ http.ResponseWriter, r *request) bool {
		if r.Method == "" {
			answered <- true
		}
		return false
	}}
	c := s.open(t, &streamhttp.Options{NoStream: true}, nil)
	callTool(t, c, "x")
	c.Close()
	for _, r := range append(s.got(""), s.got("DELETE")...) {
		if r.HTTP.Header.Get("Mcp-Protocol-Version") != legacy {
			t.Errorf("%s has %v", r.HTTP.Method, r.HTTP.Header)
		}
	}
	if len(s.got("GET")) != 0 {
		t.Error("the stream was asked for")
	}
}

// TestSessionIDThatCannotBeSent: net/http refuses the worst, the rest is ours.
func TestSessionIDThatCannotBeSent(t *testing.T) {
	for _, id := range []string{"a b", "a\tb", "ä"} {
		s := (&server{session: id}).start(t)
		_, err := mcp.Connect(within(t, callTimeout), streamhttp.New(s.URL, nil), nil)
		wantError(t, err, mcp.ErrMalformed, "session id")
	}
}

// TestNoSessionFromModernServer: what such a server says of a session is
// nothing to repeat.
func TestNoSessionFromModernServer(t *testing.T) {
	s := &server{version: modern, post: func(w http.ResponseWriter, r *request) bool {
		w.Header().Set("Mcp-Session-Id", "nonsense")
		return false
	}}
	c := s.open(t, nil, nil)
	callTool(t, c, "x")
	c.Close()
	for _, r := range s.got("POST") {
		h := r.HTTP.Header
		if h.Get("Mcp-Session-Id") != "" || h.Get("Mcp-Protocol-Version") != modern || h.Get("Mcp-Method") != r.Method {
			t.Errorf("%s with %v", r.Method, h)
		}
	}
	if s.got("GET") != nil || s.got("DELETE") != nil {
		t.Error("GET or DELETE was sent")
	}
}

// TestServerRequestInSession has a server that asks on the stream of a call,
// and waits for the answer. It uses one id again and again, as soon as it is
// free.
func TestServerRequestInSession(t *testing.T) {
	answered := make(chan string, 1)
	s := &server{session: "s"}
	s.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "" {
			answered <- r.body
		}
		return false
	}
	s.call = func(w http.ResponseWriter, r *request) {
		events(w, `data: {"jsonrpc":"2.0","id":"ask","method":"`+r.Params.Name+`"}`+"\n\n")
		<-answered
		send(w, "data: "+r.result(done)+"\n\n")
	}
	roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///x"}}, nil }}
	c := s.open(t, nil, &mcp.Options{Handlers: []mcp.Handler{roots}})
	for range 10 {
		for _, method := range []string{"roots/list", "ping", "sampling/createMessage"} {
			callTool(t, c, method)
		}
	}
	var bodies []string
	for _, r := range s.got("")[:3] {
		bodies = append(bodies, r.body)
	}
	if want := []string{
		`{"jsonrpc":"2.0","id":"ask","result":{"roots":[{"uri":"file:///x"}]}}`,
		`{"jsonrpc":"2.0","id":"ask","result":{}}`,
		`{"jsonrpc":"2.0","id":"ask","error":{"code":-32601,"message":"this client does not handle sampling/createMessage"}}`,
	}; !slices.Equal(bodies, want) {
		t.Errorf("answered %q", bodies)
	}
}

// TestServerRequestWithoutSession: since 2026-07-28 servers may not, and get no
// answer.
func TestServerRequestWithoutSession(t *testing.T) {
	s := &server{version: modern, call: func(w http.ResponseWriter, r *request) {
		events(w, `data: {"jsonrpc":"2.0","id":"ask","method":"ping"}`+"\n\ndata: "+r.result(done)+"\n\n")
	}}
	var j journal
	c := s.open(t, nil, &mcp.Options{Trace: j.trace()})
	callTool(t, c, "x")
	c.Close()
	if !strings.Contains(j.String(), "does not allow") || len(s.got("")) != 0 {
		t.Errorf("dropped %s, sent %d answers", j.String(), len(s.got("")))
	}
}

// TestNotificationIgnoresResponseBody: what the response holds doesn't matter.
func TestNotificationIgnoresResponseBody(t *testing.T) {
	answers := []func(http.ResponseWriter){
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
		func(w http.ResponseWriter) { io.WriteString(w, "Accepted") },
		func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "null")
		},
		func(w http.ResponseWriter) { events(w, ": nothing\n\n") },
		func(w http.ResponseWriter) { io.WriteString(w, strings.Repeat("x", 1<<20)) },
	}
	for i, answer := range answers {
		s := &server{session: "s", post: func(w http.ResponseWriter, r *request) bool {
			if r.ID == nil {
				answer(w)
			}
			return r.ID == nil
		}}
		c := s.open(t, nil, nil)
		if err := c.Notify(t.Context(), "notifications/x", nil); err != nil {
			t.Error(i, err)
		}
		callTool(t, c, "x")
	}
}

// refuseWith responds with 400 and a body, in which $id is the id of the request.
func refuseWith(contentType, body string) func(http.ResponseWriter, *request) {
	return func(w http.ResponseWriter, r *request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, strings.ReplaceAll(body, "$id", string(r.ID)))
	}
}

const noValidSession = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`

// TestRestartedServerRefusesTheSessionWith400: the servers of the TypeScript SDK's
// examples do so.
func TestRestartedServerRefusesTheSessionWith400(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter, *request){
		"id null": refuseWith("application/json", noValidSession),
		"no id":   refuseWith("application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session"}}`),
		"text":    refuseWith("text/plain", "no valid session"),
		"empty":   refuseWith("text/plain", ""),
	} {
		t.Run(name, func(t *testing.T) {
			f := newForgetful()
			f.refuse = refuse
			var lost atomic.Int64
			c := f.open(t, nil, &mcp.Options{Trace: &mcp.Trace{SessionLost: func(context.Context, error) { lost.Add(1) }}})
			callTool(t, c, "before")
			f.lose()
			var calls sync.WaitGroup
			for range 20 {
				calls.Go(func() { callTool(t, c, "after") })
			}
			calls.Wait()
			if n, pings := f.opens(), len(f.got("ping")); n != 2 || pings != 1 || lost.Load() != 1 {
				t.Errorf("%d sessions, %d pings, lost %d times", n, pings, lost.Load())
			}
			f.lose()
			if err := c.Ping(t.Context()); err != nil || f.opens() != 3 {
				t.Errorf("ping: %v, %d sessions", err, f.opens())
			}
		})
	}
}

// TestRefusalWith400InALiveSession: only the call fails.
func TestRefusalWith400InALiveSession(t *testing.T) {
	for name, tt := range map[string]struct {
		refuse func(http.ResponseWriter, *request)
		pings  int
		want   string
	}{
		"with the id of the request": {refuseWith("application/json", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"out of paper"}}`), 0, "out of paper"},
		"with id null":               {refuseWith("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"out of paper"}}`), 1, "out of paper"},
		"with text":                  {refuseWith("text/plain", "out of paper"), 1, "out of paper"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForgetful()
			c := f.open(t, nil, nil)
			post := f.post
			f.post = func(w http.ResponseWriter, r *request) bool {
				if r.Method == "tools/call" {
					tt.refuse(w, r)
					return true
				}
				return post(w, r)
			}
			_, err := c.CallTool(within(t, callTimeout), "x", nil)
			wantError(t, err, nil, tt.want)
			wantStatus(t, err, 400)
			if n, pings := f.opens(), len(f.got("ping")); n != 1 || pings != tt.pings {
				t.Errorf("%d sessions, %d pings", n, pings)
			}
		})
	}
}

// TestUnknownMethodIsNoLostSession: a server that responds with 404 to a method that it
// lacks still has the session.
func TestUnknownMethodIsNoLostSession(t *testing.T) {
	for id, sessions := range map[string]int{"$id": 1, "null": 2} {
		f := newForgetful()
		c := f.open(t, nil, nil)
		post := f.post
		f.post = func(w http.ResponseWriter, r *request) bool {
			if r.Method != "tools/call" {
				return post(w, r)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			body := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"no such method"}}`
			io.WriteString(w, strings.ReplaceAll(body, "$id", string(r.ID)))
			return true
		}
		_, err := c.CallTool(within(t, callTimeout), "x", nil)
		if n := f.opens(); err == nil || n != sessions {
			t.Errorf("id %s: %d sessions, error %v", id, n, err)
		}
		var refused *jsonrpc.Error
		if id == "$id" && (!errors.As(err, &refused) || refused.Code != jsonrpc.CodeMethodNotFound) {
			t.Errorf("error %v", err)
		}
	}
}

// TestNewSessionOfAnotherVersion: the client does not continue in a session whose
// protocol version is another one.
func TestNewSessionOfAnotherVersion(t *testing.T) {
	f := newForgetful()
	c := f.open(t, nil, nil)
	f.lose()
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method != "initialize" {
			return post(w, r)
		}
		post(w, r)
		r.answer(w, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
		return true
	}
	_, err := c.CallTool(within(t, callTimeout), "x", nil)
	if wantError(t, err, mcp.ErrUnsupportedVersion, "2025-06-18"); c.Server().ProtocolVersion != legacy {
		t.Errorf("the version is %s", c.Server().ProtocolVersion)
	}
}

// TestSubscriptionThatTheNewSessionRefuses: the program learns of it, and of the
// changes that it may have missed.
func TestSubscriptionThatTheNewSessionRefuses(t *testing.T) {
	f := newForgetful()
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "resources/subscribe" {
			if f.opens() > 1 {
				w.WriteHeader(http.StatusForbidden)
			} else {
				r.answer(w, `{}`)
			}
			return true
		}
		return post(w, r)
	}
	var mu sync.Mutex
	var discarded []string
	c := f.open(t, nil, &mcp.Options{Trace: &mcp.Trace{Discarded: func(_ context.Context, err error, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		discarded = append(discarded, err.Error())
	}}})
	sub, err := c.Subscribe(within(t, callTimeout), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}})
	if err != nil {
		t.Fatal(err)
	}
	f.lose()
	callTool(t, c, "x")
	if change, err := sub.Next(within(t, callTimeout)); err != nil || change.URI != "a:b" {
		t.Errorf("%v, %v", change, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(discarded) != 1 || !strings.Contains(discarded[0], "resources/subscribe") {
		t.Errorf("reported %q", discarded)
	}
}

// TestNewSessionHasTheLogLevel: the server has forgotten it with the session.
func TestNewSessionHasTheLogLevel(t *testing.T) {
	f := newForgetful()
	post := f.post
	levels := make(chan string, 10)
	f.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method != "logging/setLevel" {
			return post(w, r)
		}
		levels <- r.body
		r.answer(w, `{}`)
		return true
	}
	c := f.open(t, nil, nil)
	if err := c.SetLogLevel(t.Context(), mcp.LevelError); err != nil {
		t.Fatal(err)
	}
	<-levels
	f.lose()
	callTool(t, c, "x")
	select {
	case again := <-levels:
		if !strings.Contains(again, `"level":"error"`) {
			t.Errorf("sent %s", again)
		}
	case <-within(t, callTimeout).Done():
		t.Error("the level was not sent again")
	}
}

// TestLogLevelOfALostSession: a session that does not even outlive its log level fails
// the call instead of waiting for itself.
func TestLogLevelOfALostSession(t *testing.T) {
	f := newForgetful()
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		switch r.Method {
		case "initialize":
			post(w, r)
			r.answer(w, `{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"s","version":"1"}}`)
		case "logging/setLevel":
			w.WriteHeader(http.StatusNotFound)
		default:
			return post(w, r)
		}
		return true
	}
	c := f.open(t, nil, &mcp.Options{LogLevel: mcp.LevelError, CachedServer: &mcp.ServerInfo{ProtocolVersion: mcp.ProtocolVersion20260728}})
	_, err := c.CallTool(within(t, callTimeout), "x", nil)
	wantError(t, err, jsonrpc.ErrNoSession)
}

// TestSessionsThatEndAtTheLogLevel: the client does not begin one after another.
func TestSessionsThatEndAtTheLogLevel(t *testing.T) {
	f := newForgetful()
	post := f.post
	f.post = func(w http.ResponseWriter, r *request) bool {
		switch {
		case r.Method != "logging/setLevel":
			return post(w, r)
		case f.opens() == 1:
			r.answer(w, `{}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
		return true
	}
	discarded := make(chan error, 10)
	c := f.open(t, nil, &mcp.Options{Trace: &mcp.Trace{Discarded: func(_ context.Context, err error, _ []byte) { discarded <- err }}})
	if err := c.SetLogLevel(t.Context(), mcp.LevelError); err != nil {
		t.Fatal(err)
	}
	f.lose()
	callTool(t, c, "x")
	select {
	case err := <-discarded:
		wantError(t, err, jsonrpc.ErrNoSession, "logging/setLevel")
	case <-within(t, callTimeout).Done():
		t.Error("no error is reported")
	}
	if n := f.opens(); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// TestLostSessionIsNotDeleted: the server has said that it does not exist.
func TestLostSessionIsNotDeleted(t *testing.T) {
	for _, lost := range []bool{true, false} {
		f := newForgetful()
		c := f.open(t, nil, nil)
		if lost {
			f.lose()
			post := f.post
			f.post = func(w http.ResponseWriter, r *request) bool {
				if r.Method == "initialize" {
					w.WriteHeader(http.StatusServiceUnavailable)
					return true
				}
				return post(w, r)
			}
			_, err := c.CallTool(within(t, callTimeout), "x", nil)
			wantError(t, err, nil, "new session", "503")
		} else {
			callTool(t, c, "x")
		}
		c.Close()
		if n := len(f.got("DELETE")); lost != (n == 0) {
			t.Errorf("lost %t: %d times DELETE", lost, n)
		}
	}
}
