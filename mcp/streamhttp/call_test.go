package streamhttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// both runs f with a server of each era.
func both(t *testing.T, f func(t *testing.T, s *server)) {
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			s := &server{version: version}
			if version == legacy {
				s.session = "the-session"
			}
			f(t, s)
		})
	}
}

// TestFailureBelongsToTheCall has the ways in which one exchange can go wrong.
// Each is the error of that call, and others go on before, beside and after it.
func TestFailureBelongsToTheCall(t *testing.T) {
	respond := func(status int, contentType, body string) func(http.ResponseWriter, *request) {
		return func(w http.ResponseWriter, r *request) {
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			} else {
				w.Header()["Content-Type"] = nil
			}
			w.WriteHeader(status)
			io.WriteString(w, strings.ReplaceAll(body, "$id", string(r.ID)))
		}
	}
	const js, es = "application/json", "text/event-stream"
	for _, tt := range []struct {
		name   string
		call   func(http.ResponseWriter, *request)
		target error
		status int    // of a StatusError, if not 0
		says   string // part of the error
	}{
		{"web page", respond(200, "text/html; charset=utf-8", "<html>Welcome</html>"), mcp.ErrMalformed, 200, "text/html instead of application/json"},
		{"plain text", respond(200, "text/plain", `{"jsonrpc":"2.0","id":$id,"result":`+done+`}`), mcp.ErrMalformed, 200, "text/plain"},
		{"no content type", respond(200, "", `{}`), mcp.ErrMalformed, 200, "no content type"},
		{"202", respond(202, "", ""), mcp.ErrMalformed, 202, "202 Accepted"},
		{"204", respond(204, "", ""), mcp.ErrMalformed, 204, "204 No Content"},
		{"200 and nothing", respond(200, js, ""), mcp.ErrMalformed, 0, "no result for the call"},
		{"not JSON", respond(200, js, "Internal error"), mcp.ErrMalformed, 0, "no result for the call (Internal error)"},
		{"a web page as JSON", respond(200, js, "<html>Welcome</html>"), mcp.ErrMalformed, 0, "no result for the call (a web page)"},
		{"JSON of something else", respond(200, js, `{"message":"Internal server error"}`), mcp.ErrMalformed, 0, `no result for the call ({"message":"Internal server error"})`},
		{"unknown encoding", func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("Content-Type", js)
			send(w, "\x8b\x02\x80{}\x03")
		}, mcp.ErrMalformed, 0, "no result for the call (it is encoded in br)"},
		{"half of the JSON", respond(200, js, `{"jsonrpc":"2.0","id":$id,"result":{"conten`), mcp.ErrMalformed, 0, ""},
		{"invalid UTF-8", respond(200, js, `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"`+"\xff"+`"}]}}`), mcp.ErrMalformed, 0, ""},
		{"nested deeply", respond(200, js, `{"jsonrpc":"2.0","id":$id,"result":`+strings.Repeat("[", 100_000)+`}`), mcp.ErrMalformed, 0, ""},
		{"result twice", respond(200, js, `{"jsonrpc":"2.0","id":$id,"result":{},"result":{}}`), mcp.ErrMalformed, 0, ""},
		{"result in capitals", respond(200, js, `{"jsonrpc":"2.0","id":$id,"RESULT":`+done+`}`), mcp.ErrMalformed, 0, ""},
		{"result and error", respond(200, js, `{"jsonrpc":"2.0","id":$id,"result":{},"error":{"code":1,"message":"x"}}`), mcp.ErrMalformed, 0, ""},
		{"answer to another call", respond(200, js, `{"jsonrpc":"2.0","id":4711,"result":`+done+`}`), mcp.ErrMalformed, 0, "no result for the call"},
		{"a notification only", respond(200, js, `{"jsonrpc":"2.0","method":"notifications/x"}`), mcp.ErrMalformed, 0, "no result for the call"},
		{"batch", respond(200, js, `[{"jsonrpc":"2.0","id":$id,"result":`+done+`}]`), mcp.ErrMalformed, 0, ""},
		{"empty stream", respond(200, es, ""), mcp.ErrOutcomeUnknown, 0, "ended before the result"},
		{"stream of comments", respond(200, es, ": hello\n\n: hello\n\n"), mcp.ErrOutcomeUnknown, 0, "ended before the result"},
		{"event cut off", respond(200, es, "data: {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{}}\n"), mcp.ErrOutcomeUnknown, 0, ""},
		{"stream with nonsense", respond(200, es, "data: hello\n\n"), mcp.ErrOutcomeUnknown, 0, ""},
		{"stream with an answer cut off", respond(200, es, "data: {\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\n\n"), mcp.ErrMalformed, 0, ""},
		{"stream with the answer to another call", respond(200, es, "data: {\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}\n\n"), mcp.ErrOutcomeUnknown, 0, ""},
		{"400", respond(400, "text/plain", "no"), nil, 400, "400 Bad Request (no)"},
		{"400 with an error", respond(400, js, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such thing"}}`), nil, 400, "no such thing"},
		{"400 with an error without id", respond(400, js, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no such thing"}}`), nil, 400, "no such thing"},
		{"401", respond(401, "", ""), nil, 401, "authorization"},
		{"403", respond(403, "", ""), nil, 403, "refuses access"},
		{"405", respond(405, "", ""), nil, 405, ""},
		{"429", respond(429, "", ""), nil, 429, "fewer requests"},
		{"500", respond(500, "text/html", "<html>"), mcp.ErrOutcomeUnknown, 500, "web page"},
		{"503", respond(503, "", ""), nil, 503, ""},
		{"connection reset", func(w http.ResponseWriter, r *request) { reset(w) }, mcp.ErrOutcomeUnknown, 0, ""},
		{"reset within the body", func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Type", js)
			send(w, `{"jsonrpc":"2.0",`)
			reset(w)
		}, mcp.ErrOutcomeUnknown, 0, ""},
		{"reset within the stream", func(w http.ResponseWriter, r *request) { events(w, "data: {"); reset(w) }, mcp.ErrOutcomeUnknown, 0, ""},
		{"less than announced", func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Length", "10000")
			r.answer(w, done)
		}, mcp.ErrOutcomeUnknown, 0, ""},
		{"too much", respond(200, js, strings.Repeat(" ", 1<<20)), mcp.ErrTooLarge, 0, ""},
		{"too long an event", respond(200, es, "data: "+strings.Repeat("x", 1<<20)), mcp.ErrTooLarge, 0, ""},
		{"gzip bomb", func(w http.ResponseWriter, r *request) { w.Header().Set("Content-Type", js); bomb(w) }, mcp.ErrTooLarge, 0, ""},
		{"gzip bomb in a stream", func(w http.ResponseWriter, r *request) { w.Header().Set("Content-Type", es); bomb(w) }, mcp.ErrTooLarge, 0, ""},
		{"gzip that is none", func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Encoding", "gzip")
			r.answer(w, done)
		}, mcp.ErrOutcomeUnknown, 0, "gzip"},
		{"an encoding that was not requested", func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Encoding", "br")
			respond(200, js, "\x1b\x03")(w, r)
		}, mcp.ErrMalformed, 0, ""},
		{"too long a header", func(w http.ResponseWriter, r *request) {
			w.Header().Set("X-Long", strings.Repeat("x", 2<<20))
			r.answer(w, done)
		}, mcp.ErrOutcomeUnknown, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, s *server) {
				other := make(chan struct{})
				s.call = func(w http.ResponseWriter, r *request) {
					switch r.Params.Name {
					case "bad":
						tt.call(w, r)
					case "beside":
						<-other
						fallthrough
					default:
						r.answer(w, done)
					}
				}
				c := s.open(t, &streamhttp.Options{MaxMessage: 512 << 10}, nil)
				var beside sync.WaitGroup
				beside.Go(func() { callTool(t, c, "beside") })
				_, err := c.CallTool(within(t, callTimeout), "bad", nil)
				wantError(t, err, tt.target, tt.says, `"bad"`)
				if tt.status != 0 {
					wantStatus(t, err, tt.status)
				}
				close(other)
				beside.Wait()
				callTool(t, c, "after")
				if n := len(s.got("tools/call")); n != 3 {
					t.Errorf("%d calls were sent", n)
				}
			})
		})
	}
}

