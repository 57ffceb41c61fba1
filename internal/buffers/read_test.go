package buffers

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadUpTo: the result is that of io.ReadAll with a limit, however the reader
// divides the text.
func TestReadUpTo(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	for _, max := range []int{0, 1, 4095, 4096, 4097, len(text) - 1, len(text), len(text) + 1, 1 << 20} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
			"error with data": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := ReadUpTo(r, max)
			if want := text[:min(max, len(text))]; err != nil || string(got) != want {
				t.Errorf("%s, %d: %d bytes, %v", name, max, len(got), err)
			}
		}
	}
	broken := errors.New("broken")
	got, err := ReadUpTo(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), 10)
	if string(got) != "abc" || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
}
