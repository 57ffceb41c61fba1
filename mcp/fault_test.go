package mcp_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// An expectation describes the effect of a fault on Connect, on a call of the tool
// echo, or on the list of tools. The zero value means no effect.
type expectation struct {
	connect []error // Connect fails with an error that matches all of them
	fails   []error // the call fails with an error that matches all of them
	text    string  // the error contains this text
	code    int64   // the error is a *jsonrpc.Error with this code

	empty      bool   // the call returns a result without content
	structured string // the call returns this structured content, beside no content
	tools      int    // the number of tools in the list; at least one if negative
	reports    int    // the number of progress reports

	dropped     error  // an error passed to Dropped matches it
	droppedText string // an error passed to Dropped contains this text
	late        bool   // something may or may not be dropped

	ends  bool // the connection ends
	stuck bool // the server accepts no further calls
}

var (
	noAnswer       = []error{context.DeadlineExceeded}
	closed         = []error{mcp.ErrClosed}
	outcomeUnknown = []error{mcp.ErrClosed, mcp.ErrOutcomeUnknown}
	malformed      = []error{mcp.ErrMalformed}
)

// expectations has an entry for each fault of messages and byte streams. An entry
// with a protocol version takes precedence.
var expectations = map[string]expectation{
	// Opening a connection.
	"discover-silent":         {},
	"discover-dies":           {},
	"discover-wedges":         {},
	"starts-slowly":           {},
	"discover-invalid-params": {},
	"discover-server-error":   {},
	"discover-odd-result":     {},
	"discover-slow":           {},
	"initialize-silent":       {connect: noAnswer},
	"initialize-error":        {connect: []error{}, code: -32603, text: "out of order today"},
	"initialize-odd-version":  {connect: []error{mcp.ErrUnsupportedVersion}, text: "1999-12-31"},
	"initialize-malformed":    {connect: malformed},
	// No response.
	"mute":          {connect: noAnswer},
	"never-answers": {fails: noAnswer},
	"answers-late":  {fails: noAnswer, dropped: jsonrpc.ErrUnknownID},
	// The connection ends.
	"dies-mid-call":  {fails: outcomeUnknown, ends: true},
	"exits-at-start": {connect: closed},
	"usage-and-exit": {connect: closed},
	// The process does not end.
	"ignores-eof":        {},
	"grandchild":         {},
	"grandchild-escapes": {},
	// Too few and too many bytes.
	"never-reads":        {connect: noAnswer},
	"stops-reading":      {fails: noAnswer, stuck: true},
	"floods-stderr":      {},
	"banner":             {dropped: stdio.ErrNotJSON},
	"chatter":            {dropped: stdio.ErrNotJSON},
	"endless-line":       {fails: append(outcomeUnknown, mcp.ErrTooLarge), ends: true},
	"notification-storm": {},
	"trickle":            {connect: noAnswer},
	// Fragments.
	"byte-by-byte":    {},
	"split-utf8":      {},
	"crlf":            {},
	"byte-order-mark": {},
	"cut-off":         {fails: outcomeUnknown, dropped: io.ErrUnexpectedEOF, ends: true},
	// JSON.
	"invalid-utf8":         {fails: malformed, dropped: mcp.ErrMalformed},
	"lone-surrogate":       {fails: malformed, dropped: mcp.ErrMalformed},
	"duplicate-keys":       {fails: malformed, dropped: mcp.ErrMalformed},
	"duplicate-inner-keys": {fails: malformed},
	"other-case-keys":      {dropped: mcp.ErrMalformed},
	"long-s-keys":          {fails: malformed, dropped: mcp.ErrMalformed},
	"nul-keys":             {dropped: mcp.ErrMalformed},
	"deep-nesting":         {fails: malformed, dropped: mcp.ErrMalformed},
	"large-numbers":        {structured: `{"exact":9007199254740993,"huge":1e400,"tiny":-0.0}`},
	// JSON-RPC.
	"unknown-id":                     {dropped: jsonrpc.ErrUnknownID},
	"null-id":                        {dropped: jsonrpc.ErrUnknownID},
	"null-id-error":                  {dropped: jsonrpc.ErrUnknownID},
	"answers-notifications":          {dropped: mcp.ErrMalformed},
	"refuses-notifications":          {dropped: jsonrpc.ErrUnknownID},
	"answers-twice":                  {dropped: jsonrpc.ErrUnknownID},
	"string-id":                      {empty: true, dropped: jsonrpc.ErrUnknownID},
	"result-and-error":               {fails: malformed, dropped: mcp.ErrMalformed},
	"neither":                        {fails: malformed, dropped: mcp.ErrMalformed},
	"null-error":                     {},
	"string-error":                   {fails: []error{}, text: "boom"},
	"error-without-code":             {fails: []error{}, text: "no code"},
	"wrong-version":                  {fails: malformed, dropped: mcp.ErrMalformed},
	"null-result":                    {fails: malformed},
	"array-result":                   {fails: malformed},
	"no-content":                     {empty: true},
	"null-content":                   {empty: true},
	"unknown-result-type":            {empty: true},
	"2026-07-28/unknown-result-type": {fails: malformed, text: "riddle"},
	"null-tools":                     {},
	"null-tool":                      {tools: 1},
	// Requests and notifications.
	"server-requests":            {},
	"2026-07-28/server-requests": {droppedText: "a request from the server"},
	"acknowledges":               {},
	"endless-requests":           {fails: noAnswer, late: true},
	"ping-storm":                 {},
	"2026-07-28/ping-storm":      {droppedText: "a request from the server"},
	"decreasing-progress":        {reports: 1, droppedText: "does not increase"},
	"unknown-progress":           {droppedText: "no pending call"},
	"bad-progress":               {dropped: mcp.ErrMalformed},
	"late-progress":              {late: true},
	"endless-progress":           {fails: noAnswer, reports: 4, late: true},
	"batch":                      {fails: malformed, dropped: mcp.ErrMalformed},
	"2025-03-26/batch":           {},
	// Lists.
	"endless-pages":      {fails: []error{mcp.ErrListLimit}, tools: 20},
	"same-cursor":        {fails: []error{mcp.ErrListLimit}, tools: 2},
	"empty-cursor":       {tools: 2},
	"list-changed-storm": {},
	"subscription-storm": {},
	"silent-change":      {tools: -1},
}

