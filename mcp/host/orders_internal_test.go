package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The errors of an orderServer.
var (
	errRefused  = errors.New("refused")
	errNoAnswer = errors.New("no answer")
	errLogin    = errors.New("log in first")
)

// An orderServer is a server that accepts connections or not.
type orderServer struct {
	mu     sync.Mutex
	fail   error // what Open fails with
	broken error // what the dialer fails with
	hang   bool  // Open waits until its context ends
	conns  []io.Closer
	opened int // connections
	most   int // connections at once
}

// An orderConn is a connection that counts as open until it is closed.
type orderConn struct {
	io.ReadWriteCloser
	closed func()
}

func (c *orderConn) Close() error {
	c.closed()
	return c.ReadWriteCloser.Close()
}

func (f *orderServer) dial(_ context.Context, d *DialParams) (mcp.Transport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d.Classify = func(err error) Category {
		if errors.Is(err, errLogin) {
			return CategoryAuthentication
		}
		return ""
	}
	if d.URL != "" {
		d.SetUnreachable(func(err error) bool { return errors.Is(err, errNoAnswer) || errors.Is(err, mcp.ErrClosed) })
	}
	return stdio.Dial(f.open), f.broken
}

func (f *orderServer) open(ctx context.Context) (io.ReadWriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hang {
		f.mu.Unlock()
		<-ctx.Done()
		f.mu.Lock()
		return nil, ctx.Err()
	}
	if f.fail != nil {
		return nil, f.fail
	}
	f.opened++
	f.most = max(f.most, f.opened)
	conn := &orderConn{testserver.New(nil).Pipe(), sync.OnceFunc(func() {
		f.mu.Lock()
		f.opened--
		f.mu.Unlock()
	})}
	f.conns = append(f.conns, conn)
	return conn, nil
}

// be sets how later attempts end.
func (f *orderServer) be(fail, broken error, hang bool) {
	f.mu.Lock()
	f.fail, f.broken, f.hang = fail, broken, hang
	f.mu.Unlock()
}

func (f *orderServer) crash() {
	f.mu.Lock()
	conns := f.conns
	f.conns = nil
	f.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
	}
}

// An orderTest lets events happen to a host with one server, in some order.
type orderTest struct {
	t      *testing.T
	f      *orderServer
	h      *Host
	server Server // the latest settings
	exists bool
	up     bool // the server accepts connections

	toggled int

	mu      sync.Mutex
	order   []string // what has happened
	events  []Event
	old     int // number of events before the server was removed
	waiting int // calls
	others  sync.WaitGroup
}

// orderEvents are the events by name. None blocks.
var orderEvents = []struct {
	name string
	do   func(*orderTest)
}{
	{"accepts", func(o *orderTest) { o.be(true, nil, nil, false) }},
	{"refuses", func(o *orderTest) { o.be(false, errRefused, nil, false) }},
	{"does not answer", func(o *orderTest) { o.be(false, errNoAnswer, nil, false) }},
	{"needs a login", func(o *orderTest) { o.be(false, errLogin, nil, false) }},
	{"has invalid settings", func(o *orderTest) { o.be(false, nil, errors.New("invalid"), false) }},
	{"hangs", func(o *orderTest) { o.be(false, nil, nil, true) }},
	{"crashes", func(o *orderTest) { o.f.crash() }},
	{"crashes too often", func(o *orderTest) {
		for range 6 {
			o.f.crash()
			time.Sleep(3 * time.Second)
		}
	}},
	{"call", (*orderTest).call},
	{"second", func(*orderTest) { time.Sleep(time.Second) }},
	{"minutes", func(*orderTest) { time.Sleep(6 * time.Minute) }},
	{"SetServers", func(o *orderTest) { o.set() }},
	{"other settings", func(o *orderTest) { o.server.Headers = map[string]string{"X-N": fmt.Sprint(len(o.order))}; o.set() }},
	{"other filter", func(o *orderTest) { o.server.AutoApprove = []string{fmt.Sprint(len(o.order))}; o.set() }},
	{"lazy", func(o *orderTest) { o.server.Lazy = !o.server.Lazy; o.set() }},
	{"remove", func(o *orderTest) { o.exists = false; o.async(func(ctx context.Context) { o.h.SetServers(ctx, nil) }) }},
	{"disable", func(o *orderTest) { o.toggled++; _ = o.h.SetEnabled("x", false) }},
	{"enable", func(o *orderTest) { o.toggled++; _ = o.h.SetEnabled("x", true) }},
	{"Connect", func(o *orderTest) { o.async(func(ctx context.Context) { _ = o.h.Connect(ctx, "x") }) }},
	{"Reconnect", func(o *orderTest) { o.async(func(ctx context.Context) { _ = o.h.Reconnect(ctx, "x") }) }},
	{"Disconnect", func(o *orderTest) { o.async(func(ctx context.Context) { _ = o.h.Disconnect(ctx, "x") }) }},
	{"RefreshTools", func(o *orderTest) { o.async(func(ctx context.Context) { _ = o.h.Refresh(ctx, "x").Errors["x"] }) }},
	{"Shutdown", func(o *orderTest) { o.async(func(ctx context.Context) { _ = o.h.Shutdown(ctx) }) }},
}

