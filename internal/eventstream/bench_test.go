package eventstream

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The floor of every benchmark is to copy the stream through a buffer.

func BenchmarkReader(b *testing.B) {
	for _, c := range []struct {
		name, event string
		repeat      int
	}{
		{"small", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}\n\n", 100},
		{"64KB", "event: message\ndata: " + strings.Repeat("x", 64<<10) + "\n\n", 10},
		{"1MB", "event: message\ndata: " + strings.Repeat("x", 1<<20) + "\n\n", 1},
		{"lines", strings.Repeat("data: 0123456789012345678901234567890123456789\n", 1000) + "\n", 1},
		{"comments", strings.Repeat(": keep-alive\n\n", 1000), 1},
		{"CR", strings.Repeat("data: 0123456789\r\r", 100), 1},
	} {
		stream := strings.Repeat(c.event, c.repeat)
		b.Run(fmt.Sprintf("%s/copy", c.name), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			src, buf := strings.NewReader(stream), make([]byte, 4<<10)
			for b.Loop() {
				src.Reset(stream)
				_, _ = io.CopyBuffer(onlyWriter{io.Discard}, onlyReader{src}, buf)
			}
		})
		b.Run(fmt.Sprintf("%s/events", c.name), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			src := strings.NewReader(stream)
			r := NewReader(onlyReader{src}, 0)
			for b.Loop() {
				src.Reset(stream)
				r.err, r.readErr = nil, nil
				for {
					if _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}

func BenchmarkNewReader(b *testing.B) {
	stream := []byte("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewReader(bytes.NewReader(stream), 0).Next(); err != nil {
			b.Fatal(err)
		}
	}
}

type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)
