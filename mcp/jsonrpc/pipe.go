package jsonrpc

import (
	"bytes"
	"context"
	"io"
)

// Pipe returns the two ends of a stream in memory, for a server in the same
// process or a test. Each end reads what is written to the other. Closing either
// end closes both; messages written before can still be read.
func Pipe() (Stream, Stream) {
	a, b := make(chan []byte, pipeDepth), make(chan []byte, pipeDepth)
	closed, end := context.WithCancel(context.Background())
	return &pipe{in: a, out: b, closed: closed.Done(), end: end}, &pipe{in: b, out: a, closed: closed.Done(), end: end}
}

// pipeDepth is the number of messages that a pipe holds in each direction before
// Write waits.
const pipeDepth = 16

type pipe struct {
	in, out chan []byte
	closed  <-chan struct{}
	end     func() // closes closed
}

func (p *pipe) Read() ([]byte, error) {
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.closed:
	}
	select {
	case msg := <-p.in:
		return msg, nil
	default:
		return nil, io.EOF
	}
}

func (p *pipe) Write(b []byte) (int, error) {
	n := 0
	for line := range bytes.Lines(b) {
		msg := bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))
		select {
		case <-p.closed:
			return n, io.ErrClosedPipe
		default:
		}
		select {
		case p.out <- msg:
			n += len(line)
		case <-p.closed:
			return n, io.ErrClosedPipe
		}
	}
	return n, nil
}

func (p *pipe) Close() error {
	p.end()
	return nil
}
