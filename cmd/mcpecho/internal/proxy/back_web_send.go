package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// lingerTime is how long a response may go on after the message that responds to the
// request, as a second one may follow.
const lingerTime = time.Second

// do sends an HTTP request.
func (s *webStream) do(ctx context.Context, method string, at *url.URL, header http.Header, body []byte) (*http.Response, error) {
	header["Accept-Encoding"] = []string{"identity"} // compression often delays events
	n := int(s.tap.exchanges.Add(1))
	note := s.tap.http
	if s.front {
		note = func(*recording.HTTP) {}
	}
	note(&recording.HTTP{Exchange: n, Method: method, Headers: header})
	resp, err := s.http.Do(ctx, &httpx.Request{Method: method, URL: at, Header: header, Body: body})
	if err == nil {
		note(&recording.HTTP{Exchange: n, Method: method, Status: resp.StatusCode, Headers: resp.Header})
	}
	return resp, err
}

// exchange sends the line of a call, and passes on the HTTP response of the server until
// its end. It sends the line once more if the server has certainly not executed it and
// would execute it the second time: after the server has forgotten the session, or has
// missed arguments in headers.
func (s *webStream) exchange(c *webCall) error {
	for again := c.own != nil; ; again = true {
		at, sessions, err := s.connect(c)
		if err != nil {
			return err
		}
		header := http.Header{}
		if len(c.messages) > 0 {
			header = s.header(c.ctx, &c.messages[0])
		} else {
			s.sessionFields(header)
		}
		header["Content-Type"], header["Accept"] = []string{typeJSON}, []string{typeJSON + ", " + eventStream}
		if len(c.messages) == 0 || c.messages[0].Method != "initialize" {
			c.begin()
		}
		resp, err := s.do(c.ctx, http.MethodPost, at, header, c.line)
		if err != nil {
			return err
		}
		if opens := len(c.messages) > 0 && c.messages[0].Method == "initialize"; opens {
			s.mu.Lock()
			if s.opened = resp.Header.Get(sessionHeader); c.own == nil {
				s.session = s.opened
			}
			s.mu.Unlock()
		}
		if httpx.MediaType(resp.Header) == eventStream && resp.StatusCode == http.StatusOK {
			return s.follow(c.ctx, c, resp)
		}
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			return httpx.Check(resp) // of the proxy's credentials; the client has none
		}
		body, err := readBack(resp)
		if err != nil {
			return err
		}
		if !again && s.prepare(c, resp, header, body, sessions) {
			continue
		}
		return s.whole(c, resp, body)
	}
}

// readBack reads a response that is not a stream of events, and closes it.
func readBack(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	var body bytes.Buffer
	switch _, err := io.CopyN(&body, resp.Body, maxMessage+1); err {
	case io.EOF:
		return body.Bytes(), nil
	case nil:
		return nil, errors.New("the server has sent a message of more than 64 MiB")
	default:
		return nil, err
	}
}

// whole passes on a response that is not a stream of events.
func (s *webStream) whole(c *webCall, resp *http.Response, body []byte) error {
	ok := resp.StatusCode/100 == 2
	s.mu.Lock()
	sse, waits := s.sse, len(c.ids) > 0
	if sse && ok {
		s.releaseLocked(c)
	}
	s.mu.Unlock()
	switch messages := parse(body); {
	case sse && ok: // the responses are on the stream; servers write "Accepted" here
		if waits {
			select {
			case <-c.done:
			case <-c.ctx.Done():
				return errStreamEnded
			}
		}
		return nil
	case len(messages) > 0:
		if media := httpx.MediaType(resp.Header); media != typeJSON {
			s.o.Note("the server has sent a message with the Content-Type " + wire.Quote(media) + ", which many clients do not read")
		}
		s.incoming(c, body)
		return nil
	case ok && len(bytes.TrimSpace(body)) == 0:
		return nil
	}
	var err error
	switch resp.Body = io.NopCloser(bytes.NewReader(body)); {
	case !ok:
		err = httpx.NewStatusError(resp, "")
	case httpx.MediaType(resp.Header) != typeJSON:
		err = httpx.NewStatusError(resp, typeJSON+" or "+eventStream)
	default:
		err = errors.New("the response is not a message of JSON-RPC" + httpx.Quote(resp, body))
	}
	if len(body) > 0 {
		s.tap.message(false, body)
	}
	return err
}

// prepare reports whether exchange should send a call again that the server has refused.
// Before that, it opens a session or lists the tools, if the server demands it.
func (s *webStream) prepare(c *webCall, resp *http.Response, sent http.Header, body []byte, sessions int) bool {
	if len(c.messages) == 0 {
		return false
	}
	m := &c.messages[0]
	var refused *jsonrpc.Error
	for _, r := range parse(body) {
		if r.Method == "" && m.IsRequest() && r.ID == m.ID {
			refused = r.Error
		}
	}
	switch status := resp.StatusCode; {
	case m.Method == "initialize":
		e := httpx.NewStatusError(&http.Response{StatusCode: status, Body: http.NoBody, Request: resp.Request, Header: resp.Header}, "")
		return httpx.MediaType(resp.Header) != typeJSON && e.OtherTransport() && s.useOther()
	case refused != nil && refused.Code == mcp.CodeHeaderMismatch && m.Method == "tools/call" && version(m) != "":
		return s.listTools(c) == nil
	case sent[sessionHeader] == nil || refused != nil && refused.Code == jsonrpc.CodeMethodNotFound: // servers without sessions respond with 404 to that
		return false
	case status == http.StatusNotFound:
		return s.renew(c.ctx, sessions) == nil
	case status == http.StatusBadRequest && refused == nil && m.IsRequest(): // some servers have forgotten the session; a ping shows it
		_, err := s.ask(c.ctx, `"method":"ping"`)
		return err != nil && c.ctx.Err() == nil && s.renew(c.ctx, sessions) == nil
	}
	return false
}

