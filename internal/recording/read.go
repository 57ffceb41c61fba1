package recording

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxLine limits a line, in bytes.
const maxLine = 128 << 20

// A Kind is the kind of an entry.
type Kind uint8

// The kinds of entries. Version 1 of the format has messages only.
const (
	Message    Kind = iota
	Text            // a line that is not JSON
	Exchange        // the beginning of an HTTP request or response
	Connection      // the end of a connection
)

// An Entry is a line of a recording.
type Entry struct {
	Line int // in the file
	Conn int // counted from 1
	At   time.Duration
	Kind Kind
	Sent bool // by the client

	Message jsonrpc.Message // the zero value for other kinds, and for a batch
	HTTP    *HTTP           // of an Exchange

	// Text is the JSON of a message or of an exchange, and otherwise the line or how the
	// connection ended.
	Text string
}

// Read reads a recording. The error names the line at which it is truncated,
// edited, or of an unknown version of the format; the entries are those before.
func Read(r io.Reader) (entries []Entry, err error) {
	lines := bufio.NewReader(r)
	sum, n := uint32(0), 0
	fail := func(format string, args ...any) ([]Entry, error) {
		return entries, fmt.Errorf("recording: line %d: "+format, append([]any{n}, args...)...)
	}
	for {
		n++
		line, err := readLine(lines)
		switch {
		case err == io.EOF:
			return fail("the recording is truncated: the line %q is missing", "end "+strconv.Itoa(len(entries)))
		case err != nil:
			return fail("%w", err)
		case n == 1:
			if have, ok := strings.CutPrefix(line, header); !ok {
				return fail("this is no recording: it begins with %.40q", line)
			} else if have != version && have != oldVersion {
				return fail("the format has version %.20q, and this program reads versions %s and %s: record again or update", have, oldVersion, version)
			}
			continue
		}
		if count, ok := strings.CutPrefix(line, "end "); ok {
			if count != strconv.Itoa(len(entries)) {
				return fail("the recording was edited: %.20s entries were recorded, and %d are here", count, len(entries))
			}
			if _, err := lines.ReadByte(); err != io.EOF {
				n++
				return fail("the recording was edited: text after its end")
			}
			return entries, nil
		}
		e, problem := parseEntry(line, &sum)
		if problem != "" {
			return fail("%s", problem)
		}
		e.Line = n
		entries = append(entries, e)
	}
}

// IsRecording reports whether r begins as a recording of any version does.
func IsRecording(r io.Reader) bool {
	begin := make([]byte, len(header))
	_, err := io.ReadFull(r, begin)
	return err == nil && string(begin) == header
}

func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		b.Write(part)
		if b.Len() > maxLine {
			return "", jsonrpc.ErrTooLarge
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return "", err // of a line without an end, too
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	}
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
	case Message:
		e.Message, _ = jsonrpc.Parse([]byte(e.Text)) // what a client cannot read is not replayed
	case Text, Connection:
		if e.Text = r.String(); r.End() != nil {
			return "want a text as a JSON string: " + r.Err().Error()
		}
	case Exchange:
		e.HTTP = new(HTTP)
		for r.Object(); r.More(); {
			switch string(r.Key()) {
			case "exchange":
				e.HTTP.Exchange = int(r.Int())
			case "method":
				e.HTTP.Method = r.String()
			case "status":
				e.HTTP.Status = int(r.Int())
			case "headers":
				e.HTTP.Headers = make(map[string][]string)
				for r.Object(); r.More(); {
					name := string(r.Key())
					e.HTTP.Headers[name] = []string{r.String()}
				}
			default:
				r.Skip()
			}
		}
		if r.End() == nil && (e.HTTP.Method == "") == (e.HTTP.Status == 0) {
			return "want an HTTP request with a method or a response with a status"
		}
		if r.Err() != nil {
			return "want an HTTP request or response: " + r.Err().Error()
		}
	}
	return ""
}