// reset ends the connection without a good-bye.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// bomb writes little that becomes a gigabyte.
func bomb(w http.ResponseWriter) {
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	zeros := make([]byte, 1<<20)
	for range 1 << 10 {
		if _, err := z.Write(zeros); err != nil {
			return
		}
	}
}

func TestStatusErrorQuotesTheServer(t *testing.T) {
	s := &server{version: modern, call: func(w http.ResponseWriter, r *request) {
		w.Header().Set("Retry-After", "7200")
		w.Header().Add("WWW-Authenticate", `Bearer realm="a"`)
		w.Header().Add("WWW-Authenticate", `DPoP`)
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, "%s\x1b[31m for %s", strings.Repeat("slow down ", 10_000), r.HTTP.Header.Get("Authorization"))
	}}
	c := s.open(t, &streamhttp.Options{Header: http.Header{"Authorization": {"Bearer topsecret"}}}, nil)
	_, err := c.CallTool(t.Context(), "x", nil)
	e := wantStatus(t, err, 429)
	if e.RetryAfter != 5*time.Minute || len(e.WWWAuthenticate) != 2 || len(e.Body) > 4<<10 || e.Method != "POST" || e.URL != s.URL {
		t.Errorf("%+v", e)
	}
	if strings.Contains(err.Error(), "topsecret") || len(err.Error()) > 1000 {
		t.Error(err)
	}
}

