// Package faulttest runs a client against the fake server with each fault that it
// has, once. The laboratory (internal/lab/faulttest) has the matrix: each fault on
// each transport with each protocol version, and what exactly is expected.
package faulttest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestMain(m *testing.M) {
	testutil.LimitDepth()
	childserver.Main()
	os.Exit(testutil.Run(m))
}

const (
	connectTime = 50 * time.Second
	callTime    = 10 * time.Second
	lateness    = 100 * time.Millisecond
	closeTime   = 5 * time.Second
)

// TestEachFault: whatever a server does wrong, every call returns at its deadline at
// the latest, a result is the right one, a later call succeeds unless the connection
// has ended or the server responds no more, and nothing is left: no goroutine, and no
// request at the server. The client does nothing that the server reports as a violation.
func TestEachFault(t *testing.T) {
	for i, f := range testserver.Faults() {
		transport := f.On[i%len(f.On)]
		t.Run(f.Name+"/"+string(transport), func(t *testing.T) {
			if f.Process {
				meet(t, &f, processOf(&f), 0)
				return
			}
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { meet(t, &f, serverOf(t, &f, transport), lateness) })
		})
	}
}

// accuses has the faults whose server reports violations though the client is right:
// it forgets what it has sent.
var accuses = map[string]bool{"json-is-a-request": true, "redirect-loop": true, "session-id-long": true}

// optionsOf are those of a server with a fault.
func optionsOf(f *testserver.Fault) *testserver.Options {
	trial := f.Trial()
	o := &testserver.Options{Fault: f.Name, Size: trial.Size, Delay: trial.Delay}
	if o.Delay == 0 && !f.Process {
		o.Delay = 20 * time.Second
	} else if o.Delay == 0 {
		o.Delay = 50 * time.Millisecond
	}
	return o
}

// processOf returns a transport to a server that is a process.
func processOf(f *testserver.Fault) mcp.Transport {
	args, env := childserver.Command(optionsOf(f))
	tr := stdio.Command(args[0], args[1:]...)
	tr.Env, tr.MaxMessage, tr.CloseWait = env, testserver.TrialMessage, 50*time.Millisecond
	return tr
}

// serverOf starts a server in memory, and returns a transport to it.
func serverOf(t *testing.T, f *testserver.Fault, transport byte) mcp.Transport {
	o := optionsOf(f)
	if transport == 'E' {
		o.ProtocolVersions = []string{mcp.ProtocolVersion20250326}
	}
	s := testserver.New(o)
	violations := func() {
		if v := s.Violations(); v != nil && !accuses[f.Name] {
			t.Errorf("the server reports violations: %q", v)
		}
	}
	if transport == 'S' {
		t.Cleanup(violations)
		tr := stdio.Stream(s.Pipe())
		tr.MaxMessage = testserver.TrialMessage
		return tr
	}
	web, err := testserver.StartHTTP(s, &testserver.HTTPOptions{InMemory: true, SSEOnly: transport == 'E', StreamableOnly: transport == 'H'})
	testutil.Must(t, err)
	client := web.Client()
	client.Jar = httpx.OwnCookies
	client.Transport = testserver.Interrupting{Transport: client.Transport.(*http.Transport)}
	t.Cleanup(func() {
		violations()
		if leaks := web.Leaks(); leaks != nil {
			t.Errorf("requests that the client has not ended: %q", leaks)
		}
		if requests := web.Elsewhere(); requests != nil {
			t.Errorf("another origin received requests: %+v", requests)
		}
		client.CloseIdleConnections()
		web.Close()
	})
	if transport == 'E' {
		return sse.New(web.SSE, &sse.Options{Client: client, MaxMessage: testserver.TrialMessage})
	}
	return streamhttp.New(web.URL, &streamhttp.Options{Client: client, MaxMessage: testserver.TrialMessage})
}

// meet connects, makes the call with the fault while another is pending, and one
// afterwards. Without lateness, the machine may delay what it does.
func meet(t *testing.T, f *testserver.Fault, tr mcp.Transport, late time.Duration) {
	do := func(what string, limit time.Duration, f func(context.Context) error) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		began := time.Now()
		err := f(ctx)
		if took := time.Since(began); late > 0 && took > limit+late {
			t.Errorf("%s returns %v after its deadline", what, took-limit)
		}
		return err
	}
	var client *mcp.Client
	if do("Connect", connectTime, func(ctx context.Context) (err error) {
		client, err = mcp.Connect(ctx, tr, &mcp.Options{MaxPages: 20})
		return err
	}) != nil {
		return
	}
	defer func() {
		began := time.Now()
		testutil.Check(t, client.Close())
		if took := time.Since(began); late > 0 && took > closeTime {
			t.Errorf("Close took %v", took)
		}
	}()
	pending := make(chan struct{})
	go func() { // ends at its deadline
		defer close(pending)
		_ = do("a pending call", connectTime, func(ctx context.Context) error {
			_, err := client.CallTool(ctx, "slow", map[string]any{"seconds": 0.15, "steps": 3})
			return err
		})
	}()
	message := "hi" + strings.Repeat(".", f.Trial().Message)
	_ = do("the call", callTime, func(ctx context.Context) error {
		if f.Method == "tools/list" {
			_, err := client.ListTools(ctx)
			return err
		}
		res, err := client.CallTool(ctx, "echo", map[string]any{"message": message})
		if err == nil && len(res.Content) > 0 && res.Text() != message && res.Text() != "\uFFFD" { // for half of a surrogate pair
			t.Errorf("echo returned %.100q", res.Text())
		}
		return err
	})
	<-pending
	after := do("a later call", connectTime, func(ctx context.Context) error {
		res, err := client.CallTool(ctx, "add", map[string]any{"a": 20, "b": 22})
		if err == nil && string(res.StructuredContent) != `{"sum":42}` {
			t.Errorf("add returned %+v", res)
		}
		return err
	})
	if after != nil && client.Err() == nil && !errors.Is(after, context.DeadlineExceeded) {
		t.Errorf("the connection has not ended, and a later call fails: %v", after)
	}
}
