package recording

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestLineReader reads lines of a file that grows, shorter and longer than any buffer.
func TestLineReader(t *testing.T) {
	var file bytes.Buffer
	r := NewLineReader(&file)
	want := func(line string, unfinished string) {
		t.Helper()
		got, err := r.Next()
		if wantErr := unfinished != ""; string(got) != line || (err == io.EOF) != wantErr || err != nil && err != io.EOF || wantErr && string(r.Unfinished()) != unfinished {
			t.Fatalf("got %.20q (%d bytes), %v, and %.20q is unfinished", got, len(got), err, r.Unfinished())
		}
	}
	long := strings.Repeat("x", 100_000)
	file.WriteString("a\n\n" + long + "\nb\n" + long)
	want("a", "")
	want("", "")
	want(long, "")
	want("b", "")
	want("", long)
	file.WriteString("y")
	want("", long+"y")
	file.WriteString("z\nc")
	want(long+"yz", "")
	want("", "c")
	file.WriteString("\n")
	want("c", "")
	if _, err := r.Next(); err != io.EOF || len(r.Unfinished()) != 0 {
		t.Error(err)
	}
}
