package jsonrpc

import (
	"bytes"
	"io"
	"sync"
)

// Pipe returns the two ends of a stream in memory, for a server in the same
// process or a test. Each end reads what is written to the other. Closing either
// end closes both; messages written before can still be read.
func Pipe() (Stream, Stream) {
	a, b := make(chan []byte, pipeDepth), make(chan []byte, pipeDepth)
	gone := &closer{c: make(chan struct{})}
	return &pipe{in: a, out: b, gone: gone}, &pipe{in: b, out: a, gone: gone}
}

// pipeDepth is the number of messages that a pipe holds in each direction before
// Write waits.
const pipeDepth = 16

type pipe struct {
	in, out chan []byte
	gone    *closer
}

type closer struct {
	once sync.Once
	c    chan struct{}
}

func (p *pipe) Read() ([]byte, error) {
	select {
	case msg := <-p.in:
		return msg, nil
	default:
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.gone.c:
		select {
		case msg := <-p.in:
			return msg, nil
		default:
			return nil, io.EOF
		}
	}
}

func (p *pipe) Write(b []byte) (int, error) {
	n := 0
	for line := range bytes.Lines(b) {
		msg := bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))
		select {
		case <-p.gone.c:
			return n, io.ErrClosedPipe
		default:
		}
		select {
		case p.out <- msg:
			n += len(line)
		case <-p.gone.c:
			return n, io.ErrClosedPipe
		}
	}
	return n, nil
}

func (p *pipe) Close() error {
	p.gone.once.Do(func() { close(p.gone.c) })
	return nil
}
