package faulttest

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	connectTime = 50 * time.Second // servers that ignore the end of their input exit after a minute
	callTime    = 10 * time.Second // of the call with the fault
	lateness    = 100 * time.Millisecond
	closeTime   = 5 * time.Second
)

// greeting is what echo is to return.
const greeting = "Grüße, 世界 🙂"

// A cell is one fault, or scenario, on one transport with one protocol version.
type cell struct {
	row       *row
	line      *line
	fault     string // empty for a scenario
	transport byte
	version   string
}

func (c *cell) name() string {
	what := c.fault
	if c.line.scenario != nil {
		what = strings.ReplaceAll(c.line.title, " ", "-")
	}
	return what + "/" + string(c.transport) + "/" + c.version
}

// TestCells runs every cell that needs only memory, each in a bubble, where time
// is exact and a leaked goroutine is found.
func TestCells(t *testing.T) {
	for c := range cells() {
		if !c.line.location.inMemory() {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			report.watch(t, c)
			synctest.Test(t, c.run)
		})
	}
}

// TestCellsOnTheSystem runs the cells that need processes and sockets, one after
// the other, so that a leak belongs to one cell.
func TestCellsOnTheSystem(t *testing.T) {
	for c := range cells() {
		if c.line.location.inMemory() {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			report.watch(t, c)
			before := testutil.TakeSnapshot()
			t.Run("cell", c.run)
			testutil.Check(t, testutil.CheckLeaks(before))
		})
	}
}

func (c *cell) run(t *testing.T) {
	w := &env{transport: c.transport, version: c.version, location: c.line.location, allowedViolation: c.line.expectation.allowedViolation}
	if c.line.scenario != nil {
		c.line.scenario(t, w)
		return
	}
	s := faultRun{env: w, Fault: catalog[c.fault], expectation: c.line.expectation}
	s.tune()
	s.run(t)
}

// A faultRun runs a client against a server with a fault.
type faultRun struct {
	*env
	testserver.Fault
	expectation
	message string
}

// tune sets the options of the server that enable the fault, with sizes that
// exceed the limits of cells.
func (s *faultRun) tune() {
	s.engine.Delay = 20 * time.Second
	if !s.location.inMemory() {
		s.engine.Delay = 50 * time.Millisecond
	}
	trial := s.Trial()
	s.message = greeting + strings.Repeat(".", trial.Message)
	if s.engine.Size = trial.Size; trial.Delay > 0 {
		s.engine.Delay = trial.Delay
	}
	s.engine.Fault = s.Name
}

// run connects, calls, and checks the outcome of every call.
func (s *faultRun) run(t *testing.T) {
	tr := s.start(t)
	ctx, cancel := context.WithTimeout(t.Context(), connectTime)
	defer cancel()
	var client *mcp.Client
	var err error
	s.checkReturns(t, ctx, "Connect", func() { client, err = mcp.Connect(ctx, tr, s.options()) })
	if s.refused {
		s.check(t, err)
		return
	}
	testutil.Must(t, err)
	defer s.close(t, client)

	// One call is pending before the call with the fault, one is made beside it.
	before, beside := make(chan error, 1), make(chan error, 1)
	go func() { before <- s.slow(t, client) }() // ends with the call
	s.waitIdle()
	if s.location.inMemory() {
		time.Sleep(time.Second / 10) // the call before has its stream by now, if it gets one
	}
	go func() { beside <- s.add(t, client) }() // likewise
	s.callFault(t, client)
	s.waitIdle()
	s.checkOther(t, "before", <-before)
	s.checkOther(t, "beside", <-beside)
	if s.location.inMemory() && len(s.reports) > 0 {
		time.Sleep(time.Minute) // for what comes late, in a bubble
	}
	if !s.connectionEnds && !s.serverStuck {
		s.checkOther(t, "after", s.add(t, client))
	}
	if ended := client.Err() != nil; ended != s.connectionEnds {
		t.Errorf("the connection has ended: %v, with %v", ended, client.Err())
	}
	s.checkReports(t)
}

