package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Forwarder passes the HTTP requests of clients to a server over Streamable HTTP,
// and its responses back, as they are. So sessions, the continuation of streams and
// refusals are between the client and the server. It passes only those header fields
// that belong to MCP: the credentials for the server are the user's, and stay between
// the proxy and the server.
type Forwarder struct {
	o      *Options
	url    *url.URL
	client *httpx.Client
	web    *WebOptions

	mu    lock.Mutex          // guards what follows
	taps  map[string]*Tap     // by the id of a session
	other func() http.Handler // see Else; nil if there is none
	next  http.Handler        // what other has returned
}

// Else sets a function that returns what serves all clients instead, or nil. It is
// called once: when the server responds to initialize as one that needs another
// transport.
func (f *Forwarder) Else(other func() http.Handler) { f.other = other }

// replaced returns what serves instead of the Forwarder, or nil. resp is the response to
// initialize, or nil.
func (f *Forwarder) replaced(resp *http.Response) http.Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == nil && f.other != nil && resp != nil {
		if e := (&httperr.StatusError{Status: resp.StatusCode}); e.OtherTransport() && httpx.MediaType(resp.Header) != typeJSON {
			f.next = f.other()
		}
		f.other = nil // one way or the other, this is known
	}
	return f.next
}

// NewForwarder returns a Forwarder to a URL. client and header are those of the options
// of package streamhttp. The caller must call Close.
func NewForwarder(at string, client *http.Client, header http.Header, o *Options, web *WebOptions) (*Forwarder, error) {
	u, c, err := httpx.Open(context.Background(), at, withoutCookies(client), header)
	if err != nil {
		return nil, err
	}
	return &Forwarder{o: o, url: u, client: c, web: web, taps: make(map[string]*Tap)}, nil
}

// Close closes the connections to the server.
func (f *Forwarder) Close() { f.client.Close() }

func (f *Forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if next := f.replaced(nil); next != nil {
		next.ServeHTTP(w, r)
		return
	}
	tap, plain := f.tap(r.Header.Get(sessionHeader)), w
	w = tap.exchange(w, r)
	var body []byte
	switch r.Method {
	case http.MethodPost:
		var ok bool
		if body, ok = readBody(w, r); !ok {
			return
		}
	case http.MethodGet, http.MethodDelete:
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, jsonrpc.ID{}, codeProxy, "method not allowed")
		return
	}
	if body != nil {
		tap.message(true, body)
	}
	header := make(http.Header)
	copyFields(header, r.Header, "Accept", "Content-Type", "Last-Event-Id")
	header["Accept-Encoding"] = []string{"identity"} // compression often delays events
	resp, err := f.client.Do(r.Context(), &httpx.Request{Method: r.Method, URL: f.url, Header: header, Body: body})
	if err == nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
		err = httpx.Check(resp) // of the proxy's credentials; the client has none
	}
	if err != nil {
		f.fail(w, r, body, err)
		return
	}
	defer resp.Body.Close()
	if messages := parse(body); len(messages) == 1 && messages[0].Method == "initialize" {
		if next := f.replaced(resp); next != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(plain, r)
			return
		}
	}
	if id := resp.Header.Get(sessionHeader); id != "" && len(id) <= maxMedia {
		f.keep(id, tap)
	}
	copyFields(w.Header(), resp.Header, "Cache-Control", "Allow", "Retry-After")
	switch media := httpx.MediaType(resp.Header); {
	case media == eventStream:
		w.Header().Set("Content-Type", eventStream)
		f.copyEvents(w, resp, tap)
	case media == typeJSON || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		noteHeader(w, resp)
		w.Header().Set("Content-Type", typeJSON)
		f.copyMessage(w, resp, tap, requestID(body), "")
	default:
		noteHeader(w, resp)
		f.copyMessage(w, resp, tap, requestID(body), "the server has responded with the status "+strconv.Itoa(resp.StatusCode)+" and the Content-Type "+
			wire.Quote(diag.Cut(media, maxMedia))+"; the proxy passes only JSON and event streams on")
	}
}

// maxTaps is how many sessions a Forwarder tells apart.
const maxTaps = 1000

// tap returns the Tap of a session, or a new one.
func (f *Forwarder) tap(session string) *Tap {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.taps[session]; t != nil {
		return t
	}
	return f.o.tap()
}

func (f *Forwarder) keep(session string, t *Tap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.taps) == maxTaps {
		clear(f.taps)
	}
	f.taps[session] = t
}

// fail responds with the reason why there is no response of the server.
func (f *Forwarder) fail(w http.ResponseWriter, r *http.Request, body []byte, err error) {
	if r.Context().Err() != nil {
		return // the client has left
	}
	reason := f.web.Explain(err)
	f.o.Note(reason)
	refuse(w, http.StatusBadGateway, requestID(body), codeProxy, reason)
}

// noteHeader notes the header of a response of the server as it is.
func noteHeader(w http.ResponseWriter, resp *http.Response) {
	if t, ok := w.(*tappedWriter); ok {
		t.note(resp.StatusCode, resp.Header)
	}
}

// requestID returns the id of the request in a body, or of the first one.
func requestID(body []byte) (id jsonrpc.ID) {
	if messages := parse(body); len(messages) > 0 && messages[0].IsRequest() {
		id = messages[0].ID
	}
	return id
}

// copyFields copies the named fields and those of MCP.
func copyFields(to, from http.Header, names ...string) {
	for _, name := range names {
		if values := from[name]; values != nil {
			to[name] = values
		}
	}
	for name, values := range from {
		if strings.HasPrefix(name, "Mcp-") {
			to[name] = values
		}
	}
}

// maxMedia limits a content type in the text of an error, and the id of a session, in bytes.
const maxMedia = 200

// copyMessage sends a response that is one message, or no message at all. If its body may
// be a page for a browser, other says why the client receives an error in place of it.
func (f *Forwarder) copyMessage(w http.ResponseWriter, resp *http.Response, tap *Tap, id jsonrpc.ID, other string) {
	body, err := readBack(resp)
	if err != nil {
		f.o.Note(f.web.Explain(err))
		refuse(w, http.StatusBadGateway, jsonrpc.ID{}, codeProxy, f.web.Explain(err))
		return
	}
	status := resp.StatusCode
	if len(body) > 0 {
		tap.message(false, body)
		if other != "" {
			if status < 400 {
				status = http.StatusBadGateway
			}
			refuse(w, status, id, codeProxy, other)
			return
		}
	}
	w.WriteHeader(status)
	_ = write(w, body)
}

// copyEvents sends a stream of events as it arrives.
func (f *Forwarder) copyEvents(w http.ResponseWriter, resp *http.Response, tap *Tap) {
	w.WriteHeader(resp.StatusCode)
	if write(w, []byte{}) != nil {
		return
	}
	pr, pw := io.Pipe()
	done := make(chan struct{})
	go func() { // ends with the stream
		defer close(done)
		_, _ = readEvents(pr, func(_ *eventstream.Event, text []byte) { tap.message(false, text) }) // the client judges a broken stream
		_, _ = io.Copy(io.Discard, pr)
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			_, _ = pw.Write(buf[:n])
			if write(w, buf[:n]) != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = pw.Close()
	<-done
}
