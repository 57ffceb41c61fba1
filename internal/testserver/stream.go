package testserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// A stream is a connection on which messages are lines.
type stream struct {
	srv     *Server
	r       io.Reader
	w       io.Writer
	stderr  io.Writer
	gone    <-chan struct{} // closed when the client has closed its end; nil if that can't be known
	die     func()          // ends the connection, and the process if there is one
	writing chan struct{}   // full while somebody writes; no mutex, as those stop the clock of a synctest bubble
}

func (s *Server) newStream(r io.Reader, w io.Writer) *stream {
	return &stream{srv: s, r: r, w: w, stderr: io.Discard, writing: make(chan struct{}, 1)}
}

// Serve has a conversation in lines. It returns when r has ended. A server that
// dies of a fault closes what it can close of r and w.
func (s *Server) Serve(r io.Reader, w io.Writer) error {
	t := s.newStream(r, w)
	t.die = func() {
		for _, end := range []any{w, r} {
			if end, ok := end.(io.Closer); ok {
				_ = end.Close()
			}
		}
	}
	return t.serve()
}

// Pipe returns the client's end of an in-memory connection. The server runs
// behind it until it is closed; Close returns when the server has ended.
func (s *Server) Pipe() io.ReadWriteCloser {
	return connect(func(r io.ReadCloser, w io.WriteCloser, gone <-chan struct{}) {
		t := s.newStream(r, w)
		t.gone = gone
		t.die = func() { _, _ = w.Close(), r.Close() }
		_ = t.serve() // the client's end says what there is to say
	})
}

// A pipe is the client's end of an in-memory connection.
type pipe struct {
	io.Reader
	io.Writer
	close func() error
}

func (p *pipe) Close() error { return p.close() }

// connect runs serve behind a pipe; gone is closed when the client closes its end.
func connect(serve func(r io.ReadCloser, w io.WriteCloser, gone <-chan struct{})) io.ReadWriteCloser {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	gone, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends when the client closes its end, at the latest
		defer close(ended)
		serve(fromClient, toClient, gone)
		_, _ = toClient.Close(), fromClient.Close()
	}()
	closing := sync.OnceFunc(func() {
		_, _ = toServer.Close(), fromServer.Close()
		close(gone) // after that, so that who notices first doesn't find more to read
	})
	return &pipe{fromServer, toServer, func() error {
		closing()
		<-ended
		return nil
	}}
}

// serve reads messages until there are no more.
func (t *stream) serve() error {
	f := t.srv.fault
	if f.start != nil && !f.start(t) {
		return nil
	}
	session := t.srv.NewSession(t.send)
	session.stream = t
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer session.Close()
	defer cancel()
	r := bufio.NewReaderSize(t.r, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				t.srv.Violation("the last message ends without a line break")
			}
			if f.end != nil {
				f.end(t)
			}
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				err = nil
			}
			return err
		}
		if run := session.Handle(ctx, line[:len(line)-1], t.send); run != nil {
			running.Go(run)
		}
	}
}

// send sends a message as a line.
func (t *stream) send(msg []byte) {
	if !t.lock() {
		return
	}
	defer t.unlock()
	if write := t.srv.fault.line; write != nil {
		write(t, msg)
		return
	}
	_ = t.write(append(msg[:len(msg):len(msg)], '\n'))
}

// write writes bytes as they are. The caller has the right to write. An error
// means that the client is gone, which reading will notice too.
func (t *stream) write(b []byte) error {
	_, err := t.w.Write(b)
	return err
}

// raw writes bytes as they are.
func (t *stream) raw(b []byte) error {
	if !t.lock() {
		return io.ErrClosedPipe
	}
	defer t.unlock()
	return t.write(b)
}

// lock waits for the right to write. It reports false when the client is gone.
func (t *stream) lock() bool {
	select {
	case t.writing <- struct{}{}:
		return true
	case <-t.gone:
		return false
	}
}

func (t *stream) unlock() { <-t.writing }

// wait waits, or until the client is gone.
func (t *stream) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.gone:
	}
}
