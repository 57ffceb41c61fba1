package ui

import (
	"bytes"
	"context"
	"net/http"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// recording replies with the messages of the ring as a recording, in which secrets are
// masked.
func (s *Server) recording(w http.ResponseWriter) {
	b := s.bench
	b.mu.Lock()
	entries := append([]*entry{}, b.ring.entries...) // which do not change
	b.mu.Unlock()
	var file bytes.Buffer
	if err := record(&file, entries, b.config.Secrets); err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(file.Bytes())
}

// record writes a recording of the messages among the entries.
func record(file *bytes.Buffer, entries []*entry, secrets []string) error {
	out := recording.NewWriter(file, secrets...)
	opened := make(map[int]*played) // by connection
	for _, e := range entries {
		if e.Conn == 0 || e.data == nil {
			continue
		}
		conn := opened[e.Conn]
		if conn == nil {
			conn = new(played)
			opened[e.Conn] = conn
			if _, err := out.Wrap(conn).Open(context.Background(), jsonrpc.Handler{}); err != nil {
				return err
			}
		}
		conn.trace(e.Sent, e.data)
	}
	return out.Close()
}

// A played connection is one whose messages are known.
type played struct {
	trace func(sent bool, data []byte)
}

func (p *played) Open(_ context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	p.trace = h.Trace
	return nil, nil
}

func (p *played) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }
