package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// versions are the protocol versions of the transports: versions that all of the
// libraries support.
var versions = map[byte]string{'S': "2025-11-25", 'H': "2025-11-25", 'E': "2024-11-05"}

// What a client should do: in time, with other calls unharmed and nothing left
// behind.
const (
	work   = "go on"
	fail   = "fail the call"
	notice = "fail the call at once" // and not at its deadline
	refuse = "not connect"
	either = "go on, or fail the call"
)

// A trial is a fault on a transport.
type trial struct {
	testserver.Fault
	transport byte
	want      string
	ends      ending
}

// An ending is what may end because of a fault.
type ending int

const (
	callOnly   ending = iota
	session           // the session, and the calls that are pending in it
	connection        // the connection, and everything with it
)

// trials are those of a few faults, in the order of the fault matrix.
func trials() (all []*trial) {
	for _, line := range []struct {
		transport byte
		want      string
		ends      ending
		faults    string
	}{
		{'S', work, callOnly, "ignores-eof grandchild floods-stderr banner crlf byte-order-mark other-case-keys unknown-id answers-twice server-requests"},
		{'S', fail, callOnly, "never-answers"},
		{'S', notice, callOnly, "deep-nesting result-and-error neither endless-pages"},
		{'S', notice, connection, "dies-mid-call endless-line cut-off"},
		{'S', either, callOnly, "notification-storm invalid-utf8 no-content null-tool"},
		{'S', refuse, callOnly, "mute exits-at-start never-reads"},
		{'E', notice, connection, "event-reset endless-event"},
		{'E', refuse, callOnly, "endpoint-elsewhere endpoint-none"},
		{'H', work, callOnly, "delete-silent event-empty-data event-comments stream-cr get-500 drops get-ends stays-open"},
		{'H', fail, callOnly, "never-answers event-trickles status-500-slow goes-silent"},
		{'H', notice, callOnly, "resets no-json endless-json endless-event html answers-202 status-400 status-503 redirect-elsewhere-307 gzip-bomb"},
		{'H', either, callOnly, "garbage-event"},
		{'H', either, session, "session-lost"},
		{'H', refuse, callOnly, "website"},
	} {
		for _, name := range strings.Fields(line.faults) {
			all = append(all, &trial{findFault(name), line.transport, line.want, line.ends})
		}
	}
	slices.SortStableFunc(all, func(a, b *trial) int { return cmp.Compare(a.Row, b.Row) })
	return all
}

// findFault returns the fault with a name, which must exist.
func findFault(name string) testserver.Fault {
	all := testserver.Faults()
	return all[slices.IndexFunc(all, func(f testserver.Fault) bool { return f.Name == name })]
}

const (
	// hostileSize is how many bytes a server with an endless response sends.
	hostileSize = 256 << 20

	// maxMemory is 2.5 times stdmcp's limit for a message, 64 MiB. mcp-go and
	// go-sdk have no limit.
	maxMemory = 160 << 20

	connectTime = 10 * time.Second // the deadline of connecting
	callTime    = 3 * time.Second  // the deadline of the call with the fault
	atOnce      = 2 * time.Second  // how soon a call fails that does not wait for its deadline
	lateness    = time.Second      // how late a call may return on a busy machine
	closeTime   = 6 * time.Second  // how long closing may take, also after connecting failed
)

// size returns how much a server with the fault sends.
func size(fault string) int {
	switch fault {
	case "notification-storm", "deep-nesting":
		return 100_000 // messages and levels, not bytes
	}
	return hostileSize
}

// fine is the verdict when nothing is wrong.
const fine = "✓"

// A finding is something that may be wrong with an outcome.
type finding struct {
	wrong bool
	text  string
}

// verdict describes what is wrong with an outcome. requests is how many another
// origin received.
func (tr *trial) verdict(o *outcome, requests int) string {
	findings := []finding{
		{o.ConnectTook > connectTime+closeTime, fmt.Sprint("connecting takes ", o.ConnectTook.Round(time.Second))},
		{o.Connected && tr.want == refuse, "connects"},
		{!o.Connected && tr.want != refuse, "does not connect"},
	}
	if o.Connected && tr.want != refuse {
		findings = append(findings, tr.checkCall(o)...)
	}
	findings = append(findings,
		finding{o.CloseTook > closeTime, fmt.Sprint("closing takes ", o.CloseTook.Round(time.Second))},
		finding{o.Peak > maxMemory, fmt.Sprintf("holds %d MB", o.Peak/1e6)},
		finding{o.Goroutines > 0, fmt.Sprintf("goroutines left: %d", o.Goroutines)},
		finding{o.Processes > 0, fmt.Sprintf("processes left: %d", o.Processes)},
		finding{requests > 0, "sends requests to another origin"})
	var wrong []string
	for _, f := range findings {
		if f.wrong {
			wrong = append(wrong, f.text)
		}
	}
	if wrong == nil {
		return fine
	}
	return strings.Join(wrong, "; ")
}

func (tr *trial) checkCall(o *outcome) []finding {
	succeeds, late := o.CallError == "", o.CallTook > atOnce
	return []finding{
		{succeeds && !o.Right, "accepts a wrong response"},
		{succeeds && o.Right && (tr.want == fail || tr.want == notice), "the call succeeds"},
		{!succeeds && tr.want == work, "the call fails"},
		{!succeeds && late && (tr.want == notice || tr.want == either), "the call fails only at its deadline"},
		{o.CallTook > callTime+lateness, fmt.Sprint("the call returns after ", o.CallTook.Round(time.Second))},
		{o.BeforeFails && tr.ends == callOnly, "a pending call fails"},
		{o.AfterFails && tr.ends != connection, "later calls fail"},
	}
}
