package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// open starts a child that is closed at the end of the test.
func open(t testing.TB, tr *Transport) *process {
	t.Helper()
	p, err := tr.start(context.Background(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// connect is open with a connection on top.
func connect(t testing.TB, tr *Transport) jsonrpc.Conn {
	t.Helper()
	c, err := tr.Open(context.Background(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call asks p for an answer.
func call(t testing.TB, p *process) {
	t.Helper()
	if _, err := p.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"m"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if msg, err := p.Read(); err != nil || !bytes.Contains(msg, []byte(`"id":1,`)) {
		t.Fatalf("answer %q, error %v", msg, err)
	}
}

// within fails the test if f takes longer than d.
func within(t testing.TB, d time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > d {
		t.Errorf("took %v, which is more than %v", took, d)
	}
}

func TestCallAndClose(t *testing.T) {
	c := connect(t, child("echo"))
	params := `{"text":"` + strings.Repeat("ä", 1<<20) + `"}`
	for range 3 {
		got, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m", Params: []byte(params)})
		if err != nil || string(got) != params {
			t.Fatalf("%d bytes of %d, error %v", len(got), len(params), err)
		}
	}
	within(t, testutil.Timeout, func() { c.Close() })
	if err := c.Err(); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error("second Close:", err)
	}
}

func TestExitAtOnceIsReported(t *testing.T) {
	c := connect(t, child("exit", "3", "\x1b[31mno such package"))
	_, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m"})
	var exit *ExitError
	var status *exec.ExitError
	if !errors.Is(err, jsonrpc.ErrClosed) || !errors.As(err, &exit) || !errors.As(err, &status) || status.ExitCode() != 3 {
		t.Fatal(err)
	}
	if want := " exited with status 3: no such package"; !strings.HasPrefix(exit.Error(), exit.Server+want) {
		t.Errorf("%s; want ...%s", exit, want)
	}
}

func TestExitWithStatusZeroIsReported(t *testing.T) {
	c := connect(t, child("exit", "0", "usage: server"))
	<-c.Done()
	var status *exec.ExitError
	if err := c.Err(); !strings.Contains(err.Error(), "exited with status 0: usage: server") || errors.As(err, &status) {
		t.Error(err)
	}
}

func TestOutputBeforeExitIsDelivered(t *testing.T) {
	for range 2 {
		p := open(t, child("last"))
		if _, err := p.Write([]byte("{}\n")); err != nil {
			t.Fatal(err)
		}
		<-p.exited
		n := 0
		var exit *ExitError
		for {
			if _, err := p.Read(); errors.As(err, &exit) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != lastWords || exit.State.ExitCode() != 7 {
			t.Errorf("%d messages of %d, %v", n, lastWords, exit)
		}
		if _, err := p.Read(); err != exit {
			t.Errorf("then %v", err)
		}
	}
}

func TestLineCutOffByExitIsDropped(t *testing.T) {
	var dropped []string
	h := jsonrpc.Handler{Dropped: func(err error, line []byte) { dropped = append(dropped, fmt.Sprint(err, ": ", string(line))) }}
	p, err := child("write", "{1}\nnoise\n{2").start(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if msg, err := p.Read(); string(msg) != "{1}" || err != nil {
		t.Errorf("%s, %v", msg, err)
	}
	if msg, err := p.Read(); err == nil {
		t.Errorf("%s", msg)
	}
	if want := "[text that is not JSON: noise unexpected EOF: {2]"; fmt.Sprint(dropped) != want {
		t.Errorf("dropped %v, want %s", dropped, want)
	}
}

func TestLogLineInBracketsIsNoBatch(t *testing.T) {
	var dropped []string
	h := jsonrpc.Handler{Dropped: func(err error, line []byte) { dropped = append(dropped, fmt.Sprint(err, ": ", string(line))) }}
	p, err := child("write", "[INFO] started\n[{}]\n").start(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if msg, err := p.Read(); string(msg) != "[{}]" || err != nil {
		t.Errorf("%s, %v", msg, err)
	}
	if want := "[text that is not JSON: [INFO] started]"; fmt.Sprint(dropped) != want {
		t.Errorf("dropped %v, want %s", dropped, want)
	}
}

func TestClosedOutputIsReported(t *testing.T) {
	p := open(t, child("mute"))
	_, err := p.Read()
	var exit *ExitError
	if !errors.As(err, &exit) || exit.State != nil || !strings.HasSuffix(err.Error(), " closed its standard output: hush") {
		t.Error(err)
	}
	within(t, testutil.Timeout, func() { p.Close() })
}

func TestEndlessLineEndsConnection(t *testing.T) {
	tr := child("endless")
	tr.MaxMessage = 1 << 20
	p := open(t, tr)
	if _, err := p.Read(); !errors.Is(err, jsonrpc.ErrTooLarge) || !strings.HasPrefix(err.Error(), p.server) {
		t.Error(err)
	}
	// The child notices at its next write.
	within(t, testutil.Timeout, func() { p.Close() })
}

// TestCloseWhileServerNeverReads: the write may begin before Close, after it, or at
// that moment, which matters on Windows.
func TestCloseWhileServerNeverReads(t *testing.T) {
	times := 1
	if runtime.GOOS == "windows" {
		times = 10
	}
	for range times {
		closeWhileServerNeverReads(t)
	}
}

func closeWhileServerNeverReads(t *testing.T) {
	tr := child("deaf")
	tr.CloseWait = 20 * time.Millisecond
	p := open(t, tr)
	if _, err := p.Read(); err != nil { // it runs
		t.Fatal(err)
	}
	wrote := make(chan error)
	go func() { // ends with the write, which Close ends
		_, err := p.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	within(t, testutil.Timeout, func() { p.Close() })
	if err := <-wrote; err == nil {
		t.Error("the write succeeded")
	}
}

func TestTransportOpensAgain(t *testing.T) {
	tr := child("echo")
	var all sync.WaitGroup
	pids := make(chan int, 4)
	for range cap(pids) {
		all.Go(func() {
			p, err := tr.start(context.Background(), jsonrpc.Handler{})
			if err != nil {
				t.Error(err)
				return
			}
			call(t, p)
			p.Close()
			pids <- p.state.Pid()
		})
	}
	all.Wait()
	close(pids)
	seen := map[int]bool{}
	for pid := range pids {
		seen[pid] = true
	}
	if len(seen) != cap(pids) || len(tr.Args) != 0 || len(tr.Env) != 2 {
		t.Errorf("processes %v of %+v", seen, tr)
	}
}

func TestOpenAndCloseLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("did not run: -short leaves out starting 200 processes")
	}
	before := testutil.TakeSnapshot()
	for i := range 200 {
		c, err := child("echo").Open(context.Background(), jsonrpc.Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m"}); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
	}
	// Close returns when all is gone; only a goroutine's last steps remain.
	if err := testutil.CheckLeaks(before); err != nil {
		t.Error(err)
	}
}

func TestCloseTimeFollowsCloseWait(t *testing.T) {
	tr := child("echo")
	tr.CloseWait = 20 * time.Second
	p := open(t, tr)
	if d := p.CloseTime(); d < 2*tr.CloseWait+closeWait {
		t.Errorf("the connection waits for %v, but Close may wait three times", d)
	}
}

// TestZeroAndNegative: zero is the default, and a negative CloseWait does not wait.
func TestZeroAndNegative(t *testing.T) {
	for n, want := range map[int]time.Duration{0: closeWait, -1: 0, math.MinInt: 0, 5: 5} {
		tr := child("echo")
		tr.CloseWait, tr.MaxMessage = time.Duration(n), n
		p := open(t, tr)
		limit := 64 << 20
		if n > 0 {
			limit = n
		}
		if p.wait != want || p.CloseTime() < want || p.MaxMessage() != limit {
			t.Errorf("%d: Close waits %v, a message has %d bytes", n, p.wait, p.MaxMessage())
		}
	}
}

// TestCloseWrite: a program that writes when its input has ended is read to the end.
func TestCloseWrite(t *testing.T) {
	p := open(t, child("last"))
	if err := p.CloseWrite(); err != nil {
		t.Error(err)
	}
	n := 0
	for {
		if _, err := p.Read(); err != nil {
			var exit *ExitError
			if !errors.As(err, &exit) || n != lastWords {
				t.Errorf("%d messages, %v", n, err)
			}
			return
		}
		n++
	}
}

// TestExplainQuotesNewLinesOnly: what the server wrote before its last message does not
// explain why it is silent now.
func TestExplainQuotesNewLinesOnly(t *testing.T) {
	var p process
	p.stderr, p.lines = new(stderr), new(lines)
	late := diag.Op("no response", context.DeadlineExceeded)
	for _, step := range []struct{ line, want string }{
		{"", ""},
		{"starting\n", "no response: context deadline exceeded; standard error: starting"},
		{strings.Repeat("x", maxStderr) + "\nError: no network\n", "no response: context deadline exceeded; standard error: Error: no network"},
	} {
		p.heard.Store(p.stderr.total.Load())
		p.stderr.store([]byte(step.line))
		got := ""
		if err := p.Explain(late); err != nil {
			got = err.Error()
		}
		if got != step.want && !strings.HasPrefix(got, step.want) || (got == "") != (step.want == "") || strings.Count(got, "starting") > 1 {
			t.Errorf("%q, want %q", got, step.want)
		}
		if err := p.Explain(io.EOF); err != nil {
			t.Errorf("not a timeout: %v", err)
		}
	}
	p.heard.Store(p.stderr.total.Load())
	if err := p.Explain(late); err != nil {
		t.Error(err)
	}
}
