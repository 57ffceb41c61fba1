package stdio

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

const (
	// grace is how long a pipe may be silent after the child has exited before
	// it counts as empty. Without it, whoever else holds the other end, a
	// grandchild mostly, would keep the connection open.
	grace = 250 * time.Millisecond

	// drainTime is how long it is read on after that, whoever keeps writing.
	drainTime = 4 * grace

	// closeWait is how long Close waits after each of its steps, unless set.
	closeWait = 1500 * time.Millisecond
)

// A process is a child and the pipes to it: the jsonrpc.Stream of a Transport.
type process struct {
	server string        // what errors call it
	wait   time.Duration // how long Close waits after each of its polite steps
	group  group

	stdin  *os.File
	direct direct // to stdin
	stdout *output
	stderr *stderr
	lines  *lines // over stdout
	err    error  // what ended Read, which alone uses it

	drained chan struct{}    // closed when Read reads no more
	exited  chan struct{}    // closed when the child has been reaped
	state   *os.ProcessState // set before exited is closed
}

// start starts cmd with pipes as its standard streams. They are not those of
// os/exec because its Wait closes them, whatever is still to be read.
func start(cmd *exec.Cmd, tee io.Writer) (*process, error) {
	ours, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	defer closeAll(theirs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]

	p := &process{
		stdin:   ours[0],
		stdout:  &output{file: ours[1]},
		stderr:  &stderr{file: &output{file: ours[2]}, done: make(chan struct{})},
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	p.direct.open(p.stdin)
	started := make(chan error)
	go p.supervise(cmd, started) // ends when the child has been reaped
	if err := <-started; err != nil {
		closeAll(ours)
		return nil, err
	}
	go p.stderr.drain(tee) // ends with stderr, or when Close closes that
	return p, nil
}

// pipes returns both ends of three pipes for the standard streams.
func pipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	return ours, theirs, nil
}

func closeAll(files [3]*os.File) {
	for _, f := range files {
		_ = f.Close() // which may be nil
	}
}

// supervise starts the child, waits for it and ends what it leaves behind.
func (p *process) supervise(cmd *exec.Cmd, started chan<- error) {
	// On Linux the child is to be killed when this process dies (Pdeathsig).
	// The kernel takes that to mean the thread that started the child, and the
	// runtime may end a thread at any time, unless a goroutine is locked to it.
	// Waiting here costs no more than elsewhere: it takes a thread in any case.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	err := cmd.Start()
	if err == nil {
		p.group = newGroup(cmd.Process)
	}
	started <- err
	if err != nil {
		return
	}
	cmd.Env = nil // not needed any more, and may be long

	// A child that has exited keeps its pid, and so its group's id, until it is
	// reaped. Where the system lets us wait without reaping, that comes last,
	// so that what the group is sent can't reach a stranger.
	waiting := awaitExit(cmd.Process.Pid)
	if !waiting {
		_ = cmd.Wait()
	}
	p.endGroup()
	if waiting {
		_ = cmd.Wait()
	}
	p.state = cmd.ProcessState
	close(p.exited)
	p.stdout.hurry()
	p.stderr.file.hurry()
}

// endGroup ends what the child has started and left running.
func (p *process) endGroup() {
	p.group.terminate()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.drained:
	case <-t.C:
	}
	p.group.kill()
}

// Read returns the next message. What the child has written before it exited is
// still returned; then comes an *ExitError.
func (p *process) Read() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	msg, err := p.lines.next()
	if err == nil {
		return msg, nil
	}
	close(p.drained)
	_ = p.stdout.Close() // a child that goes on writing fails, and doesn't block
	if err == io.EOF || errors.Is(err, os.ErrClosed) {
		p.err = p.exitError()
	} else {
		p.err = diag.Op(p.server, err)
	}
	return nil, p.err
}

// exitError returns how the child ended. The end of stdout mostly comes a
// moment before that, so it waits for a moment.
func (p *process) exitError() error {
	e := &ExitError{Server: p.server}
	t := time.NewTimer(2 * grace)
	defer t.Stop()
	select {
	case <-p.exited:
		e.State = p.state
		select {
		case <-p.stderr.done:
		case <-t.C:
		}
	case <-t.C:
	}
	e.Stderr = p.stderr.String()
	return e
}

func (p *process) Write(b []byte) (int, error) {
	n, err := p.stdin.Write(b)
	if err != nil {
		err = diag.Op(p.server, err)
	}
	return n, err
}

// TryWrite is for jsonrpc.TryWriter.
func (p *process) TryWrite(b []byte) (int, error) { return p.direct.write(b) }

// Close ends the child, the polite way first, and all of its group. It takes no
// lock that a Write might hold, and waits for nothing without a time limit.
func (p *process) Close() error {
	_ = p.stdin.Close()
	var err error
	if !p.exitsWithin(p.wait) {
		p.group.terminate()
	}
	if !p.exitsWithin(p.wait) {
		p.group.kill()
	}
	if !p.exitsWithin(closeWait) {
		err = diag.Op(p.server, errUnkillable)
	}
	_ = p.stdout.Close()
	p.stderr.close()
	p.group.close()
	return err
}

var errUnkillable = errors.New("does not end when killed")

func (p *process) exitsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// An output is our end of a pipe that the child writes to.
type output struct {
	file *os.File
	end  time.Time // when to stop reading at the latest; zero until hurry was called
}

// hurry tells the reader that the child has exited. A Read that is waiting
// returns, and from then on silence is the end.
func (o *output) hurry() {
	if err := o.file.SetReadDeadline(time.Now()); errors.Is(err, os.ErrNoDeadline) {
		// On Windows, where killing the job leaves nobody at the other end.
		time.AfterFunc(drainTime, func() { _ = o.Close() })
	}
}

// Close may be called beside Read, which then returns.
func (o *output) Close() error { return o.file.Close() }

func (o *output) Read(p []byte) (int, error) {
	for {
		if !o.end.IsZero() {
			next := time.Now().Add(grace)
			if next.After(o.end) {
				next = o.end
			}
			_ = o.file.SetReadDeadline(next)
		}
		n, err := o.file.Read(p)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if !o.end.IsZero() {
			return 0, io.EOF
		}
		o.end = time.Now().Add(drainTime)
	}
}
