package testserver

import (
	"compress/gzip"
	"io"
	"strings"
)

// A wrapper changes how a byte stream or an event stream is written: it returns a
// writer that writes to w. pause waits for Delay and reports whether the client is
// still there.
type wrapper func(w io.Writer, pause func() bool) io.Writer

// A partWriter writes each message or event in parts.
type partWriter struct {
	w     io.Writer
	parts func(text string) []string
	pause func() bool // runs before each part, unless nil
}

func (p partWriter) Write(b []byte) (int, error) {
	for _, part := range p.parts(string(b)) {
		if p.pause != nil && !p.pause() {
			return 0, io.ErrClosedPipe
		}
		if _, err := io.WriteString(p.w, part); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func inParts(parts func(text string) []string) wrapper {
	return func(w io.Writer, _ func() bool) io.Writer { return partWriter{w, parts, nil} }
}

func singleBytes(text string) []string { return splitAfter(func(byte) bool { return true })(text) }

// splitAfter ends a part after each of the bytes selected.
func splitAfter(selects func(byte) bool) func(text string) []string {
	return func(text string) (parts []string) {
		begin := 0
		for i := range len(text) {
			if selects(text[i]) || i == len(text)-1 {
				parts = append(parts, text[begin:i+1])
				begin = i + 1
			}
		}
		return parts
	}
}

// lineBreaks replaces the line breaks of text, which ends with one, by others, in turn.
func lineBreaks(breaks ...string) func(text string) []string {
	return func(text string) []string {
		var b strings.Builder
		n := 0
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimSuffix(line, "\n") + breaks[n%len(breaks)])
			n++
		}
		return []string{b.String()}
	}
}

func trickles(w io.Writer, pause func() bool) io.Writer { return partWriter{w, singleBytes, pause} }

// startsWith writes text first. If that fails, the next write fails as well.
func startsWith(text string) wrapper {
	return func(w io.Writer, _ func() bool) io.Writer {
		_, _ = io.WriteString(w, text)
		return w
	}
}

// A gzipWriter writes compressed, each message or event at once.
type gzipWriter struct{ *gzip.Writer }

func compressed(w io.Writer, _ func() bool) io.Writer { return gzipWriter{gzip.NewWriter(w)} }

func (z gzipWriter) Write(b []byte) (int, error) {
	n, err := z.Writer.Write(b)
	if err == nil {
		err = z.Flush()
	}
	return n, err
}