func (o *orderTest) be(up bool, fail, broken error, hang bool) {
	o.up = up
	o.f.be(fail, broken, hang)
}

func (o *orderTest) set() {
	o.exists = true
	cfg := o.server
	o.async(func(ctx context.Context) { o.h.SetServers(ctx, []*Server{&cfg}) })
}

// async calls a function that may wait.
func (o *orderTest) async(f func(context.Context)) {
	o.others.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		f(ctx)
	})
}

// call calls a tool. On a connected server the call must succeed.
func (o *orderTest) call() {
	before, start := o.state(), len(o.order)
	ready := o.exists && before.stage == connected && o.enabled() && !o.closed()
	o.mu.Lock()
	o.waiting++
	o.mu.Unlock()
	o.others.Go(func() {
		began := time.Now()
		_, err := o.h.CallTool(context.Background(), "x", "echo", map[string]any{"message": "hi"})
		o.mu.Lock()
		o.waiting--
		o.mu.Unlock()
		if took := time.Since(began); took > o.h.opts.Timeout {
			o.errorf("a call took %v: %v", took, err)
		}
		switch {
		case ready && err != nil:
			o.errorf("a call of a connected server: %v", err)
		case (before.stage == failed && o.h.opts.never(&o.server) || before.stage == blocked || before.stage == needsAuth) && err == nil:
			o.errorf("a call in stage %d succeeded", before.stage)
		case before.stage == unreachable && o.count("hangs") == 0 && time.Since(began) > 2*callDelay:
			o.errorf("a call waited %v for a server that has long been unreachable: %v", time.Since(began), err)
		case err != nil && strings.Contains(err.Error(), "disconnected"):
			ended := o.since(start, "Disconnect") + o.since(start, "Reconnect") + o.since(start, "lazy") + o.since(start, "Connect")
			if o.count("lazy") > 0 {
				ended += o.since(start, "other settings")
			}
			if ended == 0 {
				o.errorf("a call of a server that was not disconnected: %v", err)
			}
		case errors.Is(err, mcp.ErrClosed) && !strings.Contains(err.Error(), "connection lost") && !strings.Contains(err.Error(), "not started again"):
			o.errorf("a call on a client that is closed: %v", err)
		}
	})
}

func (o *orderTest) errorf(format string, args ...any) {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.t.Errorf("%q: %s", o.order, fmt.Sprintf(format, args...))
}

// state returns the state of the server.
func (o *orderTest) state() (state connState) {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	if s := o.h.serverLocked("x"); s != nil {
		state = s.state
	}
	return state
}

func (o *orderTest) enabled() bool {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	s := o.h.serverLocked("x")
	return s != nil && s.enabled
}

func (o *orderTest) closed() bool {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	return o.h.closed
}

