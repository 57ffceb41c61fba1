package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestSessionStreamRefusedLater tries every order of refusals of a stream that was open.
func TestSessionStreamRefusedLater(t *testing.T) {
	all := []int{400, 401, 403, 404, 405, 409, 410, 429, 500, 501, 502, 503, 504}
	for _, first := range all {
		for _, second := range append(all, 0) {
			synctest.Test(t, func(t *testing.T) {
				f, gone := new(wire), 0
				var pings atomic.Int32
				f.get = func(n int) *http.Response {
					status := []int{0, first, second, 0}[min(n-1, 3)]
					if status != 0 {
						if gone == 0 && (status == 405 || status == 501) {
							gone = n
						}
						return respond(status, "", "")
					}
					resp := respond(200, "text/event-stream", "")
					wait := time.Hour
					if n == 1 {
						wait = time.Minute
					}
					resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("data: "+note("a")+"\n\n"), late{f.ctx, wait}))
					return resp
				}
				var lost []error
				c := f.connect(t, &mcp.Options{Trace: &mcp.Trace{
					StreamLost:  func(_ context.Context, err error) { lost = append(lost, err) },
					SessionLost: func(_ context.Context, err error) { t.Error("session lost:", err) },
					Message: func(_ context.Context, sent bool, data []byte) {
						if sent && strings.Contains(string(data), `"ping"`) {
							pings.Add(1)
						}
					},
				}})
				time.Sleep(30 * time.Minute)
				synctest.Wait()
				want := 3
				if second != 0 {
					want = 4
				}
				if gone != 0 {
					want = gone
				}
				if n := len(f.times()); n != want {
					t.Errorf("%d, %d: asked %d times, want %d: %v", first, second, n, want, f.times())
				}
				if (len(lost) == 1) != (gone != 0) {
					t.Errorf("%d, %d: reported %v", first, second, lost)
				}
				doubts := 0
				for i, status := range []int{first, second} {
					if (status == 400 || status == 401 || status == 404 || status == 410) && (gone == 0 || i+2 < gone) {
						doubts++
					}
				}
				if int(pings.Load()) != doubts {
					t.Errorf("%d, %d: %d pings, want %d", first, second, pings.Load(), doubts)
				}
				c.Close()
			})
		}
	}
}

// A down server refuses connections for GET from a number of them on, until another.
type down struct {
	*wire
	from, to int
	n        int
}

func (d *down) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		if d.n++; d.n >= d.from && d.n < d.to {
			d.wire.mu.Lock()
			d.wire.at = append(d.wire.at, time.Since(d.wire.begun))
			d.wire.mu.Unlock()
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
	}
	return d.wire.RoundTrip(r)
}

// TestCallOfAKilledServer: a time ends the call, not a number of tries.
func TestCallOfAKilledServer(t *testing.T) {
	for retry, want := range map[string]time.Duration{"": 10 * time.Second, "retry: 100\n": 10 * time.Second, "retry: 5000\n": 10 * time.Second, "retry: 30000\n": 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			f := new(wire)
			f.begun = time.Now()
			f.call = func(r *http.Request) *http.Response {
				return respond(200, "text/event-stream", "id: 1\n"+retry+"data: "+note("a")+"\n\n")
			}
			rt := &down{wire: f, from: 1, to: 1000}
			tr := streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: rt}, NoStream: true})
			c, err := mcp.Connect(t.Context(), tr, nil)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = c.CallTool(t.Context(), "x", nil)
			if took := time.Since(began); took < want-100*time.Millisecond || took > want+time.Second {
				t.Errorf("%q: took %v, want %v", retry, took, want)
			}
			wantError(t, err, mcp.ErrOutcomeUnknown, "connection refused")
			c.Close()
		})
	}
}

// TestCallOfAGatewayInTrouble: 502 to 504 are not refused connections, and the timeout
// names the last failure.
func TestCallOfAGatewayInTrouble(t *testing.T) {
	for _, status := range []int{409, 429, 502, 503, 504} {
		for _, back := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				f := new(wire)
				f.begun = time.Now()
				f.call = func(r *http.Request) *http.Response {
					return respond(200, "text/event-stream", "id: 1\ndata: "+note("a")+"\n\n")
				}
				f.get = func(n int) *http.Response {
					if n > 4 && back {
						return respond(200, "text/event-stream", "data: "+f.last.result(`{"content":[]}`)+"\n\n")
					}
					return respond(status, "", "")
				}
				tr := streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: f}, NoStream: true})
				c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Timeout: 40 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.CallTool(t.Context(), "x", nil)
				if back && err != nil || !back && (!errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, mcp.ErrOutcomeUnknown) || !strings.Contains(err.Error(), fmt.Sprint(status))) {
					t.Errorf("%d, back %v: %v", status, back, err)
				}
				c.Close()
			})
		}
	}
}

