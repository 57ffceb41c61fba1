package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// mismatchTime is how long a client may try another protocol version after the server
// has refused one.
const mismatchTime = 5 * time.Second

// A MismatchError means that the client and the server support no common era.
type MismatchError struct{ reason string }

func (e *MismatchError) Error() string { return e.reason }

var errStalled = errors.New("the client has read nothing for " + stallTime.String())

// ServeLines serves the client that writes lines to in and reads from out. It returns
// when the client is gone, the server has ended, or ctx is done. Its error is nil if
// the client has left, or else says why the connection has ended; the client got it,
// too, as the response to each request that the server left.
//
// A goroutine that reads in or writes to out may remain when it returns.
func ServeLines(ctx context.Context, in io.Reader, out io.Writer, o *Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := bufio.NewReaderSize(in, 64<<10)
	tap, send := o.tap(), lineWriter(out, func() { cancel(errStalled) })
	r, err := o.newRelay(ctx, tap, func(message []byte) error {
		tap.message(false, message)
		return send(message)
	})
	if err != nil {
		refuseFirst(lines, out, err)
		return err
	}
	defer r.close()
	go r.run() // ends with the stream of the server
	left, written := make(chan error, 1), make(chan struct{})
	queue := newReply(new(outbox), tap)
	defer queue.box.end()
	go func() { left <- readLines(lines, queue) }() // ends with in, or the program
	go func() {                                     // ends with the queue, or with the stream of the server
		defer close(written)
		r.writeLines(ctx, queue)
	}()
	mismatch := time.NewTicker(mismatchTime)
	defer mismatch.Stop()
	for reason := ""; ; {
		select {
		case err := <-left:
			if err == io.EOF {
				go r.drain(ctx, written) // ends with the stream of the server
				left = nil
				continue
			}
			return err
		case <-r.done:
			return r.result(left == nil)
		case <-mismatch.C:
			before := reason
			if reason = r.eras.mismatch(); reason != "" && reason == before {
				return &MismatchError{reason}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// result returns why the relay has ended. left reports that the client has sent
// everything.
func (r *relay) result(left bool) error {
	var gone *clientError
	switch reason := r.eras.mismatch(); {
	case reason != "":
		return &MismatchError{reason}
	case left, errors.As(r.err, &gone):
		return nil
	}
	return r.err
}

// readLines queues all lines of the client, so that the proxy sees that the client has
// left even if the server reads nothing. It returns io.EOF at their end.
func readLines(lines *bufio.Reader, queue *reply) (err error) {
	for err == nil {
		var line []byte
		line, err = input.ReadLine(lines, maxMessage)
		if len(line) > 0 {
			queue.box.push(bytes.TrimSuffix(line, []byte("\n")), func() (*reply, item) { return queue, item{} })
		}
	}
	queue.box.push(nil, func() (*reply, item) { return queue, item{last: true} })
	if errors.Is(err, jsonrpc.ErrTooLarge) {
		return errors.New("the client has sent a line of more than 64 MiB")
	}
	return io.EOF
}

// writeLines passes the queued lines to the server, until the last one.
func (r *relay) writeLines(ctx context.Context, queue *reply) {
	for {
		it, ok := queue.pop()
		switch {
		case ok && it.last:
			return
		case ok:
			err := r.fromClient(it.message)
			queue.done(it)
			if err != nil { // run knows more
				return
			}
			continue
		}
		select {
		case <-queue.wake:
		case <-ctx.Done():
			return
		}
	}
}

// lineWriter returns a function that writes messages as lines. stalled is called if
// the client does not read one in time.
func lineWriter(out io.Writer, stalled func()) func([]byte) error {
	return func(message []byte) error {
		t := time.AfterFunc(stallTime, stalled)
		defer t.Stop()
		if len(message) < maxQueued {
			message = append(message, '\n')
		} else if _, err := out.Write(message); err != nil {
			return err
		} else {
			message = []byte("\n") // a copy would take the memory of another long message
		}
		_, err := out.Write(message)
		return err
	}
}

// refuseFirst responds to the first request of the client with the reason why there
// is not a server, which would look like a timeout otherwise.
func refuseFirst(lines *bufio.Reader, out io.Writer, reason error) {
	first := make(chan []byte, 1)
	go func() { // ends with the input, or the program
		line, _ := input.ReadLine(lines, maxMessage)
		first <- line
	}()
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case line := <-first:
		for _, m := range parse(line) {
			if m.IsRequest() {
				_, _ = out.Write(append(refusal(m.ID, codeProxy, reason.Error()), '\n'))
			}
		}
	case <-t.C:
	}
}