// TestEveryFormOfResponse has what is allowed though it is rare.
func TestEveryFormOfResponse(t *testing.T) {
	for name, call := range map[string]func(http.ResponseWriter, *request){
		"JSON with parameters": func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Type", "Application/JSON; charset=UTF-8")
			io.WriteString(w, "\r\n "+r.result(done)+"\n\n")
		},
		"JSON without a length": func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Type", "application/json")
			send(w, r.result(done)[:20])
			send(w, r.result(done)[20:])
		},
		"compressed": func(w http.ResponseWriter, r *request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, r.result(done))
			z.Close()
		},
		"stream": func(w http.ResponseWriter, r *request) { events(w, "data: "+r.result(done)+"\n\n") },
		"stream byte by byte": func(w http.ResponseWriter, r *request) {
			events(w, "\ufeff: hi\r\n\r\n")
			for _, b := range []byte("event: message\r\nid: 1\r\ndata:" + r.result(done) + "\r\n\r\n") {
				send(w, string(b))
			}
		},
		"stream with all sorts of things before": func(w http.ResponseWriter, r *request) {
			events(w, ": comment\nid\nretry: x\nevent: ping\ndata: {}\n\n")
			send(w, "data\n\ndata: nonsense\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
			send(w, "data: "+strings.Replace(r.result(done), `,"id":`, ",\ndata: \"id\":", 1)+"\n\n")
		},
		"two answers": func(w http.ResponseWriter, r *request) {
			events(w, "data: "+r.result(done)+"\n\ndata: "+r.result(`{"content":[{"type":"text","text":"second answer"}]}`)+"\n\n")
		},
		"stream with the id as a string": func(w http.ResponseWriter, r *request) {
			events(w, `data: {"jsonrpc":"2.0","id":"`+string(r.ID)+`","result":`+done+"}\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, s *server) {
				s.call = call
				callTool(t, s.open(t, nil, nil), "x")
			})
		})
	}
}

func TestBatchesOf20250326(t *testing.T) {
	s := &server{version: mcp.ProtocolVersion20250326, call: func(w http.ResponseWriter, r *request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `[{"jsonrpc":"2.0","method":"notifications/x"},`+r.result(done)+`]`)
	}}
	callTool(t, s.open(t, nil, nil), "x")
}

// TestConcurrentResults has a server that answers each call on the stream of
// another one.
func TestConcurrentResults(t *testing.T) {
	ids := map[string]chan string{"a": make(chan string, 1), "b": make(chan string, 1)}
	other := map[string]string{"a": "b", "b": "a"}
	s := &server{version: modern, call: func(w http.ResponseWriter, r *request) {
		ids[other[r.Params.Name]] <- string(r.ID)
		events(w, `data: {"jsonrpc":"2.0","id":`+<-ids[r.Params.Name]+`,"result":`+done+"}\n\n")
	}}
	var j journal
	c := s.open(t, nil, &mcp.Options{Trace: j.trace()})
	var calls sync.WaitGroup
	for name := range other {
		calls.Go(func() {
			_, err := c.CallTool(within(t, callTimeout), name, nil)
			wantError(t, err, mcp.ErrOutcomeUnknown)
		})
	}
	calls.Wait()
	if !j.has(jsonrpc.ErrUnknownID) {
		t.Error("dropped:", j.String())
	}
}

