package recording

import (
	"bufio"
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// version is that of the format, and oldVersion an earlier one that Read reads, too.
const version, oldVersion = "2", "1"

const header = "stdmcp recording "

// A Writer writes a recording. Create one with [NewWriter]. Its methods may be called
// by several goroutines at once.
type Writer struct {
	// Hide, if not nil, returns a text without what is secret beside the values that
	// NewWriter was given. It must be set before the first entry.
	Hide func(string) string

	secrets *Secrets
	begun   time.Time

	ending lock.Mutex // held while the end of a connection is written

	waiting atomic.Int32 // calls of write that have not returned

	mu    lock.Mutex // guards what follows
	w     *bufio.Writer
	sum   uint32
	count int
	conns int
	open  map[jsonrpc.Conn]int // the connections whose end is to be written

	at     *time.Duration // since the recording began; nil means that the clock decides
	closed bool
	err    error // the first
}

// NewWriter begins a recording. secrets are values to mask, beside those that the client
// sends under the names of secrets; the Writer ignores those shorter than 5 bytes. The
// caller must call Close. Each entry is with w when the method
// that writes it returns, unless further entries wait, so that a program that is killed
// leaves a recording of what happened before.
func NewWriter(w io.Writer, secrets ...string) *Writer {
	r := &Writer{w: bufio.NewWriterSize(w, 64<<10), begun: time.Now(), secrets: NewSecrets(secrets...), open: map[jsonrpc.Conn]int{}}
	if _, r.err = r.w.WriteString(header + version + "\n"); r.err == nil {
		r.err = r.w.Flush()
	}
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

// Open records what the connection traces, what it drops if that is not JSON, and how
// the peer ended it.
func (r *recorder) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	n := r.w.Connection()
	trace, dropped := h.Trace, h.Dropped
	h.Trace = func(sent bool, data []byte) {
		r.w.write(n, from(sent, ""), data)
		if trace != nil {
			trace(sent, data)
		}
	}
	h.Dropped = func(reason error, data []byte) {
		if reason == io.ErrUnexpectedEOF || !isReadable(data) {
			r.w.Text(n, false, data)
		}
		if dropped != nil {
			dropped(reason, data)
		}
	}
	conn, err := r.Transport.Open(ctx, h)
	if err == nil {
		r.w.mu.Lock()
		r.w.open[conn] = n
		r.w.mu.Unlock()
		go func() { // ends with the connection
			<-conn.Done()
			r.w.ended(conn)
		}()
	}
	return conn, err
}

// ended writes the end of a connection, unless the client has closed it.
func (w *Writer) ended(conn jsonrpc.Conn) {
	w.ending.Lock()
	defer w.ending.Unlock()
	w.mu.Lock()
	n, open := w.open[conn]
	delete(w.open, conn)
	w.mu.Unlock()
	if err := conn.Err(); open && err != jsonrpc.ErrClosed {
		w.End(n, err.Error())
	}
}

// Connection returns the number of a new connection.
func (w *Writer) Connection() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns++
	return w.conns
}

// SetTime sets the time of further entries, since the recording began. It is for messages
// that the program has kept.
func (w *Writer) SetTime(at time.Duration) {
	w.mu.Lock()
	w.at = &at
	w.mu.Unlock()
}

// The names of the kinds of entries.
const (
	kindText  = "text"
	kindProxy = "proxy"
	kindHTTP  = "http"
	kindEnd   = "end"
)

// from returns the kind of what the client has sent or received.
func from(client bool, kind string) string {
	if client {
		return ">" + kind
	}
	return "<" + kind
}

// Message writes a message that the client has sent or received. What is not JSON is
// written as text.
func (w *Writer) Message(conn int, sent bool, data []byte) {
	if !w.write(conn, from(sent, ""), data) {
		w.Text(conn, sent, data)
	}
}

// Refusal writes an error that a proxy has sent in place of a response of the server.
func (w *Writer) Refusal(conn int, data []byte) { w.write(conn, from(false, kindProxy), data) }

// maxText limits a line that is not JSON, in bytes.
const maxText = 64 << 10

// Text writes a line that is not JSON, or has no end, of which it keeps 64 KiB. It ignores an empty
// one. In what begins as JSON, it masks what follows the names of secrets.
func (w *Writer) Text(conn int, sent bool, line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		text := w.hide(string(line))
		if line[0] == '{' || line[0] == '[' {
			public, _ := diag.PublicArgs(text)
			text = public[0]
		}
		w.write(conn, from(sent, kindText), wire.AppendString(nil, diag.Cut(text, maxText)))
	}
}

// HTTP writes the beginning of an HTTP request or response, of the latest connection if
// conn is 0.
func (w *Writer) HTTP(conn int, h *HTTP) {
	if conn == 0 {
		w.mu.Lock()
		conn = max(1, w.conns)
		w.mu.Unlock()
	}
	w.write(conn, from(h.Status == 0, kindHTTP), h.Append(nil))
}

// End writes that the server's process, or the connection to it, has ended, and how.
func (w *Writer) End(conn int, how string) {
	w.write(conn, kindEnd, wire.AppendString(nil, diag.Cut(w.hide(how), maxText)))
}

// write writes an entry, and reports whether the text is JSON.
func (w *Writer) write(conn int, kind string, data []byte) bool {
	at := time.Since(w.begun).Microseconds()
	masked, err := w.secrets.mask(data, w.hide, kind == from(true, ""))
	if err != nil {
		return false
	}
	w.waiting.Add(1)
	w.mu.Lock()
	defer w.unlock()
	if w.at != nil {
		at = w.at.Microseconds()
	}
	if w.err != nil || w.closed {
		return true
	}
	w.sum = crc32.Update(w.sum, crc32.IEEETable, masked)
	w.count++
	line := strconv.AppendInt(w.w.AvailableBuffer(), int64(conn), 10)
	line = strconv.AppendInt(append(line, ' '), at, 10)
	line = append(append(append(line, ' '), kind...), ' ')
	line = append(appendSum(line, w.sum), ' ')
	if _, w.err = w.w.Write(line); w.err == nil {
		_, w.err = w.w.Write(masked)
	}
	if w.err == nil {
		w.err = w.w.WriteByte('\n')
	}
	return true
}

// unlock passes on what was written, unless another entry waits: several at once are one
// write to the file.
func (w *Writer) unlock() {
	if w.waiting.Add(-1) == 0 && w.err == nil {
		w.err = w.w.Flush()
	}
	w.mu.Unlock()
}

func appendSum(b []byte, sum uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, digits[sum>>shift&15])
	}
	return b
}

// Close ends the recording and returns the first error of writing. What is written
// after it is ignored.
func (w *Writer) Close() error {
	w.mu.Lock()
	open := slices.Collect(maps.Keys(w.open))
	w.mu.Unlock()
	for _, conn := range open {
		select {
		case <-conn.Done():
			w.ended(conn) // which may not have been told yet
		default:
		}
	}
	w.ending.Lock() // waits for an end that is being written
	defer w.ending.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed = true; w.err == nil {
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

// isSecret reports whether a string of this name may be a secret in a recording.
func isSecret(name string) bool { return name != "progressToken" && diag.IsSecretName(name) }

// hide replaces what is secret in a text.
func (w *Writer) hide(s string) string {
	if s = w.secrets.Redact(s); w.Hide != nil {
		s = w.Hide(s)
	}
	return s
}
