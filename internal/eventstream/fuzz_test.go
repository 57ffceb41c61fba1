package eventstream

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// FuzzReader compares Reader with a reader that follows the standard step by step
// over the whole stream: the events, the id after each of them, the reconnection time,
// and with a limit the place where the stream ends. It splits the stream at random
// places.
func FuzzReader(f *testing.F) {
	for i, v := range vectors {
		if len(v.stream) < 1000 {
			f.Add([]byte(v.stream), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, limit uint8) {
		if bytes.HasPrefix(stream, []byte("\x1f\x8b")) {
			t.Skip("the Reader refuses it")
		}
		seed := uint64(crc32.ChecksumIEEE(stream)) // of the splits
		for _, max := range []int{0, int(limit) + 1} {
			want := interpret(string(stream), max)
			for _, least := range []int{len(stream) + 1, 1, 0} { // whole, in bytes, at random places
				r := NewReader(&pieces{data: stream, size: least, rand: rand.New(rand.NewPCG(seed, uint64(limit)))}, max)
				got, err := readAll(r)
				have := interpretation{events: got, lastID: r.LastID(), retry: r.Retry(), tooLarge: errors.Is(err, jsonrpc.ErrTooLarge)}
				if !have.tooLarge && err != io.EOF || have.String() != want.String() {
					t.Errorf("limit %d, pieces of %d: %v, %v\nwant %v", max, least, have, err, want)
				}
			}
		}
	})
}

// pieces is a stream that comes in pieces of size bytes, or of random sizes if size
// is 0. The last one may come together with the end.
type pieces struct {
	data []byte
	size int
	rand *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	n := p.size
	if n == 0 {
		n = 1 + p.rand.IntN(1<<p.rand.IntN(8))
	}
	n = copy(b[:min(n, len(b))], p.data)
	p.data = p.data[n:]
	if n == 0 || len(p.data) == 0 && p.rand.IntN(2) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// An interpretation is what a stream means.
type interpretation struct {
	events   []string // as in vectors
	lastID   string
	retry    time.Duration
	tooLarge bool
}

func (in interpretation) String() string {
	return fmt.Sprintf("%q, last id %q, retry %v, too large %v", in.events, in.lastID, in.retry, in.tooLarge)
}

// interpret follows section 9.2.6 of the HTML standard, "Interpreting an event
// stream", over a whole stream, sentence by sentence. The rest are limits, which the
// standard does not have; max is that of a line and of an event's data.
func interpret(stream string, max int) (in interpretation) {
	if max == 0 {
		max = 1 << 30
	}
	// "The UTF-8 decode algorithm strips one leading UTF-8 Byte Order Mark (BOM), if any."
	// A limit counts it.
	mark := 0
	if rest, ok := strings.CutPrefix(stream, "\ufeff"); ok {
		stream, mark = rest, 3
	}
	data, eventType, lastEventIDBuffer := "", "", ""
	for {
		// "Lines must be separated by either a U+000D CARRIAGE RETURN U+000A LINE FEED
		// (CRLF) character pair, a single U+000A LINE FEED (LF) character, or a single
		// U+000D CARRIAGE RETURN (CR) character."
		end := strings.IndexAny(stream, "\r\n")
		length := end
		if end < 0 {
			length = len(stream)
		}
		held := len(data) // in front of the line, without the last line feed
		if data != "" {
			held--
		}
		if held+mark+length > max+lineSlack {
			in.tooLarge = true
			return in
		}
		mark = 0
		if end < 0 {
			// "Once the end of the file is reached, any pending data must be discarded."
			return in
		}
		line, rest := stream[:end], stream[end+1:]
		if stream[end] == '\r' {
			rest = strings.TrimPrefix(rest, "\n")
		}
		stream = rest

		if line == "" {
			// "Dispatch the event": set the last event ID to the buffer; with no data, forget
			// the event; remove the final line feed of the data.
			in.lastID = lastEventIDBuffer
			if data != "" {
				if eventType == "" {
					eventType = "message"
				}
				in.events = append(in.events, eventType+"|"+in.lastID+"|"+strings.TrimSuffix(data, "\n"))
			}
			data, eventType = "", ""
			continue
		}
		// "If the line starts with a U+003A COLON character (:): Ignore the line."
		if strings.HasPrefix(line, ":") {
			continue
		}
		// "Collect the characters on the line before the first colon, and let field be that
		// string", and likewise the value; without a colon, the value is empty.
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			eventType = value
		case "data":
			data += value + "\n"
			if len(data)-1 > max {
				in.tooLarge = true
			}
		case "id":
			if !strings.Contains(value, "\x00") {
				lastEventIDBuffer = value
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				in.retry = milliseconds(value)
			}
		}
		if len(eventType) > maxField || len(lastEventIDBuffer) > maxField {
			in.tooLarge = true
		}
		if in.tooLarge {
			return in
		}
	}
}

// milliseconds returns the time of a number in base ten, which the reader clamps.
func milliseconds(digits string) time.Duration {
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > 9 {
		return maxRetry
	}
	n := 0
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return min(max(time.Duration(n)*time.Millisecond, minRetry), maxRetry)
}
