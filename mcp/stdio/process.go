package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// drainWait is how long a pipe may be silent after the child has exited
	// before it counts as empty. Without it the connection would stay open while
	// another process, usually a grandchild, holds the other end.
	drainWait = 250 * time.Millisecond

	// drainTime limits the reading after the exit, whoever keeps writing.
	drainTime = 4 * drainWait

	// closeWait is the default of CloseWait.
	closeWait = 1500 * time.Millisecond
)

// A process is a child and the pipes to it: the jsonrpc.Stream of a Transport.
type process struct {
	server string        // its description in errors
	hidden []string      // the secrets of the command and its variables
	wait   time.Duration // Transport.CloseWait
	group  group
	env    []string // of the child; nil if it gets the whole environment of this process

	stdin  *os.File
	try    *rawWriter // to stdin, for TryWrite; nil if that writes nothing
	stdout *output
	stderr *stderr
	*lines       // of stdout
	err    error // why Read ended; only Read uses it

	writing lock.Mutex // held while writing to stdin
	sent    int64      // bytes written to stdin

	heard atomic.Int64 // bytes of standard error when the last message arrived

	grownIn, grownOut bool // whether stdin, which only writers use, and stdout are long pipes

	drained chan struct{}    // closed when Read has ended
	exited  chan struct{}    // closed when the child has been reaped
	state   *os.ProcessState // set before exited is closed
}

// start calls run, which starts cmd, with pipes as the standard streams. They
// are not the pipes of os/exec because its Wait closes those before everything
// is read.
func start(cmd *exec.Cmd, run func(*exec.Cmd) error, stderrCopy io.Writer) (*process, error) {
	ours, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	defer closeAll(theirs[:])
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]

	p := &process{
		stdin:   ours[0],
		stdout:  &output{file: ours[1]},
		stderr:  &stderr{file: &output{file: ours[2]}, done: make(chan struct{})},
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	p.try = newRawWriter(p.stdin)
	started := make(chan startResult)
	go p.supervise(cmd, run, started) // ends when the child has been reaped
	r, ok := <-started
	if !ok {
		r.err = errStartExited
	}
	if r.err != nil || r.panicked != nil {
		closeAll(ours[:])
		if r.panicked != nil {
			panic(r.panicked)
		}
		return nil, r.err
	}
	go p.stderr.drain(stderrCopy) // ends with stderr, or when Close closes it
	return p, nil
}

func pipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours[:], theirs[:]...))
			return ours, theirs, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	return ours, theirs, nil
}

//go:noinline
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // which may be nil
	}
}

// A startResult is how starting the child ended.
type startResult struct {
	err      error
	panicked any // the value of a panic in Transport.Start, which Open passes on
}

var (
	errNotStarted  = errors.New("Transport.Start returned without an error, but has not started the command")
	errStartExited = errors.New("Transport.Start ended its goroutine")
)

func (p *process) supervise(cmd *exec.Cmd, run func(*exec.Cmd) error, started chan<- startResult) {
	// On Linux the kernel kills the child when the thread that started it ends
	// (Pdeathsig), so the goroutine keeps its thread, which otherwise might end
	// at any time. Waiting takes a thread in any case.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(started)

	r := p.begin(cmd, run)
	p.env = cmd.Env
	started <- r
	if r.err != nil || r.panicked != nil {
		return
	}
	cmd.Env = nil // Transport.start decides whether it is kept

	// A child that has exited keeps its pid, and so the id of its group, until
	// it is reaped. Where the system can wait without reaping, reaping comes
	// last, so that no signal reaches an unrelated process.
	waited := awaitExit(cmd.Process.Pid)
	if !waited {
		_ = cmd.Wait()
	}
	p.endGroup()
	if waited {
		_ = cmd.Wait()
	}
	p.state = cmd.ProcessState
	close(p.exited)
	p.stdout.setDrainDeadline()
	p.stderr.file.setDrainDeadline()
}

// begin calls run to start the child, and kills the child if run fails later.
func (p *process) begin(cmd *exec.Cmd, run func(*exec.Cmd) error) (r startResult) {
	ours := run == nil
	defer func() {
		r.panicked = recover()
		if cmd.Process == nil {
			return
		}
		p.group = newGroup(cmd.Process)
		if r.err == nil && r.panicked == nil && ours {
			r.err = p.group.resume()
		}
		if r.err != nil || r.panicked != nil {
			p.group.kill()
			_ = cmd.Wait()
			p.group.close()
		}
	}()
	if ours {
		run = startSuspended
	}
	r.err = errStartExited // unless run returns
	if r.err = run(cmd); r.err == nil && cmd.Process == nil {
		r.err = errNotStarted
	}
	return r
}

