package stdio

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// readAll returns the messages in r and what ended them, or nil for io.EOF.
func readAll(r io.Reader, max int, dropped func(error, []byte)) (msgs []string, err error) {
	l := newLines(r, max, jsonrpc.Handler{Dropped: dropped})
	for {
		msg, err := l.Read()
		if err == io.EOF {
			return msgs, nil
		} else if err != nil {
			return msgs, err
		}
		msgs = append(msgs, string(msg))
	}
}

func TestLines(t *testing.T) {
	for name, tt := range map[string]struct {
		in      string
		want    []string
		dropped []string
	}{
		"plain":            {in: "{1}\n[2]\n", want: []string{"{1}", "[2]"}},
		"CRLF":             {in: "{1}\r\n{2}\r\n", want: []string{"{1}", "{2}"}},
		"byte-order marks": {in: "\ufeff{1}\n\ufeff{2}\n", want: []string{"{1}", "{2}"}},
		"blanks":           {in: "\n\r\n  \n\t{1} \n\n", want: []string{"{1} "}},
		"noise":            {in: "Server ready.\n{1}\n\"x\"\n", want: []string{"{1}"}, dropped: []string{"Server ready.", `"x"`}},
		"UTF-8":            {in: "{ä€😀}\n", want: []string{"{ä€😀}"}},
		"broken JSON":      {in: "{\n", want: []string{"{"}},
		"cut off":          {in: "{1}\n{2}", want: []string{"{1}"}, dropped: []string{"{2}"}},
		"nothing":          {},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{
				strings.NewReader(tt.in),
				iotest.OneByteReader(strings.NewReader(tt.in)),
				iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				var dropped []string
				got, err := readAll(r, 0, func(_ error, line []byte) { dropped = append(dropped, string(line)) })
				if err != nil || !slices.Equal(got, tt.want) || !slices.Equal(dropped, tt.dropped) {
					t.Errorf("%T: messages %q, dropped %q, error %v", r, got, dropped, err)
				}
			}
		})
	}
}

func TestMessageIsACopy(t *testing.T) {
	l := newLines(strings.NewReader("{first}\n{second}\n"), 0, jsonrpc.Handler{})
	first, _ := l.Read()
	if _, err := l.Read(); err != nil || string(first) != "{first}" || cap(first) != len(first) {
		t.Errorf("%q with room for %d after the next one, error %v", first, cap(first), err)
	}
}

func TestLongestLine(t *testing.T) {
	for _, max := range []int{2, 100, smallBuffer - 1, smallBuffer, buffers.Min, 3 * buffers.Min} {
		fits := "{" + strings.Repeat("x", max-1)
		for _, in := range []string{fits + "\n", "\ufeff" + fits + "\r\n", strings.Repeat(" ", 9999) + fits + "\n"} {
			for range 2 {
				in += in
			}
			if msgs, err := readAll(strings.NewReader(in), max, nil); len(msgs) != 4 || err != nil {
				t.Errorf("limit %d: %d of 4 messages, error %v", max, len(msgs), err)
			}
		}
		for _, in := range []string{fits + "x\n", fits + "x", fits + " \r\n"} {
			if msgs, err := readAll(strings.NewReader("{}\n"+in), max, nil); len(msgs) != 1 || !errors.Is(err, jsonrpc.ErrTooLarge) {
				t.Errorf("limit %d exceeded: %d messages, error %v", max, len(msgs), err)
			}
		}
	}
}