// follow passes on a stream of events, and what follows it in further HTTP responses, if
// the server lets clients continue it. With a call, follow returns a while after the
// response, as a second one may follow.
func (s *webStream) follow(ctx context.Context, c *webCall, resp *http.Response) error {
	tries := retry.Backoff{First: time.Second, Max: time.Minute, Limit: 6}
	for {
		began := time.Now()
		last, wait, n, err := s.events(resp, func(data []byte) { s.incoming(c, data) })
		if n > 0 || time.Since(began) > 5*time.Second {
			tries.Reset()
		}
		s.mu.Lock()
		over := c != nil && (c.stray || len(c.ids) == 0)
		s.mu.Unlock()
		switch {
		case over || ctx.Err() != nil:
			return nil
		case c != nil && (last == "" || c.own != nil || version(&c.messages[0]) != ""):
			if err == io.EOF {
				err = errNoResponse
			}
			return err
		case !tries.Wait(ctx, wait):
			return err
		}
		header := s.sessionFields(http.Header{"Accept": {eventStream}})
		if httpx.ValidValue(last) && last != "" {
			header["Last-Event-Id"] = []string{last}
		}
		if resp, err = s.do(ctx, http.MethodGet, s.url, header, nil); err == nil {
			err = httpx.Check(resp, eventStream)
		}
		if err != nil {
			return err
		}
	}
}

// events passes the events of a response on, and closes it. It returns the last id, how
// long the server wants clients to wait, and how many events there were.
func (s *webStream) events(resp *http.Response, take func(data []byte)) (last string, wait time.Duration, n int, err error) {
	defer resp.Body.Close()
	r, err := readEvents(resp.Body, func(ev *eventstream.Event, text []byte) {
		switch n++; {
		case ev != nil && ev.Type == "message":
			take(text)
		default:
			s.lost(text, "the server has sent an event that is not a message, which the client cannot receive")
		}
	})
	return r.LastID(), r.Retry(), n, err
}

// readEvents calls take with each event that has data, until the end of the stream. It
// passes the data as text, with the type in front of it if the event is not a message. If
// the response is not a stream of events, it passes no event and the beginning as text.
func readEvents(from io.Reader, take func(ev *eventstream.Event, text []byte)) (*eventstream.Reader, error) {
	begin := &prefix{Reader: from}
	r := eventstream.NewReader(begin, 0)
	for found := false; ; {
		ev, err := r.Next()
		switch text := bytes.TrimSpace(begin.kept); {
		case err != nil && !found && len(text) > 0 && text[0] != ':':
			_, _ = io.CopyN(io.Discard, begin, maxPrefix) // until the prefix is complete
			take(nil, bytes.TrimSpace(begin.kept))
			return r, err
		case err != nil:
			return r, err
		case len(ev.Data) == 0:
		case ev.Type == "message":
			take(&ev, ev.Data)
		default:
			take(&ev, []byte("event: "+ev.Type+" data: "+string(ev.Data)))
		}
		found = true
	}
}

// maxPrefix limits the noted beginning of a response that is not a stream of events, in
// bytes.
const maxPrefix = 32 << 10

// A prefix keeps the first bytes that it has read.
type prefix struct {
	io.Reader
	kept []byte
}

func (p *prefix) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.kept = append(p.kept, b[:min(n, maxPrefix-len(p.kept))]...)
	return n, err
}

// received notes the response to a request.
func (s *webStream) received(c *webCall, m *jsonrpc.Message) {
	i := slices.IndexFunc(c.messages, func(q jsonrpc.Message) bool { return q.ID == m.ID })
	request := &c.messages[i]
	switch {
	case m.Error != nil:
	case request.Method == "initialize":
		s.begun(c, m)
	case request.Method == "tools/list" && version(request) != "":
		bind(s.headers, m.Result)
	}
	if c.own != nil {
		select {
		case c.own <- *m:
		default: // a second one
		}
	}
	s.mu.Lock()
	i = slices.Index(c.ids, m.ID)
	if i >= 0 {
		c.ids = slices.Delete(slices.Clone(c.ids), i, i+1)
	}
	complete := i >= 0 && len(c.ids) == 0
	lingers := complete && c.own == nil && s.lingering < maxCalls
	if complete {
		s.releaseLocked(c)
	}
	if lingers {
		s.lingering++
	}
	s.mu.Unlock()
	if !complete {
		return
	}
	close(c.done)
	c.begin()
	if !lingers {
		c.stop()
		return
	}
	stop := time.AfterFunc(lingerTime, c.stop).Stop
	context.AfterFunc(c.ctx, func() {
		stop()
		s.mu.Lock()
		s.lingering--
		s.mu.Unlock()
	})
}
