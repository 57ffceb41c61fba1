package faulttest

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// Scenarios are what no server can do alone. Each runs in an env of its own, in a
// bubble unless its line names another location.

// checkRefused checks that Connect fails soon, with an error that all matchers match.
func (w *env) checkRefused(t *testing.T, tr mcp.Transport, cues ...matcher) {
	t.Helper()
	start := time.Now()
	client, err := mcp.Connect(t.Context(), tr, nil)
	if err == nil {
		client.Close()
	}
	refused(cues...).checkError(t, err)
	if took := time.Since(start); took > w.within(closeTime) {
		t.Errorf("Connect took %v", took)
	}
}

func noSuchProgram(t *testing.T, w *env) {
	w.checkRefused(t, stdio.Command("no-such-program-of-stdmcp"), contains("no-such-program-of-stdmcp"), contains("not found"))
}

// panics has handlers that panic. The server learns that a handler failed, the
// program why, and the connection continues.
func panics(t *testing.T, w *env) {
	o := w.options()
	o.Handlers = []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { panic("no roots today") }}}
	o.LogLevel, o.Log = mcp.LevelDebug, func(context.Context, *mcp.LogMessage) { panic("no log today") }
	client := w.connect(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	_, err := client.CallTool(ctx, "ask_roots", nil)
	want := fails(remote, contains("-32603"), not(contains("today"))) // as the server reports it
	if w.version == modern {
		want = fails(contains("no roots today"))
	}
	want.checkError(t, err)
	if _, err := client.CallTool(ctx, "log", nil); err != nil {
		t.Error(err)
	}
	w.checkAdd(t, client)
	synctest.Wait()
	for _, text := range []string{"no roots today", "no log today"} {
		if w.version == modern && text == "no roots today" {
			continue // it was the error of the call
		}
		if !w.dropLog.shows(contains(text)) {
			t.Errorf("dropped %v, which does not match %q", w.dropLog.all(), text)
		}
	}
}

// blocks has handlers that return only when their context ends.
func blocks(t *testing.T, w *env) {
	o := w.options()
	o.Handlers = []mcp.Handler{mcp.Roots{List: func(ctx context.Context) ([]mcp.Root, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	o.LogLevel, o.Log = mcp.LevelDebug, func(ctx context.Context, _ *mcp.LogMessage) { <-ctx.Done() }
	client := w.connect(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	asked := make(chan error, 1)
	go func() { // ends with ctx
		_, err := client.CallTool(ctx, "ask_roots", nil)
		asked <- err
	}()
	if _, err := client.CallTool(ctx, "log", nil); err != nil {
		t.Error(err)
	}
	for range 20 {
		w.checkAdd(t, client)
	}
	fails(deadline).checkError(t, <-asked)
}

// longBatch sends more messages at once than a batch may have.
func longBatch(t *testing.T, w *env) {
	greet := `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"crowd","version":"1"}}}`
	note := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},`
	replies := testserver.Replies(map[string]string{
		"initialize":      greet,
		"server/discover": `{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"Method not found"}}`,
		"ping":            `{"jsonrpc":"2.0","id":$id,"result":{}}`,
		"tools/call":      "[" + strings.Repeat(note, 1500) + `{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}]`,
	})
	client, err := mcp.Connect(t.Context(), w.calls.wrap(stdio.Stream(replies.Pipe())), w.options())
	testutil.Must(t, err)
	defer w.close(t, client)
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	_, err = client.CallTool(ctx, "any", nil)
	fails(either(deadline, malformed)).checkError(t, err)
	if !w.dropLog.shows(contains("too many messages")) {
		t.Errorf("dropped %.3q", w.dropLog.all())
	}
	testutil.Check(t, client.Ping(t.Context()))
}

// storms has a handler that is slower than the notifications come.
func storms(t *testing.T, w *env) {
	const all = 5_000
	w.engine.Fault, w.engine.Size = "notification-storm", all
	o := w.options()
	var handled atomic.Int64
	o.LogLevel = mcp.LevelDebug
	o.Log = func(context.Context, *mcp.LogMessage) {
		handled.Add(1)
		time.Sleep(time.Millisecond)
	}
	client := w.connect(t, o)
	w.checkEcho(t, t.Context(), client)
	time.Sleep(time.Minute) // until all that is queued was handled
	if n := int64(w.dropLog.count()); n == 0 || handled.Load() < 1000 || n+handled.Load() != all {
		t.Errorf("%d messages handled and %d dropped of %d", handled.Load(), n, all)
	}
	if !w.dropLog.shows(flood) {
		t.Errorf("dropped %.3q", w.dropLog.all())
	}
}

// changesALot checks that a subscription reports a storm as one or two changes.
func changesALot(storm string) func(*testing.T, *env) {
	return func(t *testing.T, w *env) {
		w.engine.Fault, w.engine.Size = storm, 5000
		client := w.connect(t, w.options())
		s, err := client.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
		testutil.Must(t, err)
		defer s.Close()
		w.checkEcho(t, t.Context(), client)
		synctest.Wait()
		changes := 0
		for ; ; changes++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := s.Next(ctx)
			cancel()
			if err != nil {
				break
			}
		}
		if changes < 1 || changes > 2 {
			t.Errorf("%d changes were reported", changes)
		}
	}
}

// givesUpConnecting ends the context of Connect after each number of messages.
func givesUpConnecting(t *testing.T, w *env) {
	tr := w.start(t)
	for k := 1; ; k++ {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		n := 0
		o := w.options()
		o.Trace.Message = func(context.Context, bool, []byte) {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == k {
				cancel()
			}
		}
		start := time.Now()
		client, err := mcp.Connect(ctx, tr, o)
		if took := time.Since(start); took > lateness {
			t.Errorf("Connect took %v with the end at message %d", took, k)
		}
		if err == nil {
			w.close(t, client)
		} else if !is(context.Canceled).in(err) {
			t.Errorf("the end at message %d: %v", k, err)
		}
		cancel()
		mu.Lock()
		through := n < k
		mu.Unlock()
		if through {
			return
		}
	}
}

// closesInCalls closes many clients in the middle of a call.
func closesInCalls(t *testing.T, w *env) {
	tr := w.start(t)
	for range length(20, 1000) {
		client, err := mcp.Connect(t.Context(), tr, w.options())
		testutil.Must(t, err)
		result := make(chan error, 1)
		go func() { result <- w.slow(t, client) }() // ends with the call
		w.close(t, client)
		fails(closed).checkError(t, <-result)
	}
}

// closesManyTimes closes one client a thousand times, from many goroutines.
func closesManyTimes(t *testing.T, w *env) {
	client := w.connect(t, w.options())
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() { w.close(t, client) })
		if i%100 == 0 {
			all.Go(func() { _, _ = w.echo(t.Context(), client, "x") })
		}
	}
	all.Wait()
	if err := client.Err(); !closed.in(err) {
		t.Errorf("Err is %v", err)
	}
	_, err := client.Call(t.Context(), "ping", nil)
	fails(closed, not(unknown)).checkError(t, err)
}
