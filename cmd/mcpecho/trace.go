package main

import (
	"os"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tracer writes every message to a file, as a line of JSON each.
type tracer struct {
	hidden secrets
	mu     sync.Mutex
	file   *os.File
	err    error // the first that writing ran into; guarded by mu
}

// newTracer creates the file, for its owner only: masking is no promise. A
// further one in the same run goes on with it.
func newTracer(path string, further bool, hidden secrets) (*tracer, error) {
	mode := os.O_TRUNC
	if further {
		mode = os.O_APPEND
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if err != nil {
		return nil, err
	}
	return &tracer{file: f, hidden: hidden}, nil
}

// message writes a message. It is called by the goroutines that send and
// receive.
func (t *tracer) message(sent bool, data []byte) {
	b := t.hidden.traceLine(time.Now(), sent, data)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.file.Write(b); t.err == nil {
		t.err = err
	}
}

func (t *tracer) close() error {
	err := t.file.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	return err
}

func (h secrets) traceLine(now time.Time, sent bool, data []byte) []byte {
	dir := "recv"
	if sent {
		dir = "send"
	}
	b := wire.AppendString(append([]byte(nil), `{"time":`...), now.Format(time.RFC3339Nano))
	b = wire.AppendString(wire.AppendKey(b, "dir"), dir)
	b = wire.AppendKey(b, "message")
	if masked, err := h.mask(data); err == nil {
		b = append(b, masked...)
	} else {
		b = wire.AppendString(b, h.hide(string(data))) // no JSON
	}
	return append(b, "}\n"...)
}