// sizes limits the faults that would take long.
var sizes = map[string]int{"notification-storm": 20_000, "endless-line": 1 << 20, "floods-stderr": 1 << 20, "deep-nesting": 10_000}

const (
	connectTime = 10 * time.Second
	callTime    = 500 * time.Millisecond
	flushTime   = 50 * time.Millisecond // for the last messages of a call
	message     = "Grüße, 世界 🙂"
)

func TestFaultsInMemory(t *testing.T) {
	for _, f := range testserver.Faults() {
		for _, version := range []string{modern, legacy, mcp.ProtocolVersion20250326} {
			otherEra := f.Era != "" && (f.Era == "modern") != (version == modern)
			if f.Process || otherEra || !strings.Contains(f.On, "S") {
				continue
			}
			t.Run(f.Name+"/"+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := onlyVersion(version)
					o.Fault, o.Size = f.Name, sizes[f.Name]
					if f.Name == "endless-progress" || f.Name == "endless-requests" || f.Name == "discover-slow" || f.Name == "starts-slowly" {
						o.Delay = 100 * time.Millisecond
					}
					var servers []*testserver.Server
					runFault(t, f, version, transport(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
						s := testserver.New(&o)
						servers = append(servers, s)
						tr := overStream(s.Pipe())
						tr.MaxMessage = 256 << 10
						return tr.Open(ctx, h)
					}), callTime, flushTime, synctest.Wait)
					for _, s := range servers {
						if v := s.Violations(); v != nil {
							t.Errorf("protocol violations: %q", v)
						}
					}
				})
			})
		}
	}
}

// TestFaultsOfProcesses injects the faults that need a process, and those with
// another effect on one. TestMain finds processes that outlive a test.
func TestFaultsOfProcesses(t *testing.T) {
	names := []string{"dies-mid-call", "exits-at-start", "usage-and-exit", "ignores-eof", "grandchild", "grandchild-escapes",
		"floods-stderr", "banner", "cut-off"}
	for _, f := range testserver.Faults() {
		if !slices.Contains(names, f.Name) {
			if f.Process {
				t.Errorf("%s has no test", f.Name)
			}
			continue
		}
		for _, version := range eras {
			t.Run(f.Name+"/"+version, func(t *testing.T) {
				t.Parallel()
				o := onlyVersion(version)
				o.Fault, o.Size, o.Delay = f.Name, sizes[f.Name], 50*time.Millisecond
				tr, _ := process(&o)
				runFault(t, f, version, tr, testutil.Timeout, testutil.Timeout, func() {})
			})
		}
	}
}

// A transport is a function that implements mcp.Transport.
type transport func(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error)

func (f transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return f(ctx, h)
}

