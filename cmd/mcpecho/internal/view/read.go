package view

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An Entry is one of a recording, or a line of a trace.
type Entry struct {
	recording.Entry
	Note string // of a trace: what the user was told
}

// A Reader reads the entries of a recording or a trace.
type Reader struct {
	in    *bufio.Reader
	rec   *recording.Reader // nil for a trace
	lines *recording.LineReader
	n     int // lines of a trace
	began time.Time
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r)} }

// ErrNeither means that a file is neither a recording nor a trace.
var ErrNeither = errors.New("it is neither a recording nor a trace")

// Next returns the next entry. Its error is io.EOF at the end of a recording, and
// recording.ErrTruncated if there is no further line yet; then it may be called again.
func (r *Reader) Next() (*Entry, error) {
	if r.rec == nil && r.lines == nil {
		switch begin, err := r.in.Peek(1); {
		case err == io.EOF:
			return nil, recording.ErrTruncated
		case err != nil:
			return nil, err
		case begin[0] != '{':
			r.rec = recording.NewReader(r.in)
		default:
			r.lines = recording.NewLineReader(r.in)
		}
	}
	if r.rec != nil {
		e, err := r.rec.Next()
		return &Entry{Entry: e}, err
	}
	line, err := r.lines.Next()
	switch {
	case err == io.EOF:
		return nil, recording.ErrTruncated
	case err != nil:
		return nil, err
	}
	r.n++
	e, err := r.parse(line)
	if err != nil && r.n > 1 {
		err = fmt.Errorf("line %d: %w", r.n, err)
	}
	return e, err
}

// Missing returns what the file lacks, after Next has returned recording.ErrTruncated.
func (r *Reader) Missing() string {
	switch {
	case r.rec != nil:
		return "the recording has no end: the program that wrote it was killed, or still runs"
	case r.lines == nil:
		return "the file is empty"
	case len(r.lines.Unfinished()) > 0:
		return "the last line is incomplete"
	}
	return ""
}

// parse returns the entry of a line of a trace.
func (r *Reader) parse(line []byte) (*Entry, error) {
	e := &Entry{}
	e.Conn = 1
	var at time.Time
	var err error
	known := false
	in := wire.NewReader(line)
	if in.Kind() != wire.Object {
		return nil, ErrNeither
	}
	for in.Object(); in.More(); {
		switch string(in.Key()) {
		case "time":
			at, err = time.Parse(time.RFC3339Nano, in.String())
		case "connection":
			e.Conn = int(in.Int())
		case "dir":
			switch in.String() {
			case "send":
				e.Sent = true
			case "proxy":
				e.Kind = recording.Refusal
			}
		case "note":
			e.Note, known = in.String(), true
		case "end":
			e.Kind, e.Text, known = recording.Connection, in.String(), true
		case "message":
			known = true
			if in.Kind() == wire.String {
				e.Kind, e.Text = recording.Text, in.String()
				continue
			}
			e.Text = string(in.Raw())
			e.ParseMessage()
		case "http":
			known = true
			e.Kind, e.Text = recording.Exchange, string(in.Raw())
			e.HTTP = recording.ParseHTTP(e.Text)
		default:
			in.Skip()
		}
	}
	if in.End() != nil || err != nil || !known || at.IsZero() || e.Kind == recording.Exchange && e.HTTP == nil {
		return nil, ErrNeither
	}
	if r.began.IsZero() {
		r.began = at
	}
	e.At = at.Sub(r.began)
	return e, nil
}