// TestStreamContinuesAfterResult: the response is closed at the answer.
func TestStreamContinuesAfterResult(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		gone := make(chan bool, 20)
		s.call = func(w http.ResponseWriter, r *request) {
			events(w, "id: 1\ndata: "+r.result(done)+"\n\n")
			s.hang(r.HTTP)
			gone <- r.HTTP.Context().Err() != nil
		}
		c := s.open(t, nil, nil)
		for range cap(gone) {
			callTool(t, c, "x")
			if !<-gone {
				t.Fatal("the response stays open")
			}
		}
	})
}

// TestCancelledCall: with a session the client sends a cancellation, else the response is
// closed.
func TestCancelledCall(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		cause := errors.New("the user went home")
		started, gone := make(chan struct{}), make(chan struct{})
		s.call = func(w http.ResponseWriter, r *request) {
			close(started)
			s.hang(r.HTTP)
			close(gone)
		}
		c := s.open(t, nil, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-started; cancel(cause) }()
		_, err := c.CallTool(ctx, "x", nil)
		wantError(t, err, cause)
		<-gone
		reported := func() bool { return len(s.got("notifications/cancelled")) > 0 }
		if s.version == legacy && !testutil.Eventually(reported) {
			t.Error("the server was not told")
		} else if s.version == modern && reported() {
			t.Error("the server was told")
		}
	})
}

// TestCancellationDoesNotBlock: the server does not read it.
func TestCancellationDoesNotBlock(t *testing.T) {
	s := &server{session: "s"}
	s.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "notifications/cancelled" || r.Method == "tools/call" {
			s.hang(r.HTTP)
			return true
		}
		return false
	}
	c := s.open(t, nil, nil)
	start := time.Now()
	_, err := c.CallTool(within(t, 20*time.Millisecond), "x", nil)
	wantError(t, err, context.DeadlineExceeded)
	if took := time.Since(start); took > callTimeout {
		t.Error("took", took)
	}
}

func TestServerNeverReadsTheBody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	accepted := make(chan struct{})
	go func() { // ends with the listener
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
		}
	}()
	defer func() {
		l.Close()
		<-accepted
		for _, conn := range conns {
			conn.Close()
		}
	}()
	conn, err := streamhttp.New("http://"+l.Addr().String(), nil).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	big := []byte(`{"x":"` + strings.Repeat("x", 16<<20) + `"}`)
	start := time.Now()
	_, err = conn.Call(within(t, 50*time.Millisecond), &jsonrpc.Request{Method: "x", Params: big})
	wantError(t, err, context.DeadlineExceeded)
	if took := time.Since(start); took > callTimeout {
		t.Error("took", took)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

// TestSlowServer sends nothing, or a byte now and then, for ever.
func TestSlowServer(t *testing.T) {
	for _, contentType := range []string{"application/json", "text/event-stream"} {
		t.Run(contentType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				drips := false
				f := &wire{call: func(r *http.Request) *http.Response {
					body, w := io.Pipe()
					go func() { // ends with the request
						for drips && r.Context().Err() == nil {
							_, _ = io.WriteString(w, " ")
							time.Sleep(5 * time.Millisecond)
						}
						<-r.Context().Done()
						_ = w.CloseWithError(r.Context().Err())
					}()
					resp := respond(200, contentType, "")
					resp.Body = body
					return resp
				}}
				c := connect(t, streamhttp.New("http://fake", &streamhttp.Options{
					Client: &http.Client{Transport: f}, NoStream: true, IdleTimeout: time.Second}), nil)
				_, err := c.CallTool(t.Context(), "x", nil)
				wantError(t, err, context.DeadlineExceeded, "nothing received within 1s")
				wantError(t, err, mcp.ErrOutcomeUnknown)
				drips = true
				_, err = c.CallTool(within(t, 2*time.Second), "x", nil)
				wantError(t, err, context.DeadlineExceeded)
				_, err = c.Do(t.Context(), &mcp.ToolCall{Name: "x", Timeout: 2 * time.Second})
				wantError(t, err, context.DeadlineExceeded, "no response within 2s")
			})
		})
	}
}

