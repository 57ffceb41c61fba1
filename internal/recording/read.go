package recording

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxLine limits a line, in bytes.
const maxLine = 128 << 20

// An Entry is a message of a recording.
type Entry struct {
	Line    int // in the file
	Conn    int // counted from 1
	At      time.Duration
	Sent    bool // by the client
	Message jsonrpc.Message
	Text    string
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
			} else if have != version {
				return fail("the format has version %s, and this program reads version %s: record again or update", have, version)
			}
			continue
		}
		if count, ok := strings.CutPrefix(line, "end "); ok {
			if count != strconv.Itoa(len(entries)) {
				return fail("the recording was edited: %s messages were recorded, and %d are here", count, len(entries))
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
	if e.Conn, _ = strconv.Atoi(parts[0]); e.Conn < 1 || err != nil || at < 0 || parts[2] != ">" && parts[2] != "<" {
		return e, fmt.Sprintf("want connection, time and direction; got %.80q", line)
	}
	*sum = crc32.Update(*sum, crc32.IEEETable, []byte(parts[4]))
	if parts[3] != string(appendSum(nil, *sum)) {
		return e, "the recording was edited: the checksum of this line, or of a line before it, does not match"
	}
	e.At, e.Sent, e.Text = time.Duration(at)*time.Microsecond, parts[2] == ">", parts[4]
	e.Message, _ = jsonrpc.Parse([]byte(e.Text)) // what a client cannot read is not replayed
	return e, ""
}