// runFault injects a fault and checks its effect on one call and on the others.
// limit is the deadline of that call, late the tolerance, and waitIdle waits until
// every goroutine is blocked.
func runFault(t *testing.T, f testserver.Fault, version string, tr mcp.Transport, limit, late time.Duration, waitIdle func()) {
	want, ok := expectations[version+"/"+f.Name]
	if !ok {
		if want, ok = expectations[f.Name]; !ok {
			t.Fatalf("no expectation for the fault %s, which %s", f.Name, f.Does)
		}
	}
	var j dropLog
	connectTime := max(connectTime, limit)
	ctx, cancel := context.WithTimeout(t.Context(), connectTime)
	defer cancel()
	start := time.Now()
	c, err := mcp.Connect(ctx, tr, &mcp.Options{Trace: j.trace(), MaxPages: 20})
	if took := time.Since(start); took > connectTime+late {
		t.Errorf("Connect took %v", took)
	}
	if want.connect != nil {
		want.checkError(t, err, want.connect)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer closeWithin(t, c, connectTime)

	// One call is pending before, another one runs concurrently.
	before, beside := make(chan error, 1), make(chan error, 1)
	go func() { // ends when the call returns
		ctx, cancel := context.WithTimeout(t.Context(), connectTime)
		defer cancel()
		_, err := c.CallTool(ctx, "slow", map[string]any{"seconds": 0.05, "steps": 1})
		before <- err
	}()
	waitIdle()
	go func() { // ends when the call returns
		beside <- callAdd(t, c, connectTime)
	}()
	want.callFaulty(t, f, c, limit, late)
	waitIdle()
	for what, err := range map[string]error{"before": <-before, "beside": <-beside} {
		switch {
		case err != nil && !want.ends && !want.stuck:
			t.Errorf("the call %s fails: %v", what, err)
		case err != nil && !errors.Is(err, mcp.ErrClosed) && !errors.Is(err, context.DeadlineExceeded):
			t.Errorf("the call %s fails with %v", what, err)
		}
	}
	if want.dropped != nil && len(want.fails) > 0 && want.fails[0] == noAnswer[0] {
		time.Sleep(time.Second) // for late messages
	}
	if err := callAdd(t, c, connectTime); err != nil && !want.ends && !want.stuck {
		t.Errorf("the next call fails: %v", err)
	}
	if ended := c.Err() != nil; ended != want.ends {
		t.Errorf("the connection has ended: %v, with %v", ended, c.Err())
	}
	if want.dropped != nil && !j.matches(want.dropped) {
		t.Errorf("dropped %v, want %v", j.all(), want.dropped)
	}
	if !j.contains(want.droppedText) && want.droppedText != "" {
		t.Errorf("dropped %v, want %q", j.all(), want.droppedText)
	}
	if want.dropped == nil && want.droppedText == "" && len(j.all()) > 0 && !want.ends && !want.late {
		t.Errorf("dropped %v, want nothing", j.all())
	}
}

func callAdd(t *testing.T, c *mcp.Client, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	res, err := c.CallTool(ctx, "add", map[string]any{"a": 20, "b": 22})
	if err == nil && string(res.StructuredContent) != `{"sum":42}` {
		t.Errorf("add returned %+v", res)
	}
	return err
}

// callFaulty makes the call that triggers the fault.
func (want *expectation) callFaulty(t *testing.T, f testserver.Fault, c *mcp.Client, limit, late time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	start := time.Now()
	defer func() {
		if took := time.Since(start); took > limit+late {
			t.Errorf("the call took %v", took)
		}
	}()
	if f.Method == "tools/list" {
		tools, err := c.ListTools(ctx)
		if len(tools) != want.tools && want.tools >= 0 || len(tools) == 0 && want.tools < 0 {
			t.Errorf("%d tools, want %d", len(tools), want.tools)
		}
		want.checkError(t, err, want.fails)
		return
	}
	reports := 0
	res, err := c.Do(ctx, &mcp.ToolCall{
		Name: "echo", Arguments: map[string]any{"message": message}, Progress: func(mcp.Progress) { reports++ },
	})
	want.checkError(t, err, want.fails)
	if reports < want.reports || reports > want.reports+1 && want.fails == nil {
		t.Errorf("%d reports of progress, want %d", reports, want.reports)
	}
	switch {
	case err != nil:
	case want.structured != "":
		if string(res.StructuredContent) != want.structured {
			t.Errorf("structured content is %s, want %s", res.StructuredContent, want.structured)
		}
	case want.empty != (len(res.Content) == 0):
		t.Errorf("result is %+v", res)
	case !want.empty && res.Text() != message:
		t.Errorf("echo returned %q", res.Text())
	}
}

// checkError checks that err matches all targets, or is nil if targets is nil.
func (want *expectation) checkError(t *testing.T, err error, targets []error) {
	t.Helper()
	if targets == nil {
		if err != nil {
			t.Error(err)
		}
		return
	}
	wantError(t, err, nil, want.text)
	for _, target := range targets {
		wantError(t, err, target)
		wantNoCode(t, err)
	}
	if want.code != 0 {
		wantCode(t, err, want.code)
	}
}

// closeWithin closes a client within limit.
func closeWithin(t *testing.T, c *mcp.Client, limit time.Duration) {
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > limit {
		t.Errorf("Close took %v", took)
	}
}