// check checks the state when nothing more happens by itself.
func (o *orderTest) check() {
	o.h.mu.Lock()
	s := o.h.serverLocked("x")
	if s == nil {
		o.h.mu.Unlock()
		o.mu.Lock()
		o.old = len(o.events)
		o.mu.Unlock()
		return
	}
	state, run, listed, enabled, closed := s.state, s.run, s.listedLocked(), s.enabled, o.h.closed
	o.h.mu.Unlock()
	switch stage := state.stage; {
	case (state.client != nil) != (stage == connected):
		o.errorf("stage %d with client %v", stage, state.client)
	case (run != nil) != state.supervised():
		o.errorf("stage %d with goroutine %v", stage, run)
	case (state.err != nil) != (stage >= retrying):
		o.errorf("stage %d with error %v", stage, state.err)
	case listed != (stage == connected && enabled):
		o.errorf("stage %d and its tools are listed: %v", stage, listed)
	}
	o.mu.Lock()
	waiting := o.waiting
	var last *Event
	if n := len(o.events); n > o.old {
		last = &o.events[n-1]
	}
	o.mu.Unlock()
	if waiting > 0 && (!state.supervised() || state.stage == connected || !enabled || closed) {
		o.errorf("%d calls wait in stage %d, closed: %v, enabled: %v", waiting, state.stage, closed, enabled)
	}
	if last != nil && !closed && (last.State != state.State() || last.Attempts != state.attempts && !state.isOutage()) {
		o.errorf("the last event is %v, %d attempts, and the state %v, %d attempts", last.State, last.Attempts, state.State(), state.attempts)
	}
}

// followers are the states that may follow each state.
var followers = map[State][]State{
	Disconnected: {Connecting},
	Connecting:   {Connecting, Connected, Reconnecting, Failed, NeedsAuth, Disconnected},
	Connected:    {Reconnecting, Failed, NeedsAuth, Disconnected, Connecting},
	Reconnecting: {Reconnecting, Connected, Failed, NeedsAuth, Disconnected, Connecting},
	Failed:       {Connecting, Disconnected},
	NeedsAuth:    {Connecting, Disconnected},
}

// checkEvents checks that each event is a transition.
func (o *orderTest) checkEvents() {
	at, repeated := Disconnected, 0
	for _, e := range o.events {
		legal := false
		for _, next := range followers[at] {
			legal = legal || next == e.State
		}
		if !legal && e.State == at {
			repeated++
		} else if !legal && !o.removed() {
			o.errorf("%v follows %v", e.State, at)
		}
		at = e.State
	}
	// A removed and added server begins as Disconnected, with Connecting as its first event.
	if repeated > o.toggled+o.count("remove") {
		o.errorf("%d events are not transitions", repeated)
	}
}

func (o *orderTest) removed() bool { return o.count("remove") > 0 }

func (o *orderTest) count(name string) int { return o.since(0, name) }

// since returns how often an event has happened after the first start events.
func (o *orderTest) since(start int, name string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, happened := range o.order[start:] {
		if happened == name {
			n++
		}
	}
	return n
}

// run lets the events happen and ends the host.
func (o *orderTest) run(order []int) {
	o.h = New(&Options{
		Dialers: Dialers{config.Stdio: o.f.dial, config.HTTP: o.f.dial},
	})
	events := o.h.Events(context.Background())
	o.others.Go(func() { // ends with the host
		for e := range events {
			o.mu.Lock()
			if e.Kind == StateChanged {
				o.events = append(o.events, e)
			}
			o.mu.Unlock()
		}
	})
	o.up = true
	o.set()
	synctest.Wait()
	for _, i := range order {
		o.mu.Lock()
		o.order = append(o.order, orderEvents[i].name)
		o.mu.Unlock()
		orderEvents[i].do(o)
		synctest.Wait()
		o.check()
	}
	o.be(true, nil, nil, false)
	time.Sleep(failedDelay + time.Minute) // what waits has ended, and what is tried again is connected
	synctest.Wait()
	o.check()
	if o.waiting > 0 {
		o.errorf("%d calls are lost", o.waiting)
	}
	state := o.state()
	again := state.supervised() || state.State() == Failed && state.err.Code != invalidConfiguration.code && o.enabled() && !o.server.Lazy
	if o.exists && !o.closed() && again && state.stage != connected {
		o.errorf("stage %d of a server that accepts connections", state.stage)
	}
	if err := o.h.Shutdown(context.Background()); err != nil {
		o.errorf("%v", err)
	}
	o.others.Wait()
	o.f.crash()
	o.checkEvents()
	if o.f.most > 1 && o.server.URL == "" && !o.removed() {
		o.errorf("%d processes at once", o.f.most)
	}
}

