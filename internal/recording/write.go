package recording

import (
	"bufio"
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// version is that of the format.
const version = "1"

const header = "stdmcp recording "

// A Writer writes a recording. Create one with [NewWriter].
type Writer struct {
	secrets *diag.Redactor
	begun   time.Time

	mu    sync.Mutex      // guards what follows
	names map[string]bool // whether names are those of secrets; see isSecret
	w     *bufio.Writer
	buf   []byte
	sum   uint32
	count int
	conns int
	err   error // the first
}

// NewWriter begins a recording. secrets are values to mask; those shorter than 5
// bytes are ignored. The caller must call Close.
func NewWriter(w io.Writer, secrets ...string) *Writer {
	r := &Writer{w: bufio.NewWriterSize(w, 64<<10), begun: time.Now(), secrets: diag.NewRedactor(secrets...), names: map[string]bool{}}
	_, r.err = r.w.WriteString(header + version + "\n")
	return r
}

// A Transport is an mcp.Transport.
type Transport interface {
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)
	Features() jsonrpc.TransportFeatures
}

// Wrap returns a transport whose connections are recorded.
func (w *Writer) Wrap(t Transport) Transport { return &recorder{t, w} }

type recorder struct {
	Transport
	w *Writer
}

// Open records what the connection traces.
func (r *recorder) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	r.w.mu.Lock()
	r.w.conns++
	conn := r.w.conns
	r.w.mu.Unlock()
	trace := h.Trace
	h.Trace = func(sent bool, data []byte) {
		r.w.message(conn, sent, data)
		if trace != nil {
			trace(sent, data)
		}
	}
	return r.Transport.Open(ctx, h)
}

// message writes one message. What is not JSON is left out: it has no replay.
func (w *Writer) message(conn int, sent bool, data []byte) {
	at := time.Since(w.begun).Microseconds()
	data = bytes.TrimSpace(data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	masked := data
	if !w.isPlain(data) {
		var ok bool
		masked, ok = mask(w.buf[:0], data, w.secrets, w.isSecret)
		if w.buf = masked; !ok {
			return
		}
	}
	w.sum = crc32.Update(w.sum, crc32.IEEETable, masked)
	w.count++
	direction := "<"
	if sent {
		direction = ">"
	}
	line := strconv.AppendInt(w.w.AvailableBuffer(), int64(conn), 10)
	line = strconv.AppendInt(append(line, ' '), at, 10)
	line = append(append(append(line, ' '), direction...), ' ')
	line = append(appendSum(line, w.sum), ' ')
	if _, w.err = w.w.Write(line); w.err == nil {
		_, w.err = w.w.Write(masked)
	}
	if w.err == nil {
		w.err = w.w.WriteByte('\n')
	}
}

// isPlain reports whether a message can be recorded as it is, at a glance: it is
// JSON on one line, no member has the name of a secret, and no secret is in it. The
// caller holds mu.
func (w *Writer) isPlain(data []byte) bool {
	for rest := data; ; {
		colon := bytes.IndexByte(rest, ':')
		if colon < 0 {
			break
		}
		end := colon - 1
		for end >= 0 && (rest[end] == ' ' || rest[end] == '\t') {
			end--
		}
		if end >= 0 && rest[end] == '"' { // else the colon is in a string
			begin := bytes.LastIndexByte(rest[:end], '"')
			name := rest[begin+1 : end]
			if begin > 0 && rest[begin-1] == '\\' || bytes.IndexByte(name, '\\') >= 0 || w.isSecret(name) {
				return false
			}
		}
		rest = rest[colon+1:]
	}
	return bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 && wire.Valid(data) == nil && !w.secrets.Finds(string(data))
}

func appendSum(b []byte, sum uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, digits[sum>>shift&15])
	}
	return b
}

// Close ends the recording and returns the first error of writing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		_, w.err = w.w.WriteString("end " + strconv.Itoa(w.count) + "\n")
	}
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err != nil {
		return diag.Op("recording", w.err)
	}
	return nil
}

// maxNames limits what isSecret remembers.
const maxNames = 1000

// isSecret is the function isSecret with a memory. The caller holds mu.
func (w *Writer) isSecret(name []byte) bool {
	secret, known := w.names[string(name)]
	if !known {
		if secret = isSecret(name); len(w.names) < maxNames {
			w.names[string(name)] = secret
		}
	}
	return secret
}

// isSecret reports whether a member of this name may be a secret.
func isSecret(name []byte) bool {
	return string(name) != "progressToken" && diag.IsSecretName(string(name))
}

// mask appends a message on one line, with its secrets masked. It reports false if
// the message is not JSON.
func mask(dst, data []byte, secrets *diag.Redactor, isSecret func(name []byte) bool) ([]byte, bool) {
	dst, ok := rewrite(dst, data, func(key, raw []byte) []byte {
		if len(raw) > 0 && raw[0] == '"' && isSecret(key) {
			return []byte(`"` + diag.Mask + `"`)
		}
		return nil
	})
	if text := string(dst); secrets.Finds(text) {
		dst = []byte(secrets.Redact(text))
	}
	return dst, ok
}

// rewrite appends a JSON text on one line. Where change returns a value for a
// member of an object, that replaces the member's.
func rewrite(dst, data []byte, change func(key, raw []byte) []byte) ([]byte, bool) {
	r := wire.NewReader(data)
	dst = rewriteValue(dst, &r, change)
	return dst, r.End() == nil
}

func rewriteValue(dst []byte, r *wire.Reader, change func(key, raw []byte) []byte) []byte {
	switch r.Kind() {
	case wire.Object:
		dst = append(dst, '{')
		for r.Object(); r.More(); {
			key := r.Key()
			dst = wire.AppendString(wire.AppendComma(dst), string(key))
			dst = append(dst, ':')
			kind := r.Kind()
			if kind == wire.Object || kind == wire.Array {
				dst = rewriteValue(dst, r, change)
				continue
			}
			raw := r.Raw()
			if changed := change(key, raw); changed != nil {
				raw = changed
			}
			dst = append(dst, raw...)
		}
		return append(dst, '}')
	case wire.Array:
		dst = append(dst, '[')
		for r.Array(); r.More(); {
			dst = rewriteValue(wire.AppendComma(dst), r, change)
		}
		return append(dst, ']')
	}
	return append(dst, r.Raw()...)
}
