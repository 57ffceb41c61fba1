package streamhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// echoing answers each request with a result; one whose method is "hang" never.
func echoing(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), `"hang"`) {
		<-r.Context().Done()
		return
	}
	_, rest, _ := strings.Cut(string(body), `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	message := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	w.Header().Set("Content-Type", typeJSON)
	if strings.Contains(string(body), `"stream"`) {
		w.Header().Set("Content-Type", eventStream)
		message = "data: " + message + "\n\n"
	}
	_, _ = io.WriteString(w, message)
}

func openEchoing(t *testing.T, client *http.Client) *conn {
	web := httptest.NewServer(http.HandlerFunc(echoing))
	t.Cleanup(web.Close)
	c, err := New(web.URL, &Options{Client: client}).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*conn)
}

// kept returns how many lives wait for reuse, and the last of them.
func (c *conn) kept() (n int, last life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n = len(c.lives); n > 0 {
		last = c.lives[n-1]
	}
	return n, last
}

// TestCallsShareAContext: calls use one context after the other, unless something may
// still end it.
func TestCallsShareAContext(t *testing.T) {
	t.Parallel()
	c := openEchoing(t, nil)
	call := func(ctx context.Context, method string, timeout time.Duration) error {
		_, err := c.Call(ctx, &jsonrpc.Request{Method: method, Timeout: timeout, TimeoutErr: errEnded})
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var first life
	for i, method := range []string{"a", "b", "stream"} {
		if err := call(ctx, method, time.Hour); err != nil {
			t.Fatal(method, err)
		}
		n, last := c.kept()
		if i == 0 {
			first = last
		}
		if n != 1 || last.ctx != first.ctx {
			t.Errorf("after %q, %d contexts are kept", method, n)
		}
	}
	if err := call(t.Context(), "hang", time.Millisecond); err != errEnded {
		t.Error("the timeout:", err)
	}
	if n, _ := c.kept(); n != 0 || first.ctx.Err() == nil {
		t.Error("the context of a call that timed out is kept")
	}
	for _, method := range []string{"a", "hang"} {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		if method == "hang" {
			time.AfterFunc(time.Millisecond, func() { cancel(cause) })
		} else {
			cancel(cause)
		}
		if err := call(ctx, method, time.Hour); !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v, want the cause", method, err)
		}
		if n, _ := c.kept(); n != 0 {
			t.Errorf("%q: the context of a call that was canceled is kept", method)
		}
	}
	if err := call(ctx, "a", time.Hour); err != nil {
		t.Error("after that:", err)
	}
	_, last := c.kept()
	_ = c.Close()
	if last.ctx.Err() == nil || call(ctx, "a", time.Hour) != jsonrpc.ErrClosed {
		t.Error("a context outlives the connection")
	}
}

// A roundTripper keeps the contexts of its requests.
type roundTripper struct{ contexts []context.Context }

func (rt *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	rt.contexts = append(rt.contexts, r.Context())
	return http.DefaultTransport.RoundTrip(r)
}

// TestContextForARoundTripper: one of the program sees a context with the values and
// the deadline of the caller's, which ends with the call.
func TestContextForARoundTripper(t *testing.T) {
	t.Parallel()
	type key struct{}
	rt := new(roundTripper)
	c := openEchoing(t, &http.Client{Transport: rt})
	deadline := time.Now().Add(time.Hour)
	for range 2 {
		ctx, cancel := context.WithDeadline(context.WithValue(t.Context(), key{}, "value"), deadline)
		defer cancel()
		if _, err := c.Call(ctx, &jsonrpc.Request{Method: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, ctx := range rt.contexts {
		if d, ok := ctx.Deadline(); ctx.Value(key{}) != "value" || !ok || !d.Equal(deadline) {
			t.Errorf("value %v, deadline %v", ctx.Value(key{}), d)
		}
		<-ctx.Done()
	}
	if n, _ := c.kept(); n != 0 || len(rt.contexts) != 2 {
		t.Errorf("%d contexts are kept of %d", n, len(rt.contexts))
	}
}