// TestHeaderTimeout: a stream may last longer, a server that keeps silent not.
func TestHeaderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &wire{call: func(r *http.Request) *http.Response {
			<-r.Context().Done()
			return nil
		}}
		tr := streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: f}, NoStream: true, HeaderTimeout: 5 * time.Second})
		c, err := mcp.Connect(t.Context(), tr, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		start := time.Now()
		_, err = c.CallTool(t.Context(), "x", nil)
		wantError(t, err, context.DeadlineExceeded, "POST http://fake: no response within 5s")
		wantError(t, err, mcp.ErrOutcomeUnknown)
		if took := time.Since(start); took != 5*time.Second {
			t.Error("took", took)
		}
	})
}

// TestNoTimeoutsUnlessSet: the timeout of the call ends it, before the header and in
// the body.
func TestNoTimeoutsUnlessSet(t *testing.T) {
	for _, o := range []streamhttp.Options{{}, {HeaderTimeout: -1, IdleTimeout: -1, MaxMessage: -1}} {
		for _, silent := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				f := &wire{call: func(r *http.Request) *http.Response {
					if silent {
						<-r.Context().Done()
						return nil
					}
					body, w := io.Pipe()
					context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
					return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
				}}
				o.Client, o.NoStream = &http.Client{Transport: f}, true
				c, err := mcp.Connect(t.Context(), streamhttp.New("http://fake", &o), &mcp.Options{Timeout: time.Hour, MaxTimeout: -1})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				start := time.Now()
				_, err = c.CallTool(t.Context(), "x", nil)
				wantError(t, err, context.DeadlineExceeded, "no response within 1h0m0s")
				if took := time.Since(start); took != time.Hour {
					t.Error("took", took)
				}
			})
		}
	}
}

// TestClientTimeoutCutsNoStream: http.Client.Timeout is not used.
func TestClientTimeoutCutsNoStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &wire{}
		f.call = func(r *http.Request) *http.Response {
			body, w := io.Pipe()
			go func() { // ends with the response
				_, _ = io.WriteString(w, ": wait\n\n")
				time.Sleep(time.Minute)
				_, _ = io.WriteString(w, "data: "+f.last.result(done)+"\n\n")
				_ = w.Close()
			}()
			resp := respond(200, "text/event-stream", "")
			resp.Body = body
			return resp
		}
		hc := &http.Client{Transport: f, Timeout: time.Second}
		callTool(t, connect(t, streamhttp.New("http://fake", &streamhttp.Options{Client: hc, NoStream: true}), &mcp.Options{Timeout: time.Hour}), "x")
		if hc.Timeout != time.Second || hc.CheckRedirect != nil {
			t.Error("the client was changed")
		}
	})
}

type key struct{}