// TestEventIDsThatStartAgain: some servers number the events of each response anew.
func TestEventIDsThatStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(wire)
		f.get = func(n int) *http.Response {
			resp := respond(200, "text/event-stream", "")
			event := "id: 1\ndata: " + note("a") + "\n\n"
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(event+strings.Replace(event, "1", "2", 1)), late{f.ctx, time.Minute}))
			return resp
		}
		logs := 0
		var odd []error
		c := f.connect(t, &mcp.Options{
			Log:   func(context.Context, *mcp.LogMessage) { logs++ },
			Trace: &mcp.Trace{Odd: func(_ context.Context, reason error, _ []byte) { odd = append(odd, reason) }},
		})
		time.Sleep(150 * time.Second)
		synctest.Wait()
		if logs != 6 || len(odd) != 2 || !strings.Contains(odd[0].Error(), "anew") {
			t.Errorf("%d notifications of 3 streams arrived; reported %q", logs, odd)
		}
		c.Close()
	})
}

// TestWrongIDOverHTTP: the error names the id that the server used.
func TestWrongIDOverHTTP(t *testing.T) {
	for _, body := range []string{`{"jsonrpc":"2.0","id":"other","result":{}}`, "\ufeff" + `{"jsonrpc":"2.0","id":77,"result":{}}`} {
		for _, kind := range []string{"application/json", "text/event-stream"} {
			synctest.Test(t, func(t *testing.T) {
				f := new(wire)
				f.call = func(*http.Request) *http.Response {
					if kind == "application/json" {
						return respond(200, kind, body)
					}
					return respond(200, kind, "data: "+body+"\n\n")
				}
				tr := streamhttp.New("http://fake?ä=ö ü", &streamhttp.Options{Client: &http.Client{Transport: f}, NoStream: true})
				c, err := mcp.Connect(t.Context(), tr, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.CallTool(t.Context(), "x", nil)
				id := `"other"`
				if strings.Contains(body, "77") {
					id = "77"
				}
				if err == nil || !strings.Contains(err.Error(), "a response with the id "+id+" came") {
					t.Errorf("%s: %v", kind, err)
				}
				c.Close()
			})
		}
	}
}

// TestByteOrderMark before a JSON body: as .NET and PHP files write it.
func TestByteOrderMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(wire)
		f.call = func(*http.Request) *http.Response {
			return respond(200, "application/json", "\ufeff"+f.last.result(`{"content":[{"type":"text","text":"hi"}]}`))
		}
		var odd []error
		c := f.connect(t, &mcp.Options{Trace: &mcp.Trace{Odd: func(_ context.Context, reason error, _ []byte) { odd = append(odd, reason) }}})
		if res, err := c.CallTool(t.Context(), "x", nil); err != nil || res.Text() != "hi" || len(odd) != 1 {
			t.Errorf("%v, %v, reported %q", res, err, odd)
		}
		c.Close()
	})
}

// TestNoResponseToInitialized: connecting waits 2 s for it at most.
func TestNoResponseToInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := postFunc(func(r *http.Request) (*http.Response, error) {
			body := ""
			if r.Body != nil {
				b, _ := io.ReadAll(r.Body)
				body = string(b)
			}
			switch {
			case strings.Contains(body, `"initialize"`):
				return respond(200, "application/json", `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`), nil
			case strings.Contains(body, "notifications/initialized"):
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return respond(405, "", ""), nil
		})
		began := time.Now()
		c, err := mcp.Connect(t.Context(), streamhttp.New("http://fake", &streamhttp.Options{Client: &http.Client{Transport: rt}}), nil)
		if took := time.Since(began); err != nil || took > 2500*time.Millisecond {
			t.Fatalf("%v after %v", err, took)
		}
		c.Close()
	})
}

type postFunc func(*http.Request) (*http.Response, error)

func (f postFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
