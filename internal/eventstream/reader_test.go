package eventstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// vectors are what the web platform tests check of the format of event
// streams, and a few cases of our own. An event is written as "type|id|data".
var vectors = []struct {
	name, stream string
	events       []string
	retry        time.Duration
}{
	{name: "a byte-order mark counts in front of the stream only", stream: "\ufeffdata:1\n\n\ufeffdata:2\n\ndata:3\n\n", events: []string{"message||1", "message||3"}},
	{name: "of two byte-order marks the second is text", stream: "\ufeff\ufeffdata:1\n\ndata:2\n\ndata:3\n\n", events: []string{"message||2", "message||3"}},
	{name: "comments", stream: "data:1\r:\x00\n:\r\ndata:2\n:" + strings.Repeat("x", 2048) + "\rdata:3\n:data:fail\r:" + strings.Repeat("x", 2048) + "\ndata:4\n\n", events: []string{"message||1\n2\n3\n4"}},
	{name: "an event without its empty line is dropped", stream: "retry:1000\ndata:test1\n\nid:test\ndata:test2", events: []string{"message||test1"}, retry: time.Second},
	{name: "data that is empty, or without a colon", stream: "data:\n\ndata\ndata\n\ndata:test\n\n", events: []string{"message||", "message||\n", "message||test"}},
	{name: "an empty event name", stream: "event: \ndata:data\n\n", events: []string{"message||data"}},
	{name: "an event name counts for one event", stream: "event:test\ndata:x\n\ndata:x\n\n", events: []string{"test||x", "message||x"}},
	{name: "an id that stays", stream: "id: 1\ndata: a\n\ndata: b\n\n", events: []string{"message|1|a", "message|1|b"}},
	{name: "an id that changes and stays", stream: "id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\n", events: []string{"message|1|a", "message|2|b", "message|2|c"}},
	{name: "an id that is reset and stays so", stream: "id: 1\ndata: a\n\nid:\ndata: b\n\ndata: c\n\n", events: []string{"message|1|a", "message||b", "message||c"}},
	{name: "an id of other than ASCII", stream: "id: …\ndata: hello\n\ndata: …\n\ndata: …\n\n", events: []string{"message|…|hello", "message|…|…", "message|…|…"}},
	{name: "an empty id resets it", stream: "id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\ndata: c\n\nid:\ndata: d\n\n", events: []string{"message|1|a", "message||b", "message|2|c", "message||d"}},
	{name: "ids with NUL are ignored", stream: "id: \x00\x00\ndata: a\n\nid: x\x00\ndata: b\n\nid: \x00x\ndata: c\n\nid: x\x00x\ndata: d\n\nid:  \x00\ndata: e\n\n", events: []string{"message||a", "message||b", "message||c", "message||d", "message||e"}},
	{name: "names are exact", stream: "data:\x00\ndata:  2\rData:1\ndata\x00:2\ndata:1\r\x00data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n", events: []string{"message||\x00\n 2\n1\n3\n\n4"}},
	{name: "retry", stream: "retry:3000\ndata:x\n\n", events: []string{"message||x"}, retry: 3 * time.Second},
	{name: "retry of other than digits is ignored", stream: "retry:3000\nretry:1000x\ndata:x\n\nretry:-1\nretry:+1\nretry: 1\u0661\nretry:1.5\n\n", events: []string{"message||x"}, retry: 3 * time.Second},
	{name: "an empty retry is ignored", stream: "retry:1000\nretry\nretry:\ndata:test\n\n", events: []string{"message||test"}, retry: time.Second},
	{name: "a short retry", stream: "retry:0\n", retry: minRetry},
	{name: "a long retry", stream: "retry:1" + strings.Repeat("0", 30) + "\n", retry: maxRetry},
	{name: "unknown fields", stream: "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n", events: []string{"message||test\n"}},
	{name: "fields that say nothing make no event", stream: "data: a\ndata:b\n\n:\nnofield: c\n\nnofield: d\nData: e\n\ndata\n\ndata: f\n\n", events: []string{"message||a\nb", "message||", "message||f"}},
	{name: "one leading space is removed", stream: "data:\ttest\rdata: \ndata:test\n\n", events: []string{"message||\ttest\n\ntest"}},
	{name: "every line end", stream: "data:test\r\ndata\ndata:test\r\n\r", events: []string{"message||test\n\ntest"}},
	{name: "carriage returns only", stream: "data:1\r\rdata:2\r\r", events: []string{"message||1", "message||2"}},
	{name: "CR, CRLF is two line ends", stream: "data:1\r\r\ndata:2\r\n\n", events: []string{"message||1", "message||2"}},
	{name: "NUL in data", stream: "data:\x00\n\n\n\n", events: []string{"message||\x00"}},
	{name: "UTF-8", stream: "data:ok…\n\n", events: []string{"message||ok…"}},
	{name: "invalid UTF-8 is left to others", stream: "data:\xff\xc3\n\n", events: []string{"message||\xff\xc3"}},
	{name: "the id of an event without data", stream: "id: 7\n\ndata: a\n\n", events: []string{"message|7|a"}},
	{name: "the id of an event that is cut off", stream: "id: 7\ndata: a\n\nid: 8\ndata: b\n", events: []string{"message|7|a"}},
	{name: "a name without data is forgotten", stream: "event: x\n\ndata: a\n\n", events: []string{"message||a"}},
	{name: "the last name counts", stream: "event: x\nevent: y\nevent\ndata: a\n\n", events: []string{"message||a"}},
	{name: "a colon in data", stream: "data: {\"a\":1}\n\n", events: []string{`message||{"a":1}`}},
	{name: "nothing", stream: ""},
	{name: "blank lines", stream: "\n\r\n\r\r\n"},
	{name: "a byte-order mark and a blank line", stream: "\ufeff\ndata:1\n\n", events: []string{"message||1"}},
	{name: "many lines", stream: strings.Repeat("data: 0123456789\n", 20000) + "\n", events: []string{"message||" + strings.Repeat("0123456789\n", 19999) + "0123456789"}},
	{name: "empty data lines around comments", stream: strings.Repeat("data\n:"+strings.Repeat("c", 300)+"\n", 1000) + "\n", events: []string{"message||" + strings.Repeat("\n", 999)}},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			if in := interpret(v.stream, 0); fmt.Sprintf("%q", in.events) != fmt.Sprintf("%q", v.events) || in.retry != v.retry {
				t.Errorf("the standard says %.300q, %v", in.events, in.retry)
			}
			for split, r := range map[string]io.Reader{
				"whole":      strings.NewReader(v.stream),
				"bytes":      iotest.OneByteReader(strings.NewReader(v.stream)),
				"halves":     iotest.HalfReader(strings.NewReader(v.stream)),
				"with error": iotest.DataErrReader(strings.NewReader(v.stream)),
			} {
				got := NewReader(r, 0)
				events, err := readAll(got)
				if err != io.EOF || fmt.Sprintf("%q", events) != fmt.Sprintf("%q", v.events) {
					t.Errorf("%s: got %.300q, %v, want %.300q", split, events, err, v.events)
				}
				if got.Retry() != v.retry {
					t.Errorf("%s: retry is %v, want %v", split, got.Retry(), v.retry)
				}
			}
		})
	}
}