// orderServers are the kinds of servers: a child process, and a URL.
var orderServers = []Server{{Name: "x", Command: "x"}, {Name: "x", URL: "http://x.example"}}

// testOrder runs a test for an order of events.
func testOrder(t *testing.T, server Server, order []int) {
	synctest.Test(t, func(t *testing.T) {
		(&orderTest{t: t, f: &orderServer{}, server: server}).run(order)
	})
}

// TestCallsWhileTheConnectionEnds: a client that is closed is not used, even if the
// host does not know yet that it is.
func TestCallsWhileTheConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := mcp.Connect(t.Context(), stdio.Dial((&orderServer{}).open), nil)
		if err != nil {
			t.Fatal(err)
		}
		state := connState{stage: connected, client: client}
		if got := state.action(false, false); got != use {
			t.Errorf("a call does %d on a connected server", got)
		}
		client.Close()
		if got := state.action(false, false); got != wait {
			t.Errorf("a call does %d on a client that is closed", got)
		}
	})
}

// TestEveryOrderOfTwoEvents: the kinds of servers take turns.
func TestEveryOrderOfTwoEvents(t *testing.T) {
	for i := range orderEvents {
		for j := range orderEvents {
			testOrder(t, orderServers[(i+j)%2], []int{i, j})
		}
	}
}

// TestOrdersOfEvents has orders that chance seldom finds.
func TestOrdersOfEvents(t *testing.T) {
	for _, names := range []string{
		"does not answer, crashes, minutes, call, second, call, accepts, second, call", // a long outage
		"does not answer, crashes, call, second, accepts, call",
		"refuses, crashes, minutes, accepts, call",                              // a call makes one more attempt
		"refuses, crashes, minutes, call, call, hangs, call",                    // without success
		"crashes too often, call, minutes, call, crashes too often, SetServers", // the host tries again
		"needs a login, Reconnect, call, minutes, call, accepts, Connect, call",
		"has invalid settings, Reconnect, call, minutes, call, accepts, Connect, call",
		"hangs, Reconnect, call, other settings, call, accepts, other settings, call",
		"hangs, Reconnect, call, disable, enable, remove, SetServers, call",
		"hangs, Reconnect, call, Shutdown, call",
		"refuses, crashes, disable, minutes, accepts, enable, call",
		"Disconnect, call, Disconnect, RefreshTools, Disconnect, Connect",
	} {
		var order []int
		for name := range strings.SplitSeq(names, ", ") {
			for i := range orderEvents {
				if orderEvents[i].name == name {
					order = append(order, i)
				}
			}
		}
		if len(order) != strings.Count(names, ",")+1 {
			t.Errorf("unknown event in %q", names)
		}
		for _, cfg := range orderServers {
			testOrder(t, cfg, order)
		}
	}
}

// TestGeneratedOrdersOfEvents: the seed of an order that fails is in its message.
func TestGeneratedOrdersOfEvents(t *testing.T) {
	n := 300
	if os.Getenv("STDMCP_ORDERS") != "" {
		n = 20_000
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		order := make([]int, 3+r.IntN(12))
		for i := range order {
			order[i] = r.IntN(len(orderEvents))
		}
		testOrder(t, orderServers[seed%2], order)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
