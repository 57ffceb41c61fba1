package ui

import (
	"bytes"
	"net/http"
	"time"
)

const (
	batchSize = 1000                  // entries of one event
	gather    = 25 * time.Millisecond // between events, so that they hold more
	keepAlive = 15 * time.Second
)

// events sends the state and then its changes, as server-sent events, until the page is
// closed. The bench keeps no queue for a page: a stream knows what it has sent, and reads
// the rest from the state.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	b := s.bench
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	b.page(1)
	defer b.page(-1)
	sent := make(map[string]int64)
	var last int64
	var buf bytes.Buffer
	idle := time.NewTimer(keepAlive)
	defer idle.Stop()
	for {
		buf.Reset()
		changed := b.append(&buf, sent, &last)
		if buf.Len() == 0 {
			select {
			case <-r.Context().Done():
				return
			case <-changed:
				continue
			case <-idle.C:
				buf.WriteString(":\n\n")
			}
		}
		_ = out.SetWriteDeadline(time.Now().Add(bodyTime))
		if _, err := w.Write(buf.Bytes()); err != nil || out.Flush() != nil {
			return
		}
		idle.Reset(keepAlive)
		select {
		case <-r.Context().Done():
			return
		case <-time.After(gather):
		}
	}
}

// append appends events for what has changed since the versions in sent and the entry
// last. It returns a channel that is closed at the next change.
func (b *Bench) append(buf *bytes.Buffer, sent map[string]int64, last *int64) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, part := range parts {
		if v, known := sent[part]; !known || v != b.versions[part] {
			sent[part] = b.versions[part]
			event(buf, part, b.partLocked(part))
		}
	}
	entries := b.ring.since(*last, batchSize)
	if len(entries) > 0 || *last > b.ring.last {
		event(buf, "traffic", map[string]any{"entries": append([]any{}, values(entries, (*entry).value)...), "dropped": b.ring.dropped})
		*last = b.ring.last
		if len(entries) > 0 {
			*last = entries[len(entries)-1].Seq
		}
	}
	return b.changed
}

// partLocked returns what the page receives of a part.
func (b *Bench) partLocked(part string) any {
	switch part {
	case partConnection:
		return b.connection.value()
	case partFollowed:
		return b.followed.value()
	case partLists:
		return b.lists.value()
	case partAsks: // the page shows one at a time
		return map[string]any{"asks": append([]any{}, values(b.asks[:min(1, len(b.asks))], (*ask).value)...), "more": max(0, len(b.asks)-1)}
	}
	return append([]any{}, values(b.calls, (*call).value)...)
}

func event(buf *bytes.Buffer, name string, data any) {
	buf.WriteString("event: " + name + "\ndata: ")
	buf.Write(encoded(data))
	buf.WriteString("\n\n")
}
