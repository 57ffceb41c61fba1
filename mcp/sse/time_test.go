package sse

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// memory is a server without a network, for tests in which time passes at
// once.
type memory struct {
	pw     *io.PipeWriter
	posted chan string
	mute   bool // never responds to a POST
	status int  // of a POST; 0 means 202
}

func (m *memory) write(text string) { io.WriteString(m.pw, text) }

func (m *memory) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == "POST" {
		body, _ := io.ReadAll(r.Body)
		m.posted <- string(body)
		if m.mute {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return &http.Response{StatusCode: cmp.Or(m.status, 202), Header: http.Header{}, Body: http.NoBody}, nil
	}
	pr, pw := io.Pipe()
	m.pw = pw
	context.AfterFunc(r.Context(), func() { pr.CloseWithError(r.Context().Err()) })
	go m.write("event: endpoint\ndata: /m\n\n") // ends when it is read
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {eventStream}}, Body: pr}, nil
}

func inMemory(t *testing.T, opts *Options, h jsonrpc.Handler) (*memory, jsonrpc.Conn) {
	m := &memory{posted: make(chan string, 100)}
	if opts == nil {
		opts = &Options{}
	}
	opts.Client = &http.Client{Transport: m}
	conn, err := New("http://example.com/sse", opts).Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return m, conn
}

// TestNotificationThatBeginsASession: a server that received it and does not respond works
// nevertheless. Other notifications wait for the response.
func TestNotificationThatBeginsASession(t *testing.T) {
	for _, tt := range []struct {
		session jsonrpc.Session
		timeout time.Duration
		want    time.Duration
	}{
		{jsonrpc.BeginsSession, 0, 2 * time.Second},
		{jsonrpc.BeginsSession, -1, 2 * time.Second},
		{jsonrpc.BeginsSession, time.Second, time.Second},
		{jsonrpc.InSession, 3 * time.Second, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, conn := inMemory(t, &Options{HeaderTimeout: tt.timeout}, jsonrpc.Handler{})
			server.mute = true
			start := time.Now()
			err := conn.Notify(t.Context(), &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Session: tt.session}})
			if took := time.Since(start); (err == nil) != (tt.session == jsonrpc.BeginsSession) || took != tt.want+failTime {
				t.Errorf("%+v: %v after %v", tt, err, took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if err := conn.Notify(ctx, &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Session: tt.session}}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%+v: the context ended, and the error is %v", tt, err)
			}
		})
	}
}

// TestGatewayTimeout: a server that responds to the POST of a call only when it has the
// result makes a gateway give up with 504, and sends the result nevertheless.
func TestGatewayTimeout(t *testing.T) {
	for _, answers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			server, conn := inMemory(t, nil, jsonrpc.Handler{})
			server.status = http.StatusGatewayTimeout
			if answers {
				time.AfterFunc(time.Minute, func() { server.write(`data: {"jsonrpc":"2.0","id":1,"result":{"a":1}}` + "\n\n") })
			}
			raw, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "m", Timeout: 2 * time.Minute})
			switch {
			case answers && (err != nil || string(raw) != `{"a":1}`):
				t.Errorf("%s, %v", raw, err)
			case !answers && (!errors.Is(err, jsonrpc.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "504 Gateway Timeout")):
				t.Error(err)
			}
		})
	}
}

func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, conn := inMemory(t, &Options{IdleTimeout: time.Minute}, jsonrpc.Handler{})
		errs := make(chan error, 1)
		go func() { // ends with the call
			_, err := conn.Call(context.Background(), &jsonrpc.Request{Method: "m"})
			errs <- err
		}()
		for range 10 {
			time.Sleep(59 * time.Second)
			server.write(": still here\n")
		}
		start := time.Now()
		err := <-errs
		if !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(err, jsonrpc.ErrOutcomeUnknown) {
			t.Error(err)
		}
		if err := conn.Err(); !strings.Contains(err.Error(), "nothing received within 1m0s") || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestNoIdleTimeoutUnlessSet(t *testing.T) {
	for _, timeout := range []time.Duration{0, -1} {
		synctest.Test(t, func(t *testing.T) {
			_, conn := inMemory(t, &Options{IdleTimeout: timeout}, jsonrpc.Handler{})
			time.Sleep(1000 * time.Hour)
			if err := conn.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, conn := inMemory(t, nil, jsonrpc.Handler{})
		done := make(chan struct{})
		go func() { // ends with the connection; one byte a second
			defer close(done)
			for {
				if _, err := server.pw.Write([]byte(":")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		if _, err := conn.Call(ctx, cancelled()); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		<-server.posted
		if notice := <-server.posted; !strings.Contains(notice, "notifications/cancelled") {
			t.Error(notice)
		}
		conn.Close()
		<-done
	})
}

func TestMuteServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, conn := inMemory(t, nil, jsonrpc.Handler{})
		server.mute = true

		// What is not a call waits for the headers, no longer.
		start := time.Now()
		err := conn.Notify(context.Background(), &jsonrpc.Request{Method: "n"})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != defaultHeaderTimeout+failTime {
			t.Errorf("%v after %v", err, time.Since(start))
		}

		// A call waits as long as its context. The cancellation blocks no caller.
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start = time.Now()
		if _, err := conn.Call(ctx, cancelled()); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(start))
		}

		// A call that was answered leaves its request behind, not for long.
		go func() { // ends when the answer is read
			time.Sleep(time.Second) // so that the call has been made
			server.write("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		}()
		if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "m"}); err != nil {
			t.Error(err)
		}
		time.Sleep(drainTime + failTime)
		synctest.Wait()
	})
}
