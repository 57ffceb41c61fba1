package recording

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Kind is the kind of an entry.
type Kind uint8

// The kinds of entries. Version 1 of the format has messages only.
const (
	Message    Kind = iota
	Text            // a line that is not JSON, or has no end
	Exchange        // the beginning of an HTTP request or response
	Connection      // the end of a connection
	Refusal         // an error of "mcpecho proxy" in place of a response of the server
)

// An Entry is a line of a recording.
type Entry struct {
	Line int // in the file
	Conn int // counted from 1
	At   time.Duration
	Kind Kind
	Sent bool // by the client

	Message jsonrpc.Message // also of a Refusal; the zero value for other kinds, and for a batch
	Invalid error           // why a client cannot read the message, if it is not a batch
	HTTP    *HTTP           // of an Exchange

	// Text is the JSON of a message or of an exchange, and otherwise the line or how the
	// connection ended.
	Text string
}

// ErrTruncated is in the error of a recording without its last line: the program that
// wrote it was killed, or still runs. All entries before it are valid.
var ErrTruncated = errors.New("the recording is truncated")

// Read reads a recording. The error names the line at which it is truncated,
// edited, or of an unknown version of the format; the entries are those before.
func Read(r io.Reader) (entries []Entry, err error) {
	for from := NewReader(r); ; {
		e, err := from.Next()
		switch {
		case err == io.EOF:
			return entries, nil
		case err != nil:
			return entries, err
		}
		entries = append(entries, e)
	}
}

// A Reader reads a recording entry by entry.
type Reader struct {
	lines *LineReader
	n     int // the number of the line
	count int // entries
	sum   uint32
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{lines: NewLineReader(r), n: 1} }

// Next returns the next entry, or io.EOF at the end of the recording. After an error that
// is ErrTruncated it may be called again, if r may have grown.
func (r *Reader) Next() (e Entry, err error) {
	e, err = r.next()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("recording: line %d: %w", r.n, err)
	}
	return e, err
}

// next is Next with an error that does not name the line.
func (r *Reader) next() (e Entry, err error) {
	line, err := r.lines.Next()
	if r.n == 1 {
		begin := string(line)
		if err != nil {
			begin = string(r.lines.Unfinished())
		}
		have, ok := strings.CutPrefix(begin, header)
		switch {
		case err == io.EOF && strings.HasPrefix(header+version, begin):
			return e, fmt.Errorf("%w: it has no entry", ErrTruncated)
		case err != nil && err != io.EOF:
			return e, err
		case !ok || err != nil:
			return e, fmt.Errorf("this is not a recording: it begins with %.40q", begin)
		case have != version && have != oldVersion:
			return e, fmt.Errorf("the format has version %.20q, and this program reads versions "+oldVersion+" and "+version+": record again or update", have)
		}
		r.n++
		line, err = r.lines.Next()
	}
	switch {
	case err == io.EOF:
		return e, fmt.Errorf(`%w: the line "end %d" is missing`, ErrTruncated, r.count)
	case err != nil:
		return e, err
	}
	if count, ok := bytes.CutPrefix(line, []byte("end ")); ok {
		if string(count) != strconv.Itoa(r.count) {
			return e, fmt.Errorf("the recording was edited: %.20s entries were recorded, and %d are here", count, r.count)
		}
		if _, err := r.lines.Next(); err != io.EOF || len(r.lines.Unfinished()) > 0 {
			r.n++
			return e, errors.New("the recording was edited: text after its end")
		}
		return e, io.EOF
	}
	e, problem := parseEntry(string(line), &r.sum)
	if problem != "" {
		return e, errors.New(problem)
	}
	e.Line = r.n
	r.n++
	r.count++
	return e, nil
}

// IsRecording reports whether r begins as a recording of any version does.
func IsRecording(r io.Reader) bool {
	begin := make([]byte, len(header))
	_, err := io.ReadFull(r, begin)
	return err == nil && string(begin) == header
}

func parseEntry(line string, sum *uint32) (e Entry, problem string) {
	parts := strings.SplitN(line, " ", 5)
	if len(parts) < 5 {
		return e, fmt.Sprintf("want connection, time, direction, checksum and message; got %.80q", line)
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if e.Conn, _ = strconv.Atoi(parts[0]); e.Conn < 1 || err != nil || at < 0 || !e.setKind(parts[2]) {
		return e, fmt.Sprintf("want connection, time and kind; got %.80q", line)
	}
	*sum = crc32.Update(*sum, crc32.IEEETable, []byte(parts[4]))
	if parts[3] != string(appendSum(nil, *sum)) {
		return e, "the recording was edited: the checksum of this line, or of a line before it, does not match"
	}
	e.At, e.Text = time.Duration(at)*time.Microsecond, parts[4]
	return e, e.parse()
}

// setKind sets what the kind of a line says, and reports whether there is such a kind.
func (e *Entry) setKind(kind string) bool {
	if kind == kindEnd {
		e.Kind = Connection
		return true
	}
	e.Sent = strings.HasPrefix(kind, ">")
	if !e.Sent && !strings.HasPrefix(kind, "<") {
		return false
	}
	switch kind[1:] {
	case "":
		e.Kind = Message
	case kindText:
		e.Kind = Text
	case kindProxy:
		e.Kind = Refusal
	case kindHTTP:
		e.Kind = Exchange
	default:
		return false
	}
	return true
}

// parse decodes the text of a line.
func (e *Entry) parse() (problem string) {
	switch r := wire.NewReader([]byte(e.Text)); e.Kind {
	case Message, Refusal:
		e.ParseMessage()
	case Text, Connection:
		if e.Text = r.String(); r.End() != nil {
			return "want a text as a JSON string: " + r.Err().Error()
		}
	case Exchange:
		if e.HTTP = ParseHTTP(e.Text); e.HTTP == nil {
			return "want an HTTP request with a method or a response with a status of three digits"
		}
	}
	return ""
}

// ParseMessage sets Message, or Invalid, from the text.
func (e *Entry) ParseMessage() {
	if !strings.HasPrefix(e.Text, "[") {
		e.Message, e.Invalid = jsonrpc.Parse([]byte(e.Text)) // what a client cannot read is not replayed
	}
}

// ParseHTTP returns what Append has written, or nil if the text is something else.
func ParseHTTP(text string) *HTTP {
	h, r := new(HTTP), wire.NewReader([]byte(text))
	if r.Kind() != wire.Object {
		return nil
	}
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "exchange":
			h.Exchange = int(r.Int())
		case "method":
			h.Method = r.String()
		case "status":
			h.Status = int(r.Int())
		case "url":
			h.URL = r.String()
		case "headers":
			h.Headers = make(map[string][]string)
			for r.Object(); r.More(); {
				name := string(r.Key())
				h.Headers[name] = []string{r.String()}
			}
		default:
			r.Skip()
		}
	}
	if r.End() != nil || (h.Method == "") == (h.Status == 0) || h.Status < 0 || h.Status > 999 {
		return nil
	}
	return h
}
