package streamhttp

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestReadAll(t *testing.T) {
	const max = 3000
	for _, size := range []int{0, 1, firstChunk - 1, firstChunk, firstChunk + 1, 2 * firstChunk, max, max + 1, 10 * max} {
		text := strings.Repeat("0123456789", size/10+1)[:size]
		for name, body := range map[string]io.Reader{
			"whole":      strings.NewReader(text),
			"bytes":      iotest.OneByteReader(strings.NewReader(text)),
			"with error": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := readAll(&http.Response{Body: io.NopCloser(body), ContentLength: -1}, max)
			switch {
			case size > max:
				if !errors.Is(err, jsonrpc.ErrTooLarge) {
					t.Errorf("%d, %s: %v", size, name, err)
				}
			case err != nil || string(got) != text:
				t.Errorf("%d, %s: %d bytes, %v", size, name, len(got), err)
			}
		}
		cut := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
		if _, err := readAll(&http.Response{Body: io.NopCloser(cut), ContentLength: -1}, 100*max); err != io.ErrUnexpectedEOF {
			t.Errorf("%d, cut off: %v", size, err)
		}
	}
}

// allocated returns how many bytes f allocates: the least of several runs, as
// goroutines of other tests allocate, too.
func allocated(f func()) int {
	least := math.MaxInt
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, int(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}

// A body costs little more memory than its length, whether that is announced or not.
func TestReadAllAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector, the pool forgets buffers")
	}
	for _, size := range []int{100 << 10, 1 << 20, 16 << 20} {
		data := bytes.Repeat([]byte("x"), size)
		for _, max := range []int{64 << 20, size, size - 1} {
			for _, known := range []int64{-1, int64(size)} {
				n := allocated(func() {
					_, _ = readAll(&http.Response{Body: io.NopCloser(bytes.NewReader(data)), ContentLength: known}, max)
				})
				limit := size*6/5 + 4<<10
				if size > 8<<20 && known < 0 {
					limit = 5 * size // no buffer of this length is kept
				}
				if n > limit {
					t.Errorf("%d bytes, limit %d, announced %d: %d allocated", size, max, known, n)
				}
			}
		}
	}
}

// TestAnnouncedLength: the memory for a response follows what has arrived, not its
// Content-Length.
func TestAnnouncedLength(t *testing.T) {
	const announced = 64 << 20
	for _, arrives := range []int{0, 1 << 10, 1 << 20} {
		var err error
		if n := allocated(func() {
			resp := &http.Response{ContentLength: announced, Body: io.NopCloser(bytes.NewReader(make([]byte, arrives)))}
			_, err = readAll(resp, announced)
		}); err == nil || n > 8*arrives+(256<<10) {
			t.Errorf("%d bytes arrived: allocated %d, error %v", arrives, n, err)
		}
	}
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	got, err := readAll(&http.Response{ContentLength: int64(len(data)), Body: io.NopCloser(iotest.OneByteReader(bytes.NewReader(data)))}, announced)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}
