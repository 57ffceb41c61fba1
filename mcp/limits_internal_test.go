package mcp

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// unconnected returns a client without a connection.
func unconnected() *Client {
	s := new(shared)
	s.self.shared = s
	return &s.self
}

// clientOf returns a client that is not connected, of a server with these capabilities.
func clientOf(e era, caps ServerCapabilities) *Client {
	c := unconnected()
	c.conn = limitedConn{}
	a := &agreement{era: e}
	a.server.Capabilities = caps
	c.agreed.Store(a)
	return c
}

// TestDonePagesAreLimited: of the pages that no call waits for the newest are kept,
// once each.
func TestDonePagesAreLimited(t *testing.T) {
	d := &donePages{c: unconnected(), waiting: make(map[string]chan struct{})}
	for i := range maxDonePages + 1 {
		for range 2 {
			if err := d.complete(strconv.Itoa(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(d.done) != maxDonePages || d.done[0] != "1" {
		t.Errorf("%d pages are kept, from %s on", len(d.done), d.done[0])
	}
	d = &donePages{c: unconnected(), waiting: make(map[string]chan struct{})}
	d.c.budget.SetMax(1000)
	for _, id := range []string{strings.Repeat("a", 500), strings.Repeat("b", 500)} {
		if err := d.complete(id); err != nil || len(d.done) != 1 || d.done[0] != id {
			t.Errorf("%d pages are kept, %v", len(d.done), err)
		}
	}
	if err := d.complete(strings.Repeat("c", 1000)); err != ErrOverloaded || len(d.done) != 0 {
		t.Errorf("%d pages are kept, %v", len(d.done), err)
	}
	d.c.conn = limitedConn{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if d.wait(ended, "d"); len(d.waiting) != 0 || !d.c.budget.Take(1000-128) {
		t.Errorf("%d calls wait", len(d.waiting))
	}
}

func TestNotificationsThatCompletePages(t *testing.T) {
	d := &donePages{c: unconnected(), waiting: make(map[string]chan struct{})}
	if err := d.observe("notifications/tools/list_changed", []byte(`{"elicitationId":"a"}`)); err != nil || len(d.done) != 0 {
		t.Errorf("another notification completes %q, %v", d.done, err)
	}
	if err := d.observe("notifications/elicitation/complete", []byte(`[]`)); !errors.Is(err, ErrMalformed) || len(d.done) != 0 {
		t.Errorf("a malformed notification completes %q, %v", d.done, err)
	}
}

func TestPendingChangesAreLimited(t *testing.T) {
	s := &Subscription{client: unconnected(), ready: make(chan struct{}, 1)}
	for i := range maxPending + 1 {
		err := s.enqueue(Change{Kind: ResourceUpdated, URI: strconv.Itoa(i)})
		if want := error(nil); i == maxPending && err != ErrOverloaded || i < maxPending && err != want {
			t.Fatalf("change %d: %v", i, err)
		}
	}
	s = &Subscription{client: unconnected(), ready: make(chan struct{}, 1)}
	s.client.budget.SetMax(1000)
	if err := s.enqueue(Change{Kind: ResourceUpdated, URI: strings.Repeat("x", 1000)}); err != ErrOverloaded || len(s.pending) != 0 {
		t.Errorf("%d changes are pending, %v", len(s.pending), err)
	}
	for range 10 {
		if err := s.enqueue(Change{Kind: ResourceUpdated, URI: strings.Repeat("x", 500)}); err != nil {
			t.Fatal(err)
		}
		if _, ok, _ := s.first(true); !ok {
			t.Fatal("the change is not pending")
		}
	}
	s.end(ErrClosed)
	if err := s.enqueue(Change{Kind: ToolsChanged}); err != nil || len(s.pending) != 0 {
		t.Errorf("after the end %d changes are pending, %v", len(s.pending), err)
	}
}

// TestFilterThatServersHonor: the client asks for what the server declares, and keeps
// what it has asked for.
func TestFilterThatServersHonor(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		caps ServerCapabilities
		want bool
	}{
		"none":         {ServerCapabilities{}, false},
		"no subscribe": {ServerCapabilities{Resources: &ResourcesCapability{}}, false},
		"subscribe no": {ServerCapabilities{Resources: &ResourcesCapability{Subscribe: &no, ListChanged: &no}}, false},
		"subscribe":    {ServerCapabilities{Resources: &ResourcesCapability{Subscribe: &yes}}, true},
		"list":         {ServerCapabilities{Resources: &ResourcesCapability{ListChanged: &yes}}, true},
	} {
		f := SubscriptionFilter{ResourcesListChanged: true, PromptsListChanged: true, ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}
		if got := f.narrow(&tt.caps); got != tt.want || (f.ResourceSubscriptions != nil) != (name == "subscribe") || f.ResourcesListChanged != (name == "list") {
			t.Errorf("%s: %v, %+v", name, got, f)
		}
	}
	raw := func(n int) RawMessage { return RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
	m := requested(map[string]RawMessage{"fits": nil, "long": nil, "absent": nil},
		map[string]RawMessage{"fits": raw(maxHonored), "long": raw(maxHonored + 1), "other": raw(9)})
	if len(m) != 1 || len(m["fits"]) != maxHonored {
		t.Errorf("kept %d members", len(m))
	}
	if got := both([]string{"a", "b"}, []string{"b", "c"}); len(got) != 1 || got[0] != "b" {
		t.Errorf("kept %q", got)
	}
	many := make([]string, 300_000) // takes a minute if each is compared with each
	for i := range many {
		many[i] = "test://" + strconv.Itoa(len(many)+i)
	}
	start := time.Now()
	if got := both(many, many); len(got) != len(many) || time.Since(start) > 20*time.Second {
		t.Errorf("kept %d of %d in %v", len(got), len(many), time.Since(start))
	}
	c := clientOf(&modernEra{}, ServerCapabilities{})
	if (&Subscription{client: c}).isFor(jsonrpc.ID{}) {
		t.Error("a notification without an id is for a subscription that has none yet")
	}
}

// TestTasksOfOthers: a notification changes the task that it names, and a server
// without a capability is not asked.
func TestTasksOfOthers(t *testing.T) {
	table := &taskTable{runs: make(map[*taskRun]bool)}
	c := clientOf(&legacyEra{}, ServerCapabilities{Tasks: &TasksCapability{}})
	r := c.newTaskRun("tool", "mine", nil)
	table.add(r)
	for _, tt := range []struct {
		method, id string
		want       int
	}{
		{"notifications/tasks/status", "other", 0}, {"notifications/tools/list_changed", "mine", 0}, {"notifications/tasks/status", "mine", 1},
	} {
		err := table.observe(tt.method, []byte(`{"taskId":"`+tt.id+`","status":"working"}`))
		if err != nil || len(r.updates) != tt.want {
			t.Errorf("%s of %s: %d updates, %v", tt.method, tt.id, len(r.updates), err)
		}
	}
	if err := table.observe("notifications/tasks", []byte(`{}`)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a state without id: %v", err)
	}
	for name, caps := range map[string]*TasksCapability{"none": nil, "empty": {}} {
		c := clientOf(&legacyEra{}, ServerCapabilities{Tasks: caps})
		if err := c.newTaskRun("tool", "a", nil).cancel(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: cancel: %v", name, err)
		}
		if _, err := c.ListTasks(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: list: %v", name, err)
		}
	}
}

// TestInputsOfTasksAreLimited: over the life of a task, too.
func TestInputsOfTasksAreLimited(t *testing.T) {
	r := clientOf(&modernEra{}, ServerCapabilities{}).newTaskRun("tool", "a", nil)
	for i := range maxTaskInputs {
		r.provided[strconv.Itoa(i)] = true
	}
	if err := r.provideInputs(t.Context(), map[string]InputRequest{"0": {Method: "none"}}); err != nil {
		t.Errorf("an input that was provided: %v", err)
	}
	err := r.provideInputs(t.Context(), map[string]InputRequest{"new": {Method: "none"}})
	if !errors.Is(err, ErrInputRequired) || !strings.Contains(err.Error(), "more than 1024") {
		t.Errorf("one input more: %v", err)
	}
}

// TestToolsThatAreNoLongerListed: the table of tools with tasks forgets them.
func TestToolsThatAreNoLongerListed(t *testing.T) {
	c := clientOf(&legacyEra{}, ServerCapabilities{})
	c.budget.SetMax(700) // two tools
	for i := range 10 {
		began := time.Now()
		for last := began; !began.After(last); began = time.Now() { // the clock of Windows is coarse
		}
		tool := &Tool{Name: strings.Repeat("x", 200) + strconv.Itoa(i), Execution: &ToolExecution{TaskSupport: "optional"}}
		Tasks{}.toolsListed(c, []*Tool{tool, {Name: "plain", Execution: &ToolExecution{TaskSupport: "forbidden"}}})
		Tasks{}.listEnded(c, began)
		if support, listed := c.taskTable().supportOf(tool.Name); support == nil || support.required || !listed {
			t.Fatalf("list %d: the tool has %+v", i, support)
		}
		if n := len(c.taskTable().support); n != 1 {
			t.Fatalf("list %d: %d tools are kept", i, n)
		}
	}
}

// TestRequestsAfterTheEnd: a request that arrives while the client closes runs no handler.
func TestRequestsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var table requestTable
	if _, err := table.add(ctx, jsonrpc.NumberID(1), 10); err == nil || table.n != 0 {
		t.Errorf("%d handlers run, %v", table.n, err)
	}
	if table.run(ctx, func() { t.Error("a function runs") }) {
		t.Error("run reports success")
	}
	table.wait(time.Minute)
}

func TestResultsKeepTheirMeta(t *testing.T) {
	params := RawMessage(`{"_meta":{"` + metaRelatedTask + `":{"taskId":"a"}}}`)
	for result, want := range map[string]string{
		`{"a":1}`:              `{"a":1,"_meta":{"` + metaRelatedTask + `":{"taskId":"a"}}}`,
		`{"a":1,"_meta":{}}`:   `{"a":1,"_meta":{}}`,
		`{"_meta":{"x":true}}`: `{"_meta":{"x":true}}`,
	} {
		if got := attachRelatedTask(params, RawMessage(result)); string(got) != want {
			t.Errorf("%s became %s", result, got)
		}
	}
}

// A limitedConn is a connection whose messages have a limit.
type limitedConn struct{ jsonrpc.Conn }

type limitedTransport struct{}

func (limitedTransport) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (limitedConn) Features() *jsonrpc.Features { return &jsonrpc.Features{MaxMessage: 12345} }

func (limitedConn) Done() <-chan struct{} { return nil }

func (limitedConn) Err() error { return nil }

func (limitedTransport) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) {
	return limitedConn{}, nil
}

// TestOneBudgetForAll: what the server sends and the client keeps counts together.
func TestOneBudgetForAll(t *testing.T) {
	c := newClient(t.Context(), nil)
	if err := c.open(t.Context(), limitedTransport{}); err != nil || c.budget.Max() != 12345 {
		t.Errorf("%d bytes, %v", c.budget.Max(), err)
	}
	if b := &c.budget; c.notifications.Budget != b || c.progress.budget != b || c.requests.budget != b || c.requests.replies.Budget != b {
		t.Error("a queue has a budget of its own")
	}
	sink := c.progress.add(func(Progress) {}, nil)
	if c.progress.remove(t.Context(), sink); len(c.progress.sinks) != 0 {
		t.Error("the progress of a call that has returned is kept")
	}
}

// TestSizeOfCache: every entry counts once, and a new session has none.
func TestSizeOfCache(t *testing.T) {
	c := CacheSize(4000).newCache().(*cache)
	for _, key := range []string{"resources/read\x00a", "resources/read\x00a", "resources/read\x00b", "tools/list\x00"} {
		c.store(key, make(RawMessage, 1500), time.Hour, c.state)
	}
	if len(c.entries) != 2 || c.size != 2*(1500+len("resources/read\x00a")) {
		t.Errorf("%d entries of %d bytes", len(c.entries), c.size)
	}
	if c.sessionRenewed(t.Context()); len(c.entries) != 0 || c.size != 0 {
		t.Errorf("after a new session %d entries of %d bytes", len(c.entries), c.size)
	}
}

// TestElementsAreLimited: a Content takes 160 times the memory of its text {}, so
// a message of 64 MiB would take 10 GiB.
func TestElementsAreLimited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, after string
		v             object
	}{
		{`{"content":[`, `]}`, new(CallToolResult)},
		{`{"tools":[{},`, `]}`, new(ListToolsResult)},
		{`{"completion":{"values":["",`, `]}}`, new(CompleteResult)},
		{`{"messages":[{"role":"user","content":[`, `]}]}`, new(CreateMessageParams)},
	} {
		for n, want := range map[int]error{1000: nil, maxElements + 1: errElements} {
			text := tt.before + strings.Repeat("null,", n-1) + "null" + tt.after
			if err := decodeText([]byte(text), tt.v); err != want {
				t.Errorf("%s: %d elements: %v, want %v", tt.before, n, err, want)
			}
		}
	}
	if !strings.Contains(errElements.Error(), strconv.Itoa(maxElements)) {
		t.Errorf("%v; the limit is %d", errElements, maxElements)
	}
	c := codec{r: wire.NewReader(make([]byte, 64<<20))}
	for _, n := range []int{sample, maxElements - 1} {
		if room := c.room(n, 0); room <= n || room > maxElements {
			t.Errorf("room for %d elements after %d", room, n)
		}
	}
}

// TestKeysOfCacheAreLimited: a server chooses the cursors that they contain.
func TestKeysOfCacheAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := CacheSize(1000).newCache().(*cache)
		for i := range 10 {
			c.store(strings.Repeat("c", 490)+strconv.Itoa(i), RawMessage("{}"), time.Second, 0)
			time.Sleep(time.Second / 3)
		}
		if n := len(c.entries); n > 2 || n == 0 {
			t.Errorf("%d entries", n)
		}
		c.drop("tools/list")
		for key := range c.entries {
			c.remove(key)
		}
		if c.size != 0 {
			t.Errorf("%d bytes without entries", c.size)
		}
	})
}