// TestContextValues: the context of a call is that of its request; what belongs
// to no call has the values of that given to Connect, and not its end.
func TestContextValues(t *testing.T) {
	s := &server{session: "s", get: func(w http.ResponseWriter, r *http.Request) { events(w, "") }}
	s.start(t)
	var mu sync.Mutex
	seen := make(map[string]any)
	rt := roundTripper(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		what := r.Method
		if r.Method == "POST" {
			var m bytes.Buffer
			b, _ := r.GetBody()
			m.ReadFrom(b)
			what = strings.Split(strings.Split(m.String(), `"method":"`)[1], `"`)[0]
		}
		seen[what] = r.Context().Value(key{})
		return http.DefaultTransport.RoundTrip(r)
	})
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "connect"))
	c, err := mcp.Connect(ctx, streamhttp.New(s.URL, &streamhttp.Options{Client: &http.Client{Transport: rt}}), nil)
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(context.WithValue(t.Context(), key{}, "call"), "x", nil); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for what, want := range map[string]string{"initialize": "connect", "GET": "connect", "DELETE": "connect", "tools/call": "call"} {
		if seen[what] != want {
			t.Errorf("%s has %v, want %s", what, seen[what], want)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestConnectFails has servers that are none.
func TestConnectFails(t *testing.T) {
	refusing := testutil.FreeAddress(t)
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nolog()
	tls.StartTLS()
	defer tls.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>hello") }))
	defer page.Close()
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	silent := (&server{}).start(t)
	silent.post = func(w http.ResponseWriter, r *request) bool { silent.hang(r.HTTP); return true }
	for _, tt := range []struct {
		name, url string
		says      []string
	}{
		{"connection refused", "http://" + refusing + "/mcp", []string{refusing + "/mcp", "onnection refused"}},
		{"certificate", tls.URL, []string{"certificate"}},
		{"no TLS", strings.Replace(page.URL, "http:", "https:", 1), []string{"TLS handshake"}},
		{"web page", page.URL, []string{"text/html instead of application/json", "web page"}},
		{"not found", missing.URL + "/mcp?key=topsecret", []string{"404 Not Found", "/mcp?..."}},
		{"silent", silent.URL, []string{"context deadline exceeded"}},
		{"no such scheme", "ftp://example.com", []string{"http://"}},
		{"no host", "http:///mcp", []string{"has no host"}},
		{"no URL", "http://[::1", []string{"invalid URL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limit := callTimeout
			if tt.name == "silent" {
				limit = 100 * time.Millisecond
			}
			start := time.Now()
			_, err := mcp.Connect(within(t, limit), streamhttp.New(tt.url, nil), nil)
			if took := time.Since(start); took > callTimeout {
				t.Error("took", took)
			}
			wantError(t, err, nil, tt.says...)
			if err != nil && strings.Contains(err.Error(), "topsecret") {
				t.Error(err)
			}
		})
	}
}

func TestHeaderThatCannotBeSent(t *testing.T) {
	for _, h := range []http.Header{{"X-Key": {"top\r\nsecret"}}, {"X Key": {"topsecret"}}, {"": {"topsecret"}}, {"X": {"topsecret\x00"}}} {
		_, err := mcp.Connect(t.Context(), streamhttp.New("http://localhost", &streamhttp.Options{Header: h}), nil)
		wantError(t, err, nil, "header")
		if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
}

// TestHeaderOptions: they go with every request, and are the caller's own.
func TestHeaderOptions(t *testing.T) {
	s := &server{session: "s", get: func(w http.ResponseWriter, r *http.Request) { events(w, "") }}
	h := http.Header{"x-key": {"1"}}
	s.start(t)
	tr := streamhttp.New(s.URL, &streamhttp.Options{Header: h})
	h.Set("x-other", "2")
	c := connect(t, tr, nil)
	callTool(t, c, "x")
	c.Close()
	for _, method := range []string{"POST", "GET", "DELETE"} {
		for _, r := range s.got(method) {
			if r.HTTP.Header.Get("X-Key") != "1" || r.HTTP.Header.Get("X-Other") != "" {
				t.Errorf("%s with %v", method, r.HTTP.Header)
			}
		}
		if len(s.got(method)) == 0 {
			t.Error("no", method)
		}
	}
}

// TestNoGoroutinePerCall counts goroutines while calls wait for their answers
// in JSON.
func TestNoGoroutinePerCall(t *testing.T) {
	const n = 20
	// The server's goroutines are in the same process: count only those that
	// have the client in their stack, but for the callers.
	count := func() (calls, others int) {
		stacks := make([]byte, 1<<22)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, g := range strings.Split(string(stacks), "\n\n") {
			switch {
			case strings.Contains(g, "mcp.(*Client).CallTool"):
				calls++
			case strings.Contains(g, "/mcp/streamhttp.(") || strings.Contains(g, "/internal/httpx.("):
				others++
			}
		}
		return calls, others
	}
	both(t, func(t *testing.T, s *server) {
		release := make(chan struct{})
		s.call = func(w http.ResponseWriter, r *request) { <-release; r.answer(w, done) }
		c := s.open(t, nil, nil)
		var calls sync.WaitGroup
		for range n {
			calls.Go(func() { callTool(t, c, "x") })
		}
		if !testutil.Eventually(func() bool { return len(s.got("tools/call")) == n }) {
			t.Error("the calls don't arrive")
		}
		if calling, others := count(); calling != n || others != 0 {
			t.Errorf("%d calls have %d goroutines beside them", calling, others)
		}
		close(release)
		calls.Wait()
	})
}
