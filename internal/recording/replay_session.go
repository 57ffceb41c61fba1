package recording

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A session serves one connection.
type session struct {
	r       *Replay
	stream  jsonrpc.Stream
	done    chan struct{} // closed when the stream has ended
	running sync.WaitGroup

	writing lock.Mutex // guards writes

	mu        lock.Mutex           // guards what follows
	questions map[string]*question // by id
	ids       map[string][]byte    // of the requests of today, by connection and id of the recorded ones
}

// A question is a request of the server that was sent again.
type question struct {
	*step
	answered chan struct{} // closed by the first response
}

func (s *session) serve() {
	defer s.stream.Close()
	defer s.running.Wait()
	defer close(s.done)
	for {
		data, err := s.stream.Read()
		if err != nil {
			return
		}
		masked, _ := s.r.secrets.mask(data, s.r.secrets.Redact, true) // Parse reports what is not JSON
		m, err := jsonrpc.Parse(masked)
		switch {
		case err != nil || m.Method != "" && m.ID.IsZero():
		case m.Method == "":
			s.answered(&m)
		default:
			s.running.Go(func() { s.respond(m) })
		}
	}
}

func (s *session) write(text string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.stream.Write([]byte(text + "\n")) // the client may be gone
}

// reply sends an error, or an empty result if it is nil.
func (s *session) reply(id jsonrpc.ID, err *jsonrpc.Error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = s.stream.Write(jsonrpc.AppendResponse(nil, id, nil, err)) // the client may be gone
}

func (s *session) respond(m jsonrpc.Message) {
	x := s.r.match(m)
	if x == nil && m.Method == "server/discover" {
		// The transport of the recorded client excluded the modern era.
		s.reply(m.ID, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"})
		return
	}
	if x == nil && (m.Method == "ping" || m.Method == "logging/setLevel") { // which change nothing in a recording
		s.reply(m.ID, nil)
		return
	}
	if x == nil {
		problem := s.r.explain(m)
		if s.r.opts.Report != nil {
			s.r.opts.Report(problem)
		}
		s.reply(m.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: problem, Data: []byte(`{"notInRecording":true}`)})
		return
	}
	s.mu.Lock()
	s.ids[recordedID(x.request.Conn, x.request.Message.ID.String())] = idText(m.ID)
	s.mu.Unlock()
	steps := x.messages
	if x.response != nil {
		steps = slices.Concat(steps, []*step{x.response}, x.after)
	}
	var end *step // of the HTTP response
	for _, one := range steps {
		if !one.Sent && (one.Kind == Text || one.Kind == Message && one.Message.Method == "") {
			end = one
		}
	}
	last := x.request.At
	for _, one := range steps {
		switch {
		case one.Sent:
			if !s.await(one.Message.ID) {
				return
			}
		case s.r.opts.Timed && !s.wait(one.At-last):
			return
		case one.Kind == Connection:
			if ended := s.r.opts.Ended; ended != nil {
				ended(one.Text)
			}
			_ = s.stream.Close()
			return
		case one.Kind == Text:
			s.respondWith(m.ID, x, []byte(one.Text), one == end)
		default:
			s.send(one, x, m, one == end)
		}
		last = one.At
	}
	if end == nil && x.http != nil {
		s.respondWith(m.ID, x, nil, true)
	}
}

// respondWith sends a part of the response to a request.
func (s *session) respondWith(id jsonrpc.ID, x *exchange, text []byte, last bool) {
	if web, ok := s.stream.(WebStream); ok {
		web.Respond(id, x.http, text, last)
	} else if text != nil {
		s.write(string(text))
	}
}

// answered takes a response of the client, and reports it if it is not the recorded one.
func (s *session) answered(m *jsonrpc.Message) {
	s.mu.Lock()
	q := s.questions[m.ID.String()]
	if q != nil {
		select {
		case <-q.answered:
			q = nil // a second response
		default:
		}
	}
	s.mu.Unlock()
	if q == nil {
		return
	}
	if differs := s.r.opts.Differs; q.answer != nil && differs != nil {
		now, then := answerText(m), answerText(&q.answer.Message)
		if now != then {
			differs(fmt.Sprintf("the client responds to %s of line %d with %s; in line %d it was %s", q.Message.Method, q.Line, now, q.answer.Line, then))
		}
	}
	close(q.answered) // only this goroutine does
}

