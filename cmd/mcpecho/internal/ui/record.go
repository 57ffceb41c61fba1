package ui

import (
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/recording"
)

// recording replies with the connections of the ring as a recording, in which secrets
// are masked.
func (s *Server) recording(w http.ResponseWriter) {
	b := s.bench
	b.mu.Lock()
	entries := slices.Clone(b.ring.entries) // which do not change
	b.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = record(w, entries, b.config.Hide) // the page has left
}

// record writes a recording of what the entries say about connections: messages, lines
// that are not JSON and how connections ended, each with its time.
func record(file io.Writer, entries []*entry, hide func(string) string) error {
	out := recording.NewWriter(file)
	out.Hide = hide
	numbers := make(map[int]int) // of the connections
	var began time.Time
	for _, e := range entries {
		if e.Conn == 0 || e.data == nil {
			continue
		}
		if began.IsZero() {
			began = e.when
		}
		n, known := numbers[e.Conn]
		if !known {
			n = out.Connection()
			numbers[e.Conn] = n
		}
		out.SetTime(max(0, e.when.Sub(began)))
		if e.Kind == kindTrace {
			out.End(n, string(e.data))
		} else {
			out.Message(n, e.Sent, e.data)
		}
	}
	return out.Close()
}
