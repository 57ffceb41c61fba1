package eventstream

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzReader checks that it does not matter how a stream is cut into pieces,
// and that a reader which takes the standard at its word sees the same events.
func FuzzReader(f *testing.F) {
	for i, v := range vectors {
		if len(v.stream) < 1000 {
			f.Add([]byte(v.stream), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		want, retry := naive(string(stream))
		for _, n := range []int{len(stream) + 1, int(size)%16 + 1} {
			r := NewReader(&pieces{stream, n}, 0)
			got, err := readAll(r)
			if err != io.EOF || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) || r.Retry() != retry {
				t.Errorf("pieces of %d: %q, retry %v, %v\nwant %q, retry %v", n, got, r.Retry(), err, want, retry)
			}
		}
		// A limit strikes at the same event, too.
		whole, err1 := readAll(NewReader(bytes.NewReader(stream), int(size)+1))
		cut, err2 := readAll(NewReader(&pieces{stream, 3}, int(size)+1))
		if fmt.Sprint(err1) != fmt.Sprint(err2) || fmt.Sprintf("%q", whole) != fmt.Sprintf("%q", cut) {
			t.Errorf("with a limit: %q, %v\nin pieces: %q, %v", whole, err1, cut, err2)
		}
	})
}

// pieces is a stream that comes in pieces of n bytes.
type pieces struct {
	data []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(p.n, len(b))], p.data)
	p.data = p.data[n:]
	return n, nil
}

var (
	lineEnd = regexp.MustCompile("\r\n|\n|\r")
	digits  = regexp.MustCompile("^[0-9]+$")
)

// naive parses a whole stream, step by step as the standard says.
func naive(stream string) (events []string, retry time.Duration) {
	lines := lineEnd.Split(strings.TrimPrefix(stream, "\ufeff"), -1)
	var data, typ, id, last string
	for _, line := range lines[:len(lines)-1] { // the last one has no end
		if line == "" {
			last = id
			if data != "" {
				if typ == "" {
					typ = "message"
				}
				events = append(events, typ+"|"+last+"|"+strings.TrimSuffix(data, "\n"))
			}
			data, typ = "", ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "data":
			data += value + "\n"
		case field == "event":
			typ = value
		case field == "id" && !strings.Contains(value, "\x00"):
			id = value
		case field == "retry" && digits.MatchString(value):
			n, err := strconv.Atoi(value)
			if err != nil || n > 1e9 { // out of range
				n = 1e9
			}
			retry = min(max(time.Duration(n)*time.Millisecond, minRetry), maxRetry)
		}
	}
	return events, retry
}
