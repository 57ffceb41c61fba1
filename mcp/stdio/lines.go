package stdio

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// smallBuffer is the size of the buffer of an idle connection.
	smallBuffer = 4 << 10

	// hintRoom is how much longer than the last message the next one may be to
	// fit into a buffer of the same size.
	hintRoom = 512

	// maxHint limits what a short message may cost after a long one.
	maxHint = 2 << 20

	mark = "\ufeff" // the byte order mark

	// The limits of text that is not JSON, without a message in between.
	maxNonJSON      = 1 << 20
	maxNonJSONLines = 10_000
)

const errMark = diag.Message("a byte order mark before a message")

// ErrNotJSON is the reason that jsonrpc.Handler.Dropped receives for a line
// that starts with neither { nor [. After too many such lines the connection
// ends with it.
var ErrNotJSON = errors.New("text that is not JSON")

// lines splits a stream into messages. One goroutine calls its methods.
type lines struct {
	r       io.Reader
	max     int // the maximum length of a line
	dropped func(reason error, data []byte)
	report  func(reason error, data []byte) // receives a message after a byte order mark; may be nil

	small    []byte // smallBuffer bytes
	buf      []byte // small or a big one
	from, to int    // buf[from:to] was read and is not returned yet
	seen     int    // the first seen bytes of buf[from:to] have no line feed
	hint     int    // the size of the buffer that the last long message needed
	err      error  // the error of the reader, for after the content of buf

	nonJSON, nonJSONLines int // bytes and lines since the last message

	hidden      []string // secrets of the server's settings
	noted, part bool     // odd and begin are not empty
	marked      bool     // there was a byte order mark since the last message

	mu    lock.Mutex // guards what follows, for Explain
	odd   string     // what else was read since the last message
	begin []byte     // the beginning of a line whose end has not arrived
}

func newLines(r io.Reader, max int, h jsonrpc.Handler) *lines {
	if h.Dropped == nil {
		h.Dropped = func(error, []byte) {}
	}
	small := make([]byte, smallBuffer)
	return &lines{r: r, max: buffers.MessageLimit(max), dropped: h.Dropped, report: h.Odd, small: small, buf: small}
}

// MaxMessage returns the limit of the length of a line.
func (l *lines) MaxMessage() int { return l.max }

// Unshared reports that each message has memory of its own.
func (l *lines) Unshared() bool { return true }

// Read returns a copy of the next line that starts like a JSON object or array,
// and skips other lines.
func (l *lines) Read() ([]byte, error) {
	for {
		i := bytes.IndexByte(l.buf[l.from+l.seen:l.to], '\n')
		if i < 0 {
			if err := l.more(); err != nil {
				return nil, err
			}
			continue
		}
		end := l.from + l.seen + i
		if l.part {
			l.endPart()
		}
		_, line := l.trim(l.buf[l.from:end])
		msg, err := l.message(line)
		if l.marked && msg != nil {
			l.marked = false
			if l.report != nil {
				l.report(errMark, msg)
			}
		}
		l.from, l.seen = end+1, 0
		if len(l.buf) != smallBuffer && l.to-l.from < smallBuffer {
			l.shrink()
		}
		if msg != nil || err != nil {
			return msg, err
		}
	}
}

// trim removes spaces and byte-order marks in front of a message, of n bytes, and the
// carriage return of a CRLF after it.
func (l *lines) trim(text []byte) (n int, line []byte) {
	line = text
	for len(line) > 0 {
		if c := line[0]; c == ' ' || c == '\t' || c == '\r' {
			line = line[1:]
		} else if bytes.HasPrefix(line, []byte(mark)) {
			line = line[len(mark):]
			l.marked = true
		} else {
			break
		}
	}
	return len(text) - len(line), bytes.TrimSuffix(line, []byte("\r"))
}

func (l *lines) message(line []byte) ([]byte, error) {
	if err := l.check(line); err != nil || len(line) == 0 {
		return nil, err
	}
	if isNonJSON(line) {
		l.nonJSON += len(line)
		l.nonJSONLines++
		l.noteLine(line)
		l.dropped(ErrNotJSON, line)
		return nil, nil
	}
	if l.nonJSON, l.nonJSONLines = 0, 0; l.noted && !framed(line) {
		l.note("")
	}
	if len(line) > smallBuffer {
		l.hint = min(len(line)+hintRoom, maxHint)
	}
	msg := make([]byte, len(line))
	copy(msg, line)
	return msg, nil
}

// isNonJSON also reports a log line such as "[INFO] started", which begins as a batch
// does.
func isNonJSON(line []byte) bool {
	if len(line) > 1 && line[0] == '[' {
		c := line[1] | 0x20
		return 'a' <= c && c <= 'z'
	}
	return len(line) > 0 && line[0] != '{' && line[0] != '['
}

// check returns an error if line, which may lack its end, is too long. The error
// does not depend on how much of the line was read at once.
func (l *lines) check(line []byte) error {
	if isNonJSON(line) {
		if left := maxNonJSON - l.nonJSON; l.nonJSONLines == maxNonJSONLines || len(line) > left && left < l.max {
			return diag.Op("too much output without a message", ErrNotJSON)
		}
	}
	if len(line) > l.max {
		return diag.Op("line longer than "+strconv.Itoa(l.max)+" bytes", jsonrpc.ErrTooLarge)
	}
	return nil
}

func (l *lines) more() error {
	n, line := l.trim(l.buf[l.from:l.to])
	l.from += n
	l.seen = l.to - l.from
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
	if !l.part {
		l.notePart(line)
	}
	if l.to == len(l.buf) {
		l.makeRoom()
	}
	n, err := buffers.Read(l.r, l.buf[l.to:])
	l.to += n
	l.err = err
	return nil
}

func (l *lines) makeRoom() {
	old := l.buf
	if l.from == 0 {
		l.buf = buffers.Get(len(old), l.hint, l.max+2) // with the line break
	}
	l.to = copy(l.buf, old[l.from:l.to])
	l.from = 0
	if len(old) != len(l.buf) {
		buffers.Put(old)
	}
}

// shrink returns to the small buffer, into which the unread data fits.
func (l *lines) shrink() {
	old := l.buf
	l.buf = l.small
	l.to = copy(l.buf, old[l.from:l.to])
	l.from = 0
	buffers.Put(old)
}
