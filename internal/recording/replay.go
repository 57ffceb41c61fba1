package recording

import (
	"bytes"
	"context"
	"errors"
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

// An Options value configures a replay.
type Options struct {
	// Timed responds after the time that the server took, instead of at once.
	Timed bool

	// Report, if not nil, is called with each request that matches none of the
	// recording.
	Report func(problem string)

	// Differs, if not nil, is called with each response of the client to a request of
	// the server that is another one than in the recording.
	Differs func(problem string)

	// Ended, if not nil, is called where the recorded server ended, with how it did, before
	// the stream is closed.
	Ended func(how string)

	// Secrets are the values that the Writer was given.
	Secrets []string
}

// A Replay is a transport to a server that responds as the recorded one did. A
// request matches a recorded one with the same method and params: the order of
// members and _meta do not count, and of the handshake no params. Each recorded
// request is used once, and the last of those that match as often as needed. What the
// server sent after a response of the client waits for that response. What the server did
// wrong happens again: no response, a wrong id, a line that is no message, its end.
type Replay struct {
	opts    Options
	secrets *Secrets

	mu   lock.Mutex // guards used of all exchanges
	list []*exchange
}

// An exchange is a recorded request and what the server sent for it.
type exchange struct {
	request  Entry
	key      string
	messages []*step // before the response
	response *step   // nil if there was none
	after    []*step // after the response, before the next request
	http     *HTTP   // the HTTP response; nil if the recording has none of the server
	used     bool
}

// add adds what came after the steps so far.
func (x *exchange) add(one *step) {
	if x.response == nil {
		x.messages = append(x.messages, one)
	} else {
		x.after = append(x.after, one)
	}
}

// A step is a message of the server, or the response of the client to one.
type step struct {
	Entry
	asked  *exchange // that a request of the server belongs to
	answer *Entry    // the response to such a request; nil if there was none
}

// NewReplay returns the server of a recording. Nil options mean the zero value.
func NewReplay(entries []Entry, o *Options) *Replay {
	r := &Replay{}
	if o != nil {
		r.opts = *o
	}
	r.secrets = NewSecrets(r.opts.Secrets...)
	last := map[int]*exchange{} // by connection
	posts := map[int]*pairs{}
	pending := map[string]*exchange{}
	tokens := map[string]*exchange{} // by progress token
	asked := map[string]*step{}      // requests of the server without a response
	for _, e := range entries {
		m := e.Message
		x := last[e.Conn]
		post := posts[e.Conn]
		if post == nil {
			post = new(pairs)
			posts[e.Conn] = post
		}
		if e.HTTP != nil {
			post.exchange(e.HTTP)
			continue
		}
		if e.Kind != Message && e.Kind != Refusal {
			if e.Sent {
				post.message(new(exchange))
			}
			if x != nil && !e.Sent {
				x.add(&step{Entry: e})
			}
			continue
		}
		id := fmt.Sprint(e.Conn, " ", m.ID)
		if t := wire.Lookup(m.Params, "progressToken"); t != nil && tokens[fmt.Sprint(e.Conn, string(t))] != nil {
			x = tokens[fmt.Sprint(e.Conn, string(t))] // and not the last of several at the same time
		}
		switch {
		case e.Sent && m.Method != "" && !m.ID.IsZero():
			x = &exchange{request: e, key: keyOf(m.Method, m.Params)}
			r.list = append(r.list, x)
			last[e.Conn], pending[id] = x, x
			post.message(x)
			if t := token(m.Params); t != nil {
				tokens[fmt.Sprint(e.Conn, string(t))] = x
			}
		case e.Sent && m.Method != "":
			note := &exchange{request: e, key: keyOf(m.Method, m.Params)}
			r.list = append(r.list, note)
			post.message(note)
		case e.Sent:
			post.message(new(exchange))
			if q := asked[id]; m.Method == "" && q != nil {
				q.answer = &e
				q.asked.add(&step{Entry: e})
				delete(asked, id)
			}
		case e.Kind == Refusal:
			post.refused()
			if pending[id] != nil { // the server has not responded
				pending[id].http = nil
				delete(pending, id)
			}
		case m.Method == "" && pending[id] != nil:
			pending[id].response = &step{Entry: e}
			delete(pending, id)
		case x == nil:
		default:
			one := &step{Entry: e, asked: x}
			x.add(one)
			if m.IsRequest() {
				asked[id] = one
			}
		}
	}
	return r
}

// keyOf returns what must be the same in requests that match.
func keyOf(method string, params []byte) string {
	if method == "initialize" || method == "server/discover" {
		return method
	}
	return method + " " + string(canonical(nil, params, true))
}

// canonical appends a JSON value with sorted keys, and at the top without _meta and empty
// arguments, which some clients leave out.
func canonical(dst, raw []byte, top bool) []byte {
	r := wire.NewReader(raw)
	switch r.Kind() {
	case wire.Object:
		all := members(raw)
		dst = append(dst, '{')
		for _, key := range wire.SortedKeys(all) {
			if top && (key == "_meta" || key == "arguments" && string(canonical(nil, all[key], false)) == "{}") {
				continue
			}
			dst = append(wire.AppendString(wire.AppendComma(dst), key), ':')
			dst = canonical(dst, all[key], false)
		}
		return append(dst, '}')
	case wire.Array:
		dst = append(dst, '[')
		for r.Array(); r.More(); {
			dst = canonical(wire.AppendComma(dst), r.Raw(), false)
		}
		return append(dst, ']')
	case wire.String:
		return wire.AppendString(dst, r.String())
	case wire.Invalid:
		return append(dst, "{}"...) // no params
	}
	return append(dst, r.Raw()...)
}

// IsMissing reports whether err is the error of a replay for a request that the recording
// does not have.
func IsMissing(err error) bool {
	var refused *jsonrpc.Error
	return errors.As(err, &refused) && refused.Code == jsonrpc.CodeInternalError && string(wire.Lookup(refused.Data, "notInRecording")) == "true"
}

// Features implements Transport.
func (r *Replay) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

// Open connects to the replayed server.
func (r *Replay) Open(_ context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	client, server := jsonrpc.Pipe()
	go r.Serve(server) // ends with the stream
	return jsonrpc.NewConn(client, h), nil
}

// Serve serves one connection until the stream ends, and closes it.
func (r *Replay) Serve(stream jsonrpc.Stream) {
	s := &session{r: r, stream: stream, done: make(chan struct{}), questions: map[string]*question{}, ids: map[string][]byte{}}
	s.serve()
}

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
		s.r.secrets.Learn(data)
		masked, _ := mask(nil, bytes.TrimSpace(data), s.r.secrets, isSecret)
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
	text, _ := rewrite(nil, []byte(e.Text), func(key, raw []byte) []byte {
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
		text = setID(text, s.wrongID(e))
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

// wrongID returns the id of a response that no request waits for: that of today's request
// if the response has the id of the recorded one, or a text in place of its number or the
// other way round. The caller holds mu.
func (s *session) wrongID(e *step) []byte {
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

// match returns the exchange for a request, or nil.
func (r *Replay) match(m jsonrpc.Message) (found *exchange) {
	key := keyOf(m.Method, m.Params)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.list {
		if x.key != key {
			continue
		}
		if found = x; !x.used {
			x.used = true
			return x
		}
	}
	return found
}

// explain describes a request that matches none, with the nearest.
func (r *Replay) explain(m jsonrpc.Message) string {
	key := keyOf(m.Method, m.Params)
	text := "no recorded request matches " + key
	var nearest *exchange
	var best int64
	for _, x := range r.list {
		if x.request.Message.Method != m.Method {
			continue
		}
		n := differences(m.Params, x.request.Message.Params)<<32 - int64(common(key, x.key)) // what looks alike comes second
		if nearest == nil || n < best {
			nearest, best = x, n
		}
	}
	if nearest == nil {
		return text + "; the recording has no " + m.Method
	}
	return fmt.Sprintf("%s; the nearest is line %d: %s", text, nearest.request.Line, nearest.key)
}

// differences counts the arguments that two requests do not have in common. Another tool,
// prompt or resource counts more than all of them.
func differences(a, b []byte) (n int64) {
	eachDifference(a, b, func(name string, x, y []byte) {
		switch name {
		case "_meta":
		case "arguments":
			eachDifference(x, y, func(string, []byte, []byte) { n++ })
		default:
			n += 1 << 20
		}
	})
	return n
}

// eachDifference calls f with each member of two JSON objects that is not the same in
// both, in which it may be missing.
func eachDifference(a, b []byte, f func(name string, x, y []byte)) {
	of, in := members(a), members(b)
	for name, x := range of {
		if y := in[name]; y == nil || !bytes.Equal(canonical(nil, x, false), canonical(nil, y, false)) {
			f(name, x, y)
		}
	}
	for name, y := range in {
		if of[name] == nil {
			f(name, nil, y)
		}
	}
}

// members returns the members of a JSON object, the last of those with the same name.
func members(raw []byte) map[string][]byte {
	found := map[string][]byte{}
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return found
	}
	for r.Object(); r.More(); {
		key := string(r.Key())
		found[key] = r.Raw()
	}
	return found
}

// common returns how many bytes at both ends are the same.
func common(a, b string) (n int) {
	short := min(len(a), len(b))
	for n < short && a[n] == b[n] {
		n++
	}
	for i := 1; i <= short-n && a[len(a)-i] == b[len(b)-i]; i++ {
		n++
	}
	return n
}
