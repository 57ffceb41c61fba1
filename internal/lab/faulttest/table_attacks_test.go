package faulttest

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

// attackRows are the threats of testdata/threats.md that one server shows on its own.
var attackRows = []row{
	{n: 47, title: "acknowledges a subscription that the client did not request", on: "SEH", expected: "ignored; the client unsubscribes from what it subscribed to", lines: []line{
		on("SEH", "acknowledges", works),
		scenario("SH 2025-11-25", "an acknowledgment for a subscription", acknowledges),
	}},
	{n: 49, title: "announces 64 MiB and sends nothing", on: "H", expected: "deadline error; memory follows what arrives", otherTests: "mcp/streamhttp TestAnnouncedLength", lines: []line{
		on("H", "announces-length", fails(deadline).andIsWithdrawn()),
	}},
	{n: 51, title: "pings and unknown requests without end during a call", on: "SEH", expected: "deadline error; the timeout of the call is not paused", lines: []line{
		on("SEH legacy", "endless-requests", fails(deadline).andIsWithdrawn()),
		on("SH modern", "endless-requests", fails(deadline).andIsWithdrawn().drops(serverRequest)),
		scenario("SEH", "requests without end and a timeout", requestsAndTimeout),
	}},
	{n: 52, title: "500 pings at once", on: "SEH", expected: "modern: dropped and reported; legacy: each gets a response", lines: []line{
		on("SEH legacy", "ping-storm", works),
		on("SH modern", "ping-storm", works.drops(serverRequest)),
	}},
}

// acknowledges has a server name other resources while the client is subscribed.
func acknowledges(t *testing.T, w *env) {
	w.engine.Fault = "acknowledges"
	client := w.connect(t, w.options())
	sub, err := client.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"echo://text"}})
	testutil.Must(t, err)
	w.checkEcho(t, t.Context(), client)
	synctest.Wait()
	if got := sub.Honored().ResourceSubscriptions; !slices.Equal(got, []string{"echo://text"}) {
		t.Errorf("honored %q", got)
	}
	sub.Close()
	if n := w.received("resources/unsubscribe"); n != 1 { // of another resource would be a violation
		t.Errorf("unsubscribed %d times", n)
	}
}

// requestsAndTimeout has a server send requests for longer than Options.Timeout.
func requestsAndTimeout(t *testing.T, w *env) {
	w.engine.Fault, w.engine.Delay = "endless-requests", 100*time.Millisecond
	o := w.options()
	o.Timeout = 3 * time.Second
	client := w.connect(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	start := time.Now()
	_, err := w.echo(ctx, client, greeting)
	fails(deadline).checkError(t, err)
	if took := time.Since(start); took > o.Timeout+lateness {
		t.Errorf("a call with a timeout of %v takes %v", o.Timeout, took)
	}
	w.checkAdd(t, client)
}
