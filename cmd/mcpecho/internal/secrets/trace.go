package secrets

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/outfile"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Tracer writes each message to a file as a line of JSON.
type Tracer struct {
	hidden Set
	mu     lock.Mutex
	file   io.Writer
	closer io.Closer // nil for standard error
	err    error     // the first write error; guarded by mu
}

// NewTracer creates the file, readable by its owner only because masking may miss
// a secret. If further is set, it appends to the file.
// The path "-" means stderr.
func NewTracer(ctx context.Context, path string, further bool, hidden Set, stderr io.Writer) (*Tracer, error) {
	if path == "-" {
		return &Tracer{file: stderr, hidden: hidden}, nil
	}
	f, created, err := outfile.Open(ctx, path, os.O_APPEND)
	if err == nil && !created && !further {
		err = f.Truncate(0)
		if info, e := f.Stat(); e == nil && !info.Mode().IsRegular() {
			err = nil // a pipe or a device, which has nothing to lose
		}
		if err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return &Tracer{file: f, closer: f, hidden: hidden}, nil
}

// Message writes a message of a connection. Several goroutines may call it.
func (t *Tracer) Message(conn int, sent bool, data []byte) {
	t.Entry(conn, recording.Message, sent, data)
}

// Entry writes what passes a proxy: a message, a text or a refusal.
func (t *Tracer) Entry(conn int, kind recording.Kind, sent bool, data []byte) {
	if sent {
		t.hidden.Sent.Learn(data)
	}
	dir := direction(sent)
	if kind == recording.Refusal {
		dir = "proxy"
	}
	b := wire.AppendKey(traceDirection(conn, dir), "message")
	if masked, err := t.hidden.Mask(data); err == nil && kind != recording.Text {
		b = append(b, masked...)
	} else {
		b = wire.AppendString(b, t.hidden.Hide(string(data))) // not JSON
	}
	t.write(b)
}

// HTTP writes the beginning of an HTTP request or response: of a proxy, only if it is not as
// the protocol requires.
func (t *Tracer) HTTP(conn int, h *recording.HTTP) {
	if h.Further || h.IsUnusual() {
		masked, _ := t.hidden.Mask(h.Append(nil))
		t.write(append(wire.AppendKey(traceDirection(conn, direction(h.Status == 0)), "http"), masked...))
	}
}

// End writes how a connection has ended.
func (t *Tracer) End(conn int, how string) { t.text(conn, "end", how) }

// Note writes what the user is told.
func (t *Tracer) Note(line string) { t.text(0, "note", line) }

func (t *Tracer) text(conn int, key, text string) {
	t.write(wire.AppendString(wire.AppendKey(traceStart(conn), key), t.hidden.Hide(text)))
}

// write writes a line, to which it adds the end.
func (t *Tracer) write(b []byte) {
	b = append(b, "}\n"...)
	if t.closer == nil {
		b = []byte(terminal.Escape(string(b)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.file.Write(b); t.err == nil {
		t.err = err
	}
}

func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	var err error
	if t.closer != nil {
		err = t.closer.Close()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	return err
}

// traceStart returns the beginning of a line, which belongs to a connection unless that is 0.
func traceStart(conn int) []byte {
	b := wire.AppendString(wire.AppendKey([]byte("{"), "time"), time.Now().Format(time.RFC3339Nano))
	if conn > 0 {
		b = wire.AppendInt(wire.AppendKey(b, "connection"), int64(conn))
	}
	return b
}

// direction says whether the client has sent or received something.
func direction(sent bool) string {
	if sent {
		return "send"
	}
	return "recv"
}

// traceDirection returns the beginning of a line for what has passed.
func traceDirection(conn int, dir string) []byte {
	return wire.AppendString(wire.AppendKey(traceStart(conn), "dir"), dir)
}