// spaces is a line that never ends.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestEndlessLineTakesBoundedMemory(t *testing.T) {
	const max = 16 << 20
	for in, want := range map[string]error{"{": jsonrpc.ErrTooLarge, "x": ErrNotJSON} {
		runtime.GC() // empties the pool, in two rounds
		runtime.GC()
		before := allocated()
		_, err := readAll(io.MultiReader(strings.NewReader(in), spaces{}), max, nil)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", in, err)
		}
		if used := allocated() - before; used > max*5/2 {
			t.Errorf("%s: %d bytes were allocated for a limit of %d", in, used, max)
		}
	}
	blanks := io.LimitReader(spaces{}, 4*max)
	if _, err := readAll(blanks, max, nil); err != nil {
		t.Error("endless blanks:", err)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestLongLinesCostOneCopy(t *testing.T) {
	const n = 50
	line := "{" + strings.Repeat("x", 1<<20) + "\n"
	l := newLines(strings.NewReader(strings.Repeat(line, n+5)), 0, jsonrpc.Handler{})
	var before uint64
	for i := range n + 5 {
		if i == 5 { // the buffer is there by now
			before = allocated()
		}
		if _, err := l.Read(); err != nil {
			t.Fatal(err)
		}
	}
	// Much less is taken without the race detector, which makes pools forget.
	if per := (allocated() - before) / n; per > 2*uint64(len(line)) {
		t.Errorf("%d bytes per line of %d", per, len(line))
	}
}

// TestLongLinesAreNotDescribed: the beginning of a line that has not ended is made a text
// only after a timeout, and not of each long message.
func TestLongLinesAreNotDescribed(t *testing.T) {
	l := newLines(&repeat{line: []byte("{\u0001" + strings.Repeat("x", 100<<10) + "\n")}, 0, jsonrpc.Handler{})
	read := func() {
		if _, err := l.Read(); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if n := testing.AllocsPerRun(50, read); n > 8 { // the message, and what a pool forgets
		t.Errorf("%v allocations", n)
	}
}

func TestBufferIsNotGrownAgainAfterACollection(t *testing.T) {
	line := "{" + strings.Repeat("x", 1<<20) + "\n"
	l := newLines(&repeat{line: []byte(line)}, 0, jsonrpc.Handler{})
	for i := range 4 {
		runtime.GC() // empties the pool, in two rounds
		runtime.GC()
		before := allocated()
		if _, err := l.Read(); err != nil {
			t.Fatal(err)
		}
		if used := allocated() - before; i > 0 && used > uint64(len(line))*5/2 {
			t.Errorf("%d bytes were allocated for a line of %d", used, len(line))
		}
	}
}

func TestIdleBufferIsSmall(t *testing.T) {
	l := newLines(iotest.HalfReader(strings.NewReader("{"+strings.Repeat("x", 5<<20)+"}\n{}\n")), 0, jsonrpc.Handler{})
	for range 2 {
		if _, err := l.Read(); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.buf) != smallBuffer {
		t.Errorf("the buffer has %d bytes after the long line", len(l.buf))
	}
}

func TestNonJSONIsLimited(t *testing.T) {
	short := strings.Repeat("x\n", maxNonJSONLines)
	long := strings.Repeat(strings.Repeat("x", 1<<16)+"\n", maxNonJSON>>16)
	for _, nonJSON := range []string{short, long} {
		for _, r := range []func(string) io.Reader{
			func(s string) io.Reader { return strings.NewReader(s) },
			func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
		} {
			dropped := 0
			in := nonJSON + "{1}\n" + nonJSON + "{2}\n" + nonJSON + "x\n{3}\n"
			msgs, err := readAll(r(in), 0, func(error, []byte) { dropped++ })
			if !slices.Equal(msgs, []string{"{1}", "{2}"}) || !errors.Is(err, ErrNotJSON) || dropped != 3*strings.Count(nonJSON, "\n") {
				t.Errorf("%d messages, %d dropped, error %v", len(msgs), dropped, err)
			}
		}
	}
}

func TestReaderThatReturnsNothing(t *testing.T) {
	nothing := iotest.ErrReader(nil)
	if _, err := readAll(nothing, 0, nil); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// FuzzLines checks that a stream has the same messages in it, and the same end,
// however it is cut into pieces.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		"{}\n", "\ufeff{\"a\":1}\r\n\r\n[]\nnoise\n{", " \xef\xbb\n{}\xff\n", "{1234567890}\n{123456789012345678}\n",
		"\r\r\n \ufeff \ufeff{}\r\r\n", strings.Repeat("{x}\n", 2000),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const max = 16
		want, wantErr := readAll(bytes.NewReader(in), max, nil)
		check := func(r io.Reader) {
			got, err := readAll(r, max, nil)
			if !slices.Equal(got, want) || errors.Is(err, jsonrpc.ErrTooLarge) != errors.Is(wantErr, jsonrpc.ErrTooLarge) {
				t.Errorf("%q, %v; in one piece %q, %v", got, err, want, wantErr)
			}
		}
		check(iotest.OneByteReader(bytes.NewReader(in)))
		check(iotest.HalfReader(bytes.NewReader(in)))
		for i := range min(len(in), 64) {
			check(io.MultiReader(bytes.NewReader(in[:i]), bytes.NewReader(in[i:])))
		}
	})
}

func BenchmarkLines(b *testing.B) {
	for name, size := range map[string]int{"100B": 100, "1MB": 1 << 20} {
		line := []byte("{" + strings.Repeat("x", size-2) + "\n")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			l := newLines(&repeat{line: line}, 0, jsonrpc.Handler{})
			for b.Loop() {
				if _, err := l.Read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// repeat returns a line again and again, at most 64 KiB at a time.
type repeat struct {
	line []byte
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), 64<<10)], r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}
