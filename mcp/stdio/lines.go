package stdio

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// smallBuffer is what an idle connection holds.
	smallBuffer = 4 << 10

	// How much text that is no JSON may come without a message in between.
	maxNonJSON      = 1 << 20
	maxNonJSONLines = 10_000
)

// ErrNotJSON is given to Handler.Dropped for a line that starts like no
// message. A connection on which too much of that comes ends with it.
var ErrNotJSON = errors.New("text that is not JSON")

// lines cuts a stream into messages. Its methods are called by one goroutine.
type lines struct {
	r       io.Reader
	max     int // longest line
	dropped func(reason error, data []byte)

	small    []byte // smallBuffer bytes
	buf      []byte // small or a big one
	from, to int    // buf[from:to] has been read and not returned
	seen     int    // so many bytes from there on hold no line feed
	err      error  // what the reader returned; follows what is in buf

	nonJSON, nonJSONLines int // what was dropped since the last message
}

func newLines(r io.Reader, max int, dropped func(error, []byte)) *lines {
	if max <= 0 {
		max = defaultMaxMessage
	}
	if dropped == nil {
		dropped = func(error, []byte) {}
	}
	small := make([]byte, smallBuffer)
	return &lines{r: r, max: max, dropped: dropped, small: small, buf: small}
}

// next returns the next line that looks like a message, in memory of its own.
// Blank lines and lines that start like no JSON object or array are skipped.
func (l *lines) next() ([]byte, error) {
	for {
		i := bytes.IndexByte(l.buf[l.from+l.seen:l.to], '\n')
		if i < 0 {
			if err := l.more(); err != nil {
				return nil, err
			}
			continue
		}
		end := l.from + l.seen + i
		msg, err := l.message(trim(l.buf[l.from:end]))
		l.from, l.seen = end+1, 0
		l.shrink()
		if msg != nil || err != nil {
			return msg, err
		}
	}
}

// trim removes what some servers put around a message: blanks and byte-order
// marks in front, the carriage return of a CRLF behind.
func trim(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimLeft(line, " \t\r\ufeff"), []byte("\r"))
}

// message returns a copy of line, or nil when it is to be skipped.
func (l *lines) message(line []byte) ([]byte, error) {
	if err := l.check(line); err != nil || len(line) == 0 {
		return nil, err
	}
	if isNonJSON(line) {
		l.nonJSON += len(line)
		l.nonJSONLines++
		l.dropped(ErrNotJSON, line)
		return nil, nil
	}
	l.nonJSON, l.nonJSONLines = 0, 0
	msg := make([]byte, len(line))
	copy(msg, line)
	return msg, nil
}

func isNonJSON(line []byte) bool { return len(line) > 0 && line[0] != '{' && line[0] != '[' }

// check returns an error if line, which may lack its end, is too long. A line
// gets the same verdict whole and in pieces.
func (l *lines) check(line []byte) error {
	if isNonJSON(line) {
		if left := maxNonJSON - l.nonJSON; l.nonJSONLines == maxNonJSONLines || len(line) > left && left < l.max {
			return diag.Op("too much output", ErrNotJSON)
		}
	}
	if len(line) > l.max {
		return diag.Op("a line of more than "+strconv.Itoa(l.max)+" bytes", jsonrpc.ErrTooLarge)
	}
	return nil
}

// more reads on in the middle of a line.
func (l *lines) more() error {
	l.from = l.to - len(bytes.TrimLeft(l.buf[l.from:l.to], " \t\r\ufeff"))
	l.seen = l.to - l.from
	line := trim(l.buf[l.from:l.to])
	if err := l.check(line); err != nil {
		return err
	}
	if l.err != nil {
		if len(line) > 0 {
			l.dropped(io.ErrUnexpectedEOF, line)
		}
		l.from, l.to, l.seen = 0, 0, 0
		return l.err
	}
	l.makeRoom()
	for range 100 {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		l.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	return io.ErrNoProgress
}

// makeRoom sees to it that buf has room behind what it holds.
func (l *lines) makeRoom() {
	if l.to < len(l.buf) {
		return
	}
	old := l.buf
	if l.from == 0 {
		l.buf = buffers.Get(len(old), l.max+2) // with the line break
	}
	l.to = copy(l.buf, old[l.from:l.to])
	l.from = 0
	if len(old) != len(l.buf) {
		buffers.Put(old)
	}
}

// shrink goes back to the small buffer when what is left fits there.
func (l *lines) shrink() {
	if len(l.buf) == smallBuffer || l.to-l.from >= smallBuffer {
		return
	}
	old := l.buf
	l.buf = l.small
	l.to = copy(l.buf, old[l.from:l.to])
	l.from = 0
	buffers.Put(old)
}