// readAll returns all events as they are written in vectors.
func readAll(r *Reader) (events []string, err error) {
	for {
		ev, err := r.Next()
		if err != nil {
			return events, err
		}
		if cap(ev.Data) > 2*len(ev.Data)+16 {
			panic("memory of other events")
		}
		events = append(events, ev.Type+"|"+r.LastID()+"|"+string(ev.Data))
	}
}

func TestEventBeforeTheRestOfItsLineEnd(t *testing.T) {
	for _, stream := range []string{"data: a\r\r", "data: a\r\n\r", "data: a\n\n", "data: a\r\n\r\n"} {
		pr, pw := io.Pipe()
		defer pw.Close()
		go pw.Write([]byte(stream)) // ends when all was read; the stream stays open
		ev, err := NewReader(pr, 0).Next()
		if err != nil || string(ev.Data) != "a" {
			t.Errorf("%q: %q, %v", stream, ev.Data, err)
		}
	}
}

func TestLastIDWithoutEvent(t *testing.T) {
	r := NewReader(strings.NewReader("id: a\n\nid: b\n"), 0)
	if _, err := r.Next(); err != io.EOF || r.LastID() != "a" {
		t.Errorf("id %q, error %v", r.LastID(), err)
	}
}

func TestTooLarge(t *testing.T) {
	long := strings.Repeat("x", 101)
	for name, stream := range map[string]string{
		"one line":     "data: " + long + "\n\n",
		"no end":       "data: " + strings.Repeat("x", 1<<20),
		"comment":      ":" + strings.Repeat("x", 117) + "\n\n",
		"many lines":   strings.Repeat("data:\n", 102) + "\n",
		"line in data": "data:" + long[:60] + "\n:" + long[:60] + "\n\n",
		"no line end":  strings.Repeat("x", 1<<20),
	} {
		for _, split := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			r := NewReader(split(strings.NewReader("data: first\n\n"+stream)), 100)
			events, err := readAll(r)
			if !errors.Is(err, jsonrpc.ErrTooLarge) || len(events) != 1 {
				t.Errorf("%s: %q, %v", name, events, err)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("%s: then %v", name, again)
			}
		}
	}
	for _, stream := range []string{"data: " + long[:100] + "\n\n", strings.Repeat("data:\n", 101) + "\n"} {
		if events, err := readAll(NewReader(strings.NewReader(stream), 100)); err != io.EOF || len(events) != 1 {
			t.Errorf("%q, %v", events, err)
		}
	}
	for _, field := range []string{"id: ", "event: "} {
		_, err := readAll(NewReader(strings.NewReader(field+strings.Repeat("x", maxField+1)+"\n"), 0))
		if !errors.Is(err, jsonrpc.ErrTooLarge) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// endless is a stream that repeats line and counts the bytes.
type endless struct {
	line string
	at   int
	n    int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	e.n += int64(n)
	return n, nil
}

func TestMemoryIsBounded(t *testing.T) {
	const limit = 1 << 20
	for name, line := range map[string]string{
		"no line end": strings.Repeat("x", 32<<10),
		"data lines":  "data: " + strings.Repeat("x", 1000) + "\n",
		"empty data":  "data\n",
	} {
		r := NewReader(&endless{line: line}, limit)
		if _, err := r.Next(); !errors.Is(err, jsonrpc.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if len(r.buf) > limit+lineSlack+maxRead {
			t.Errorf("%s: a buffer of %d bytes", name, len(r.buf))
		}
	}
}

func TestIdleReaderIsSmall(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	go pw.Write(append(bytes.Repeat([]byte("data: "+strings.Repeat("x", 100)+"\n"), 10000), '\n')) // ends when all was read
	r := NewReader(pr, 0)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if len(r.buf) != smallBuffer {
		t.Errorf("holds %d bytes", len(r.buf))
	}
}

func TestReaderThatMakesNoProgress(t *testing.T) {
	if _, err := NewReader(stuck{}, 0).Next(); err != io.ErrNoProgress {
		t.Error(err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLinesAllocateNothing(t *testing.T) {
	stream := strings.Repeat(": ping\nid: 1\nretry: 10\nevent: x\nfoo: bar\n\n", 100) + strings.Repeat("data: 0123456789\n", 100) + "\n"
	src := strings.NewReader(stream)
	r := NewReader(src, 0)
	allocs := testing.AllocsPerRun(100, func() {
		src.Reset(stream)
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 2 { // the data; a buffer, when the race detector loses one
		t.Errorf("%v allocations", allocs)
	}
}
