//go:build unix

package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// pidIn returns the pid that a stubborn child has printed.
func pidIn(t testing.TB, msg []byte) int {
	t.Helper()
	var v struct{ Pid int }
	if err := json.Unmarshal(msg, &v); err != nil || v.Pid == 0 {
		t.Fatalf("%q, %v", msg, err)
	}
	return v.Pid
}

// gone reports whether a process has ended, though perhaps not been reaped by
// the one that inherited it.
func gone(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestKilledServerIsReported(t *testing.T) {
	p := open(t, child("stubborn"))
	msg, err := p.Read()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pidIn(t, msg), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, testutil.Timeout, func() { _, err = p.Read() })
	if !strings.HasSuffix(err.Error(), " was terminated by signal: killed") {
		t.Error(err)
	}
}

func TestStubbornServerIsKilled(t *testing.T) {
	tr := child("stubborn")
	tr.CloseWait = 20 * time.Millisecond
	p := open(t, tr)
	if _, err := p.Read(); err != nil {
		t.Fatal(err)
	}
	within(t, testutil.Timeout, func() { p.Close() })
	if s := p.state.String(); s != "signal: killed" {
		t.Error("it ended with", s)
	}
}

func TestSIGTERMComesBeforeSIGKILL(t *testing.T) {
	tr := child("deaf")
	tr.CloseWait = time.Second
	p := open(t, tr)
	if _, err := p.Read(); err != nil {
		t.Fatal(err)
	}
	within(t, testutil.Timeout, func() { p.Close() })
	if s := p.state.String(); s != "signal: terminated" {
		t.Error("it ended with", s)
	}
}

func TestGrandchildrenAreEnded(t *testing.T) {
	for _, when := range []string{"stay", "exit"} {
		t.Run("launcher that "+when+"s", func(t *testing.T) {
			p := open(t, child("launcher", when))
			msg, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			if when == "exit" {
				if _, err := p.Write([]byte("{}\n")); err != nil {
					t.Fatal(err)
				}
				var exit *ExitError
				within(t, testutil.Timeout, func() { _, err = p.Read() })
				if !errors.As(err, &exit) || exit.State == nil || exit.State.ExitCode() != 3 {
					t.Error(err)
				}
			}
			within(t, testutil.Timeout, func() { p.Close() })
			if pid := pidIn(t, msg); !testutil.Eventually(func() bool { return gone(pid) }) {
				t.Error("the grandchild lives on")
			}
		})
	}
}

// On Linux, Close ends a grandchild that has left the group, as long as the child
// runs, which is how the two are known to belong together. One whose parent has
// already exited cannot be found and survives.
func TestGrandchildInItsOwnSession(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the children of a process")
	}
	for when, ends := range map[string]bool{"stay": true, "exit": false} {
		t.Run("launcher that "+when+"s", func(t *testing.T) {
			tr := child("launcher", when, "escape")
			tr.CloseWait = 50 * time.Millisecond
			p := open(t, tr)
			msg, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			pid := pidIn(t, msg)
			defer syscall.Kill(pid, syscall.SIGKILL)
			if when == "exit" {
				if _, err := p.Write([]byte("{}\n")); err != nil {
					t.Fatal(err)
				}
				within(t, testutil.Timeout, func() { _, _ = p.Read() })
			}
			within(t, testutil.Timeout, func() { p.Close() })
			switch {
			case ends && !testutil.Eventually(func() bool { return gone(pid) }):
				t.Error("the grandchild lives on")
			case !ends && gone(pid):
				t.Error("the grandchild has ended; this is better than documented")
			}
		})
	}
}

// A grandchild that has left the group must not keep a
// connection open by holding the pipes.
func TestEscapedGrandchildDoesNotKeepConnectionOpen(t *testing.T) {
	for _, when := range []string{"stay", "exit"} {
		t.Run("launcher that "+when+"s", func(t *testing.T) {
			p := open(t, child("launcher", when, "escape"))
			msg, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Kill(pidIn(t, msg), syscall.SIGKILL)
			if when == "exit" {
				if _, err := p.Write([]byte("{}\n")); err != nil {
					t.Fatal(err)
				}
				var exit *ExitError
				within(t, testutil.Timeout, func() { _, err = p.Read() })
				if !errors.As(err, &exit) || exit.State == nil || exit.State.ExitCode() != 3 {
					t.Error(err)
				}
			}
			within(t, testutil.Timeout, func() { p.Close() })
		})
	}
}

func TestServerDiesWithItsClient(t *testing.T) {
	exe, _ := os.Executable()
	client := exec.Command(exe)
	client.Env = append(os.Environ(), childVar+"=client")
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, line)
	client.Process.Kill()
	client.Wait()
	if runtime.GOOS != "linux" && runtime.GOOS != "freebsd" {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Skip("did not run: only Linux and FreeBSD end the server when its client is killed")
	}
	if !testutil.Eventually(func() bool { return gone(pid) }) {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the server outlives its client")
	}
}

// The thread that starts a child must stay until the child has ended, or the
// kernel takes its end for that of the client.
func TestServerOutlivesTheThreadsOfItsClient(t *testing.T) {
	opened := make(chan *process)
	go func() {
		// A goroutine that ends while locked takes its thread with it.
		runtime.LockOSThread()
		p, err := child("echo").start(context.Background(), jsonrpc.Handler{})
		if err != nil {
			t.Error(err)
		}
		opened <- p
	}()
	p := <-opened
	defer p.Close()
	for range 100 {
		ended := make(chan bool)
		go func() {
			defer close(ended)
			runtime.LockOSThread()
		}()
		<-ended
	}
	call(t, p)
}

func TestIdleConnectionsAreSmall(t *testing.T) {
	const n, limit = 25, 48 << 10
	var conns []jsonrpc.Conn
	before := heap()
	for range n {
		conns = append(conns, connect(t, child("echo")))
	}
	for _, c := range conns {
		if _, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	if per := (heap() - before) / n; per > limit {
		t.Errorf("%d bytes of heap per connection", per)
	}
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() { c.Close() })
	}
	all.Wait()
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
