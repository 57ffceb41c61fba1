package testserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A stream is a byte stream on which messages are lines.
type stream struct {
	srv     *Server
	r       io.Reader
	w       io.Writer
	stderr  io.Writer
	ctx     context.Context // ends when the client has closed its end, if that is known
	die     func()          // ends the connection, and the process if there is one
	wedged  bool            // by a fault; the next message ends the server
	writing chan struct{}   // full during a write; a mutex would stop the clock of a synctest bubble
}

func (s *Server) newStream(r io.Reader, w io.Writer) *stream {
	return &stream{srv: s, r: r, w: w, stderr: io.Discard, ctx: context.Background(), writing: make(chan struct{}, 1)}
}

// Serve serves a session of lines until the end of r. A server whose fault is to
// exit closes r and w if they are Closers.
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

// Pipe returns the client's end of an in-memory connection to the server. Close
// returns when the server has ended.
func (s *Server) Pipe() io.ReadWriteCloser {
	return connect(func(ctx context.Context, r io.ReadCloser, w io.WriteCloser) {
		t := s.newStream(r, w)
		t.ctx = ctx
		t.die = func() { _, _ = w.Close(), r.Close() }
		_ = t.serve() // the client's end reports errors
	})
}

type pipe struct {
	io.Reader
	io.Writer
	close func() error
}

func (p *pipe) Close() error { return p.close() }

// connect runs serve behind a pipe; ctx ends when the client closes its end.
func connect(serve func(ctx context.Context, r io.ReadCloser, w io.WriteCloser)) io.ReadWriteCloser {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, gone := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { // ends when the client closes its end, at the latest
		defer close(ended)
		serve(ctx, fromClient, toClient)
		_, _ = toClient.Close(), fromClient.Close()
	}()
	closing := sync.OnceFunc(func() {
		_, _ = toServer.Close(), fromServer.Close()
		gone() // afterward, so that a server that notices it finds nothing more to read
	})
	return &pipe{fromServer, toServer, func() error {
		closing()
		<-ended
		return nil
	}}
}

func (t *stream) serve() error {
	f := t.srv.fault
	if f.start != nil && !f.start(t) {
		return nil
	}
	if f.wrap != nil && f.On == "S" {
		t.w = f.wrap(t.w, func() bool { return t.wait(t.srv.opts.Delay) })
	}
	session := t.srv.NewSession(t.send)
	session.stream = t
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer session.Close()
	defer cancel()
	r := bufio.NewReader(t.r)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				t.srv.addViolation("the last message ends without a line break", line)
			}
			if f.end != nil {
				f.end(t)
			}
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				err = nil
			}
			return err
		}
		if t.wedged {
			fmt.Fprintln(t.stderr, "fatal: the server is in an unknown state")
			t.die()
			return nil
		}
		if run := session.Handle(ctx, line[:len(line)-1], t.send); run != nil {
			running.Go(run)
		}
	}
}

func (t *stream) send(msg []byte) {
	if !t.lock() {
		return
	}
	defer t.unlock()
	_ = t.write(append(msg[:len(msg):len(msg)], '\n'))
}

// write is called between lock and unlock. An error means that the client is gone.
func (t *stream) write(b []byte) error {
	_, err := t.w.Write(b)
	return err
}

func (t *stream) raw(b []byte) error {
	if !t.lock() {
		return io.ErrClosedPipe
	}
	defer t.unlock()
	return t.write(b)
}

// lock reports false if the client is gone.
func (t *stream) lock() bool {
	select {
	case t.writing <- struct{}{}:
		return true
	case <-t.ctx.Done():
		return false
	}
}

func (t *stream) unlock() { <-t.writing }

// wait reports whether the client is still there after d.
func (t *stream) wait(d time.Duration) bool { return wait(t.ctx, d) }
