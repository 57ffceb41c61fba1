package main

import (
	"os"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tracer writes every message to a file, as a line of JSON each.
type tracer struct {
	mu   sync.Mutex
	file *os.File
	err  error // the first that writing ran into; guarded by mu
}

// newTracer creates the file, for its owner only: masking is no promise. A
// further one in the same run goes on with it.
func newTracer(path string, further bool) (*tracer, error) {
	mode := os.O_TRUNC
	if further {
		mode = os.O_APPEND
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if err != nil {
		return nil, err
	}
	return &tracer{file: f}, nil
}

// message writes a message. It is called by the goroutines that send and
// receive.
func (t *tracer) message(sent bool, data []byte) {
	b := traceLine(time.Now(), sent, data)
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

func traceLine(now time.Time, sent bool, data []byte) []byte {
	dir := "recv"
	if sent {
		dir = "send"
	}
	b := wire.AppendString(append([]byte(nil), `{"time":`...), now.Format(time.RFC3339Nano))
	b = wire.AppendString(wire.AppendKey(b, "dir"), dir)
	b = wire.AppendKey(b, "message")
	if masked, err := mask(data); err == nil {
		b = append(b, masked...)
	} else {
		b = wire.AppendString(b, string(data)) // no JSON
	}
	return append(b, "}\n"...)
}

// masked stands for a secret.
const masked = `"***"`

// mask returns a JSON text on one line, without values that look like secrets.
func mask(data []byte) ([]byte, error) {
	r := wire.NewReader(data)
	b := appendMasked(nil, &r, false)
	return b, r.End()
}

// appendMasked appends the next value of r. schema says that its keys are the
// names of properties in a JSON Schema, with objects that are no secrets.
func appendMasked(b []byte, r *wire.Reader, schema bool) []byte {
	switch r.Kind() {
	case wire.Object:
		b = append(b, '{')
		for r.Object(); r.More(); {
			key := string(r.Key())
			b = wire.AppendKey(b, key)
			if isSecretKey(key) && hides(r.Kind(), schema) {
				r.Skip()
				b = append(b, masked...)
				continue
			}
			b = appendMasked(b, r, key == "properties")
		}
		return append(b, '}')
	case wire.Array:
		b = append(b, '[')
		for r.Array(); r.More(); {
			b = appendMasked(wire.AppendComma(b), r, false)
		}
		return append(b, ']')
	case wire.String:
		raw := r.Raw()
		inner := wire.NewReader(raw)
		text := inner.String()
		if m := maskText(text); m != text {
			return wire.AppendString(b, m)
		}
		return append(b, raw...) // as it was written
	}
	return append(b, r.Raw()...)
}

// hides reports whether a value of that kind can be a secret.
func hides(k wire.Kind, schema bool) bool {
	return k == wire.String || k == wire.Number || k == wire.Array || k == wire.Object && !schema
}

// maskText masks a credential of HTTP, and what is JSON inside of a text.
func maskText(s string) string {
	for _, scheme := range []string{"Bearer ", "Basic "} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return scheme + "***"
		}
	}
	if text := strings.TrimSpace(s); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if inner, err := mask([]byte(s)); err == nil && strings.Contains(string(inner), "***") {
			return string(inner)
		}
	}
	return s
}

// isSecretKey reports whether a key names a secret. A token of progress is
// none, and neither are tokens that are counted.
func isSecretKey(key string) bool {
	key = plainName(key)
	if strings.HasSuffix(key, "token") {
		return key != "progresstoken"
	}
	for _, word := range []string{"authorization", "password", "passwd", "passphrase", "secret", "apikey", "accesskey",
		"privatekey", "credential", "cookie"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
