package proxy

import (
	"net/http"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/recording"
)

// A Tap receives what passes the front in one session of a client. Its functions may be
// nil. Several goroutines call them.
type Tap struct {
	// Message is called with each message, or line that is not one, that the client has
	// sent or receives, and with those of the server that it cannot receive. Its kind is
	// recording.Refusal for an error of the proxy, and recording.Text for what the server has
	// sent in place of a message, such as a line without an end.
	Message func(kind recording.Kind, sent bool, data []byte)

	// HTTP is called with the header of each HTTP request of the client and of each
	// response to it, before their messages.
	HTTP func(*recording.HTTP)

	// End is called with how the server has ended before its client.
	End func(how string)

	exchanges atomic.Int64
}

func (t *Tap) message(sent bool, data []byte) {
	if t.Message == nil {
		return
	}
	kind := recording.Message
	if !sent && isRefusal(data) {
		kind = recording.Refusal
	}
	t.Message(kind, sent, data)
}

// text notes what the server has sent in place of a message.
func (t *Tap) text(data []byte) {
	if t.Message != nil {
		t.Message(recording.Text, false, data)
	}
}

func (t *Tap) end(how string) {
	if t.End != nil {
		t.End(how)
	}
}

func (t *Tap) http(h *recording.HTTP) {
	if t.HTTP != nil {
		t.HTTP(h)
	}
}

// exchange notes an HTTP request, and returns a writer that notes its response.
func (t *Tap) exchange(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	n := int(t.exchanges.Add(1))
	t.http(&recording.HTTP{Exchange: n, Method: r.Method, Headers: r.Header})
	return &tappedWriter{w, t, n, r.Method, false}
}

// A tappedWriter notes the header of a response.
type tappedWriter struct {
	http.ResponseWriter
	tap      *Tap
	exchange int
	method   string
	begun    bool
}

func (w *tappedWriter) WriteHeader(status int) {
	w.note(status, w.Header())
	w.ResponseWriter.WriteHeader(status)
}

// note notes a header, unless one was noted: that of the server, if the client receives
// another one.
func (w *tappedWriter) note(status int, header http.Header) {
	if !w.begun {
		w.begun = true
		w.tap.http(&recording.HTTP{Exchange: w.exchange, Method: w.method, Status: status, Headers: header})
	}
}

func (w *tappedWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *tappedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
