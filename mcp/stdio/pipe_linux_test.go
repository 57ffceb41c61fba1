package stdio

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestPipesGrowForLongMessages: only a message that is longer than a pipe makes the
// pipe a long one, unless the kernel refuses, as it does to a user with many pipes.
func TestPipesGrowForLongMessages(t *testing.T) {
	t.Parallel()
	probe, other := newPipe(t)
	growPipe(other)
	long := pipeSize(t, probe)

	fromClient, stdin := newPipe(t)
	stdout, toClient := newPipe(t)
	p := &process{stderr: new(stderr), stdin: stdin, stdout: &output{file: stdout}, lines: newLines(stdout, 0, jsonrpc.Handler{}), try: newRawWriter(stdin)}
	go func() { _, _ = io.Copy(toClient, fromClient) }() // ends when the pipes are closed
	for _, size := range []int{10, usualPipe + 10, 10} {
		before, want := pipeSize(t, stdin), long
		if size < usualPipe {
			want = before
		}
		msg := []byte(`{"m":"` + strings.Repeat("x", size) + "\"}\n")
		n, err := p.TryWrite(msg)
		if err == nil && n < len(msg) {
			_, err = p.Write(msg[n:])
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Read()
		if err != nil || string(got)+"\n" != string(msg) {
			t.Fatalf("%d bytes, error %v", len(got), err)
		}
		if in, out := pipeSize(t, stdin), pipeSize(t, stdout); in != want || out != want {
			t.Errorf("after a message of %d bytes the pipes hold %d and %d bytes, want %d", size, in, out, want)
		}
	}
}

func newPipe(t *testing.T) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close()
		_ = r.Close()
	})
	return r, w
}

func pipeSize(t *testing.T, f *os.File) (n int) {
	c, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Control(func(fd uintptr) {
		r, _, _ := syscall.Syscall(syscall.SYS_FCNTL, fd, getPipeSize, 0)
		n = int(r)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestUnread: only a program that has read nothing is certainly not ended by a request.
// A program may read a part of a line, and its child may read in its place.
func TestUnread(t *testing.T) {
	t.Parallel()
	const script = `case $1 in nothing) ;; byte) dd bs=1 count=1 2>&- ;; line) read line ;; child) sh -c "read line" ;; esac; exit 3`
	for reads, want := range map[string]bool{"nothing": true, "byte": false, "line": false, "child": false} {
		p := open(t, Command("/bin/sh", "-c", script, "sh", reads))
		if n, err := p.TryWrite([]byte("{}\n")); err == nil && n < 3 {
			_, _ = p.Write([]byte("{}\n")[n:]) // the program may have exited
		}
		var err error
		for err == nil { // what dd prints is not a message
			_, err = p.Read()
		}
		var exit *ExitError
		if !errors.As(err, &exit) || errors.Is(err, diag.ErrUnread) != want {
			t.Errorf("reads %s: %v", reads, err)
		}
	}

	p := open(t, Command("/bin/sh", "-c", "exit 3")) // before anything is written
	<-p.exited
	_, _ = p.Write([]byte("{}\n"))
	var exit *ExitError
	if _, err := p.Read(); !errors.As(err, &exit) || !errors.Is(err, diag.ErrUnread) {
		t.Error("nothing was written:", err)
	}

	// The write has not ended when the program has exited, because a process in another
	// group could still read it.
	p = open(t, Command("/bin/sh", "-c", "exec 3<&0; setsid sleep 5 <&3 >/dev/null 2>&1 & sleep 0.2; exit 3"))
	written := make(chan error)
	go func() { // ends with the write
		_, err := p.Write(make([]byte, 1<<20))
		written <- err
	}()
	if _, err := p.Read(); !errors.As(err, &exit) || !errors.Is(err, diag.ErrUnread) {
		t.Error("a write has not ended:", err)
	}
	if err := <-written; err == nil {
		t.Error("a pipe holds 1 MiB")
	}

	tr := Command("/bin/sh", "-c", "exec >&-; sleep 60") // it may still read
	tr.CloseWait = 20 * time.Millisecond
	p = open(t, tr)
	if _, err := p.Read(); !errors.As(err, &exit) || errors.Is(err, diag.ErrUnread) {
		t.Error("it has not exited:", err)
	}
}