// answerText returns a response of the client for comparison. The texts of errors differ
// between clients.
func answerText(m *jsonrpc.Message) string {
	if m.Error != nil {
		return "error " + strconv.FormatInt(m.Error.Code, 10)
	}
	return string(canonical(nil, m.Result, true))
}

// await waits for the response of the client to a request of the server. It reports
// whether the connection still exists.
func (s *session) await(id jsonrpc.ID) bool {
	s.mu.Lock()
	q := s.questions[id.String()]
	s.mu.Unlock()
	if q == nil {
		return true
	}
	select {
	case <-q.answered:
		return true
	case <-s.done:
		return false
	}
}

// wait reports whether the connection still exists after d.
func (s *session) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.done:
		return false
	}
}

// send sends a recorded message with the ids and tokens of the client of today.
func (s *session) send(e *step, x *exchange, m jsonrpc.Message, last bool) {
	isResponse, oldToken, newToken := e.Message.Method == "", token(x.request.Message.Params), token(m.Params)
	text := rewrite([]byte(e.Text), func(key, raw []byte) []byte {
		switch name := string(key); {
		case name == "progressToken" && oldToken != nil && bytes.Equal(raw, oldToken) && newToken != nil:
			return newToken
		case strings.HasSuffix(name, "/subscriptionId"):
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.ids[recordedID(e.Conn, string(raw))]
		}
		return nil
	})
	switch {
	case isResponse && e == x.response:
		text = setID(text, idText(m.ID))
	case isResponse && !e.Message.ID.IsZero(): // one more response, or one with a wrong id
		s.mu.Lock()
		text = setID(text, s.wrongIDLocked(e))
		s.mu.Unlock()
	}
	if e.Message.IsRequest() {
		s.mu.Lock()
		s.questions[e.Message.ID.String()] = &question{e, make(chan struct{})}
		s.mu.Unlock()
	}
	if isResponse {
		s.respondWith(m.ID, x, text, last)
	} else {
		s.write(string(text))
	}
}

// wrongIDLocked returns the id of a response that no request waits for: that of today's
// request if the response has the id of the recorded one, or a text in place of its
// number or the other way round.
func (s *session) wrongIDLocked(e *step) []byte {
	recorded := e.Message.ID.String()
	if id := s.ids[recordedID(e.Conn, recorded)]; id != nil {
		return id
	}
	if text, ok := strings.CutPrefix(recorded, `"`); ok {
		id := s.ids[recordedID(e.Conn, strings.TrimSuffix(text, `"`))]
		if id != nil {
			return wire.AppendString(nil, string(id))
		}
	} else if id := s.ids[recordedID(e.Conn, `"`+recorded+`"`)]; id != nil {
		return bytes.Trim(id, `"`)
	}
	return []byte(recorded)
}

func recordedID(conn int, id string) string { return fmt.Sprint(conn, " ", id) }

func idText(id jsonrpc.ID) []byte {
	b, _ := id.MarshalJSON()
	return b
}

// setID replaces the id of a response.
func setID(text, id []byte) []byte {
	r := wire.NewReader(text)
	b := []byte{'{'}
	for r.Object(); r.More(); {
		key := string(r.Key())
		raw := r.Raw()
		if key == "id" {
			raw = id
		}
		b = append(append(wire.AppendString(wire.AppendComma(b), key), ':'), raw...)
	}
	return append(b, '}')
}

// token returns the progress token of a request, or nil.
func token(params []byte) []byte { return wire.Lookup(params, "_meta", "progressToken") }

// rewrite returns a JSON text on one line. Where change returns a value for a member of an
// object, that replaces the member's.
func rewrite(data []byte, change func(key, raw []byte) []byte) []byte {
	r := wire.NewReader(data)
	r.AnyKeys()
	return rewriteValue(nil, &r, change)
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