// waitIdle waits until every goroutine of the bubble is blocked.
func (s *faultRun) waitIdle() {
	if s.location.inMemory() {
		synctest.Wait()
	}
}

// checkReturns runs f, which must return when ctx ends. On the system, the time
// counts from when this process noticed that.
func (s *faultRun) checkReturns(t *testing.T, ctx context.Context, what string, f func()) {
	t.Helper()
	ended := make(chan time.Time, 1)
	stop := context.AfterFunc(ctx, func() { ended <- time.Now() })
	f()
	if stop() {
		return
	}
	if late := time.Since(<-ended); late > s.within(lateness) {
		t.Errorf("%s returns %v after its deadline", what, late)
	}
}

func (s *faultRun) check(t *testing.T, err error) {
	t.Helper()
	s.checkError(t, err)
	if err != nil && !isDocumented(err) {
		t.Errorf("the error %q (%T) is not documented", err, err)
	}
}

// checkOther checks the outcome of a call that the fault should not concern.
func (s *faultRun) checkOther(t *testing.T, which string, err error) {
	t.Helper()
	switch {
	case err == nil, s.sessionEnds && which != "after" && isDocumented(err):
	case !s.connectionEnds && !s.serverStuck:
		t.Errorf("the call %s fails: %v", which, err)
	case !closed.in(err) && !deadline.in(err):
		t.Errorf("the call %s fails with %v", which, err)
	}
}

// checkReports checks what was reported as dropped, and the cancellation.
func (s *faultRun) checkReports(t *testing.T) {
	t.Helper()
	if dropped := s.dropLog.all(); s.reports == nil && !s.late && len(dropped) > 0 {
		t.Errorf("%d dropped, the first %v, want none", len(dropped), dropped[0])
	}
	for _, c := range s.reports {
		if !s.dropLog.shows(c) {
			t.Errorf("dropped %v, which does not match %q", s.dropLog.all(), c.what)
		}
	}
	modernHTTP := s.transport == 'H' && s.version == modern // it closes the stream instead
	if n := s.received("notifications/cancelled"); s.withdrawn && (n == 0) != modernHTTP && s.servers != nil {
		t.Errorf("the server received %d cancellations", n)
	}
}

// callFault makes the call with the fault.
func (s *faultRun) callFault(t *testing.T, client *mcp.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), s.within(callTime))
	defer cancel()
	if s.Method == "tools/list" {
		s.checkReturns(t, ctx, "ListTools", func() { s.listFault(t, ctx, client) })
		return
	}
	reports := 0
	var res *mcp.CallToolResult
	var err error
	s.checkReturns(t, ctx, "the call", func() {
		res, err = client.Do(ctx, &mcp.ToolCall{
			Name: "echo", Arguments: map[string]any{"message": s.message}, Progress: func(mcp.Progress) { reports++ },
		})
	})
	s.check(t, err)
	if reports < s.progress || reports > s.progress+1 && err == nil {
		t.Errorf("%d reports of progress, want %d", reports, s.progress)
	}
	switch {
	case (res == nil) == (err == nil):
		t.Errorf("%v beside %v", res, err)
	case err != nil:
	case string(res.StructuredContent) != s.structured:
		t.Errorf("structured content is %s, want %s", res.StructuredContent, s.structured)
	case s.empty != (len(res.Content) == 0):
		t.Errorf("the result is %+v", res)
	case !s.empty && res.Text() != cmp.Or(s.text, s.message):
		t.Errorf("echo returns %.100q", res.Text())
	}
}

func (s *faultRun) listFault(t *testing.T, ctx context.Context, client *mcp.Client) {
	tools, err := client.ListTools(ctx)
	if len(tools) != s.tools && s.tools >= 0 || len(tools) == 0 && s.tools < 0 {
		t.Errorf("%d tools, want %d", len(tools), s.tools)
	}
	for _, tool := range tools {
		if sent := s.listed.String(); !strings.Contains(sent, string(tool.InputSchema)) || !strings.Contains(sent, string(tool.OutputSchema)) {
			t.Errorf("the schemas of %s are not what the server sent", tool.Name)
		}
	}
	s.check(t, err)
}
