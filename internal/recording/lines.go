package recording

import (
	"bufio"
	"io"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxLine limits a line, in bytes.
const maxLine = 128 << 20

// A LineReader reads the lines of a file that may grow.
type LineReader struct {
	in   *bufio.Reader
	line []byte
	done bool // whether Next has returned the line
}

// NewLineReader returns a LineReader of r.
func NewLineReader(r io.Reader) *LineReader { return &LineReader{in: bufio.NewReader(r)} }

// Next returns the next line without its end. It is valid until Next is called again.
// The error is io.EOF if there is no further line with an end; then Next may be called
// again, if the file may have grown.
func (l *LineReader) Next() ([]byte, error) {
	if l.done {
		l.line, l.done = l.line[:0], false
	}
	for {
		part, err := l.in.ReadSlice('\n')
		if l.line = append(l.line, part...); len(l.line) > maxLine {
			return nil, jsonrpc.ErrTooLarge
		}
		if err == nil {
			l.done = true
			return l.line[:len(l.line)-1], nil
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}

// Unfinished returns the beginning of a line without an end, after Next has returned
// io.EOF.
func (l *LineReader) Unfinished() []byte { return l.line }