func (p *process) endGroup() {
	p.group.terminate()
	retry.Await(p.drained, drainWait)
	p.group.kill()
}

// Read returns the next message. After the exit of the child it returns the
// messages that the child has written before, then an *ExitError.
func (p *process) Read() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	msg, err := p.lines.Read()
	if err == nil {
		p.heard.Store(p.stderr.total.Load())
		if len(msg) >= usualPipe && !p.grownOut {
			p.grownOut = true
			growPipe(p.stdout.file)
		}
		return msg, nil
	}
	close(p.drained)
	_ = p.stdout.Close() // the child's next write fails and does not block
	if err == io.EOF || errors.Is(err, os.ErrClosed) {
		p.err = p.exitError()
	} else {
		p.err = diag.Op(p.server, err)
	}
	return nil, p.err
}

// exitError returns how the child ended. Standard output usually ends a moment
// before the child does, so exitError waits.
func (p *process) exitError() error {
	e := &ExitError{Server: p.server, hidden: p.hidden}
	t := time.NewTimer(2 * drainWait)
	defer t.Stop()
	select {
	case <-p.exited:
		e.State = p.state
		e.unread = p.readNothing()
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
	if len(b) > usualPipe {
		p.makeRoom()
	}
	p.writing.Lock()
	n, err := p.stdin.Write(b)
	p.sent += int64(n)
	p.writing.Unlock()
	if err != nil {
		err = diag.Op(p.server, err)
	}
	return n, err
}

var (
	_ jsonrpc.TryWriter      = (*process)(nil)
	_ jsonrpc.SlowCloser     = (*process)(nil)
	_ jsonrpc.MessageLimiter = (*process)(nil)
	_ jsonrpc.Explainer      = (*process)(nil)
)

// Close ends the child and its group: by the end of standard input, then SIGTERM,
// then SIGKILL. It takes no lock that a Write might hold, and every wait has a
// limit.
func (p *process) Close() error {
	// Descendants that have left the group can be found only while the child runs.
	// They are killed only after the child had time to end them.
	below := p.group.descendants()
	closed := closeInput(p.stdin)
	var err error
	if !retry.Await(p.exited, p.wait) {
		below = append(below, p.group.descendants()...)
		p.group.terminate()
	}
	if !retry.Await(p.exited, p.wait) {
		killDescendants(append(below, p.group.descendants()...))
		p.group.kill()
	}
	if !retry.Await(p.exited, closeWait) {
		err = diag.Op(p.server, errUnkillable)
	}
	killDescendants(below)
	closed()
	_ = p.stdout.Close()
	p.stderr.close()
	p.group.close()
	return err
}

// CloseWrite closes standard input. The child then usually writes the rest of its
// output, which Read returns, and exits.
func (p *process) CloseWrite() error { return p.stdin.Close() }

// CloseTime implements jsonrpc.SlowCloser.
func (p *process) CloseTime() time.Duration { return 2*p.wait + 2*time.Second }

// Explain implements jsonrpc.Explainer. After a timeout it quotes what the child has
// written to its standard error since its last message, and says what is odd about its
// standard output. It names variables that the error mentions and that the child did not
// get.
func (p *process) Explain(err error) (explained error) {
	if errors.Is(err, context.DeadlineExceeded) {
		text := hide(p.stderr.since(p.heard.Load()), p.hidden)
		explained = p.lines.Explain(err)
		if url := servesHTTP(text); url != "" && explained == nil {
			explained = &diag.SeenError{Err: err, Seen: url}
		}
		if explained != nil {
			err = explained
		}
		if text = quoteStderr(text, nil); text != "" {
			explained = diag.Error(err.Error()+"; standard error: "+text, nil, err)
			err = explained
		}
	}
	if names := p.notPassed(err.Error()); names != nil {
		explained = &diag.NotPassedError{Err: err, Names: names}
	}
	return explained
}

var errUnkillable = errors.New("the process did not end when killed")

// An output is the reading end of a pipe that the child writes to.
type output struct {
	file *os.File
	end  time.Time // the latest time to read; zero until Read finds that the child has exited
}

// setDrainDeadline makes Read return once nothing has arrived for drainWait. It
// is called when the child has exited.
func (o *output) setDrainDeadline() {
	if err := o.file.SetReadDeadline(time.Now()); errors.Is(err, os.ErrNoDeadline) {
		// On Windows; killing the job has closed the other end.
		time.AfterFunc(drainTime, func() { _ = o.Close() })
	}
}

// Close may be called while Read blocks, which then returns.
//
//go:noinline
func (o *output) Close() error { return o.file.Close() }

func (o *output) Read(p []byte) (int, error) {
	for {
		if !o.end.IsZero() {
			next := time.Now().Add(drainWait)
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
