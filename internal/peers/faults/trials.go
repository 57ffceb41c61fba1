package main

import (
	"fmt"
	"strings"
	"time"
)

// versions are those in which the transports are tried: what all of the
// libraries have known for long.
var versions = map[byte]string{'S': "2025-11-25", 'H': "2025-11-25", 'E': "2024-11-05"}

// What a client should do. All of it in time, with other calls unharmed and
// nothing left behind.
const (
	work   = "go on"
	fail   = "fail the call"
	notice = "fail the call at once" // and not at its deadline
	refuse = "not connect"
	either = "go on, or fail the call"
)

// A trial is a fault on a transport.
type trial struct {
	transport byte
	fault     string
	want      string

	dies bool // the connection may end, and everything with it
	lost bool // the session ends, and the call that is under way in it may
	list bool // it is the listing of tools that is struck
}

var trials = []trial{
	{transport: 'S', fault: "never-answers", want: fail},
	{transport: 'H', fault: "never-answers", want: fail},
	{transport: 'S', fault: "mute", want: refuse},
	{transport: 'H', fault: "delete-silent", want: work},
	{transport: 'S', fault: "dies-mid-call", want: notice, dies: true},
	{transport: 'H', fault: "resets", want: notice},
	{transport: 'E', fault: "event-reset", want: notice, dies: true},
	{transport: 'S', fault: "exits-at-start", want: refuse},
	{transport: 'S', fault: "ignores-eof", want: work},
	{transport: 'S', fault: "grandchild", want: work},
	{transport: 'S', fault: "never-reads", want: refuse},
	{transport: 'S', fault: "floods-stderr", want: work},
	{transport: 'S', fault: "banner", want: work},
	{transport: 'H', fault: "no-json", want: notice},
	{transport: 'H', fault: "garbage-event", want: either},
	{transport: 'S', fault: "endless-line", want: notice, dies: true},
	{transport: 'H', fault: "endless-json", want: notice},
	{transport: 'H', fault: "endless-event", want: notice},
	{transport: 'E', fault: "endless-event", want: notice, dies: true},
	{transport: 'S', fault: "notification-storm", want: either},
	{transport: 'H', fault: "event-trickles", want: fail},
	{transport: 'S', fault: "crlf", want: work},
	{transport: 'S', fault: "byte-order-mark", want: work},
	{transport: 'H', fault: "event-empty-data", want: work},
	{transport: 'H', fault: "event-comments", want: work},
	{transport: 'H', fault: "stream-cr", want: work},
	{transport: 'S', fault: "cut-off", want: notice, dies: true},
	{transport: 'S', fault: "invalid-utf8", want: either},
	{transport: 'S', fault: "other-case-keys", want: work},
	{transport: 'S', fault: "deep-nesting", want: notice},
	{transport: 'S', fault: "unknown-id", want: work},
	{transport: 'S', fault: "answers-twice", want: work},
	{transport: 'S', fault: "result-and-error", want: notice},
	{transport: 'S', fault: "neither", want: notice},
	{transport: 'S', fault: "no-content", want: either},
	{transport: 'S', fault: "null-tool", want: either, list: true},
	{transport: 'S', fault: "server-requests", want: work},
	{transport: 'H', fault: "website", want: refuse},
	{transport: 'H', fault: "html", want: notice},
	{transport: 'H', fault: "answers-202", want: notice},
	{transport: 'H', fault: "status-400", want: notice},
	{transport: 'H', fault: "status-503", want: notice},
	{transport: 'H', fault: "status-500-slow", want: fail},
	{transport: 'H', fault: "get-500", want: work},
	{transport: 'H', fault: "session-lost", want: either, lost: true},
	{transport: 'H', fault: "redirect-elsewhere-307", want: notice},
	{transport: 'H', fault: "gzip-bomb", want: notice},
	{transport: 'E', fault: "endpoint-elsewhere", want: refuse},
	{transport: 'E', fault: "endpoint-none", want: refuse},
	{transport: 'H', fault: "drops", want: work},
	{transport: 'H', fault: "get-ends", want: work},
	{transport: 'H', fault: "goes-silent", want: fail},
	{transport: 'H', fault: "stays-open", want: work},
	{transport: 'S', fault: "endless-pages", want: notice, list: true},
}

const (
	// hostileSize is how many bytes are sent by servers that send many.
	hostileSize = 256 << 20

	// much is more memory than a client should need for that: two and a half
	// times 64 MiB, which is as long as a message may be here. mcp-go and go-sdk
	// have no such limit.
	much = 160 << 20

	connectTime = 10 * time.Second // the deadline of connecting
	callTime    = 3 * time.Second  // of the call that is struck
	atOnce      = 2 * time.Second  // is sooner than that
	lateness    = time.Second      // is more than that, on a machine that others use
	closeTime   = 6 * time.Second  // is all that closing may take, also that of a connection that was not made
)

// size returns how much of something a server sends.
func size(fault string) int {
	switch fault {
	case "notification-storm", "deep-nesting":
		return 100_000 // no bytes
	}
	return hostileSize
}

// fine is the verdict where nothing is.
const fine = "✓"

// verdict says what is wrong with an outcome.
func (tr *trial) verdict(o *outcome, strangers int) string {
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if o.ConnectTook > connectTime+closeTime {
		complain("connecting takes %v", o.ConnectTook.Round(time.Second))
	}
	switch {
	case tr.want == refuse && o.Connected:
		complain("connects")
	case tr.want != refuse && !o.Connected:
		complain("does not connect")
	case tr.want != refuse:
		tr.checkCall(o, complain)
	}
	if o.CloseTook > closeTime {
		complain("closing takes %v", o.CloseTook.Round(time.Second))
	}
	if o.Peak > much {
		complain("holds %d MB", o.Peak/1e6)
	}
	if o.Goroutines > 0 {
		complain("goroutines that are left: %d", o.Goroutines)
	}
	if o.Processes > 0 {
		complain("processes that are left: %d", o.Processes)
	}
	if strangers > 0 {
		complain("asks another origin")
	}
	if wrong == nil {
		return fine
	}
	return strings.Join(wrong, "; ")
}

func (tr *trial) checkCall(o *outcome, complain func(string, ...any)) {
	switch {
	case o.CallError == "" && !o.Right:
		complain("takes a wrong answer")
	case o.CallError == "" && (tr.want == fail || tr.want == notice):
		complain("the call succeeds")
	case o.CallError != "" && tr.want == work:
		complain("the call fails")
	case o.CallError != "" && tr.want != fail && o.CallTook > atOnce:
		complain("the call fails at its deadline only")
	}
	if o.CallTook > callTime+lateness {
		complain("the call returns after %v", o.CallTook.Round(time.Second))
	}
	if o.BeforeFails && !tr.dies && !tr.lost {
		complain("the call under way fails")
	}
	if o.AfterFails && !tr.dies {
		complain("later calls fail")
	}
}
