package proxy

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// idleTime is how long a session may be without a request.
	idleTime = 10 * time.Minute

	// brokenTime is how long a session may be without a request after its client has
	// left in the middle of a response or a stream. A client that lost its network, or
	// whose machine slept, returns in time.
	brokenTime = time.Minute
)

// A session is that of a client over HTTP, and its connection to the server. What the
// server sends goes to the response of the request that it is for, or to the client's
// general stream.
type session struct {
	*relay
	web  *Web
	id   string
	over chan struct{} // closed when everything is sent that the server has sent
	box  outbox

	// The fields below are guarded by box.mu.

	replies []*reply     // of requests without a response
	general *reply       // nil if the client has no general stream
	held    [][]byte     // for the next general stream
	size    int          // of held, in bytes
	full    bool         // the user knows that messages were lost
	ended   bool         // there will be no stream
	gone    []jsonrpc.ID // of requests whose client does not wait for the response, the last ones
	active  int          // HTTP requests
	timer   *time.Timer
}

// run relays until the server ends or the session is closed.
func (s *session) run() {
	defer s.web.running.Done()
	s.relay.run()
	s.close()       // the server's process
	s.web.remove(s) // before its client learns that it has ended, and opens another
	close(s.over)
	s.box.mu.Lock()
	if s.timer != nil {
		s.timer.Stop()
	}
	held := s.held
	s.held, s.ended = nil, true
	s.box.mu.Unlock()
	for _, message := range held {
		s.tap.message(false, message)
	}
	if reason := s.eras.mismatch(); reason != "" {
		s.web.o.Note(reason)
	} else if s.unexpected() {
		s.web.o.Note(s.err.Error())
	}
}

// unexpected reports whether the server has ended before its session.
func (s *session) unexpected() bool {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	return !s.box.over
}

// close ends the session, and with it the connection to the server.
func (s *session) close() {
	select {
	case <-s.done:
	default:
		s.box.end()
	}
	s.relay.close()
}

// cancelTime is how long the server may respond to a request that the client has
// canceled. Most servers do not respond, and not all clients close the HTTP request.
const cancelTime = 5 * time.Second

// cancel ends the reply to a request that the client has canceled, unless the server
// responds to it.
func (s *session) cancel(m *jsonrpc.Message) {
	var id jsonrpc.ID
	if id.UnmarshalJSON(wire.Lookup(m.Params, "requestId")) != nil {
		return
	}
	s.box.mu.Lock()
	s.leaveLocked(id)
	s.box.mu.Unlock()
	time.AfterFunc(cancelTime, func() {
		s.box.push(nil, func() (*reply, item) {
			i := slices.IndexFunc(s.replies, func(out *reply) bool { return slices.Contains(out.ids, id) })
			if i < 0 {
				return nil, item{}
			}
			return s.replies[i], item{ids: []jsonrpc.ID{id}}
		})
	})
}

// use notes the beginning of an HTTP request. The caller must call unused.
func (s *session) use() {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.active++
	if s.timer != nil {
		s.timer.Stop()
	}
}

// unused notes the end of an HTTP request. broken reports that the client left before
// the end of the response.
func (s *session) unused(broken bool) {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if s.active--; s.active > 0 || s.box.over {
		return
	}
	wait := idleTime
	if broken {
		wait = brokenTime
	}
	s.timer = time.AfterFunc(wait, s.close)
}

// post passes a message of the client to the server, and responds with what the server
// sends for it.
func (s *session) post(w http.ResponseWriter, r *http.Request, line []byte, messages []jsonrpc.Message) {
	s.use()
	out := newReply(&s.box, s.tap)
	for _, m := range messages {
		if m.Method == "notifications/cancelled" {
			s.cancel(&m)
		}
		if m.IsRequest() {
			out.ids = append(out.ids, m.ID)
			if token := wire.Lookup(m.Params, "_meta", "progressToken"); token != nil {
				out.tokens = append(out.tokens, string(token))
			}
		}
	}
	out.all = slices.Clone(out.ids)
	if len(out.ids) == 0 {
		defer s.unused(false)
		if s.fromClient(line) != nil {
			refuse(w, http.StatusNotFound, jsonrpc.ID{}, codeNoSession, "the server of this session has ended")
			return
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.box.mu.Lock()
	s.replies = append(s.replies, out)
	s.box.mu.Unlock()
	go func() { // ends when the server has read the message, or with the session
		if s.fromClient(line) != nil {
			<-s.done
			for _, m := range messages { // otherwise run has responded
				if m.IsRequest() {
					_ = s.toClient(refusal(m.ID, codeProxy, "the server has ended"))
				}
			}
		}
	}()
	opens := w.Header().Get(sessionHeader) != ""
	failed := false
	_, complete := out.serve(w, r, s.over, func(it item) int {
		if failed = opens && it.code != 0; failed {
			w.Header().Del(sessionHeader)
		}
		return http.StatusOK
	})
	if !complete && !out.events && r.Context().Err() == nil {
		refuse(w, http.StatusNotFound, messages[0].ID, codeNoSession, "the server of this session has ended")
	}
	s.box.mu.Lock()
	s.replies = slices.DeleteFunc(s.replies, func(other *reply) bool { return other == out })
	broken := len(out.ids) > 0 || len(out.queue) > 0
	s.leaveLocked(out.ids...)
	s.box.mu.Unlock()
	out.end()
	s.unused(broken)
	if failed {
		s.close()
	}
}

// serveGeneral sends the messages that belong to no request until the client leaves.
func (s *session) serveGeneral(w http.ResponseWriter, r *http.Request) {
	out := newReply(&s.box, s.tap)
	s.box.mu.Lock()
	if s.general != nil {
		s.box.mu.Unlock()
		refuse(w, http.StatusConflict, jsonrpc.ID{}, codeProxy, "the session has this stream already")
		return
	}
	s.general = out
	s.releaseLocked(out)
	s.box.mu.Unlock()
	s.use()
	out.begin(w)
	err := write(w, []byte(":\n\n"))
	var lost *item
	if err == nil {
		lost, _ = out.serve(w, r, s.over, nil)
	}
	s.box.mu.Lock()
	s.general = nil
	rest := out.emptyLocked()
	if lost != nil {
		rest = append([]item{*lost}, rest...)
	}
	for _, it := range rest {
		s.holdLocked(it.message)
	}
	s.box.mu.Unlock()
	s.unused(true)
}

// releaseLocked queues the messages that were held for a general stream.
func (s *session) releaseLocked(out *reply) {
	for _, message := range s.held {
		out.queue = append(out.queue, item{message: message})
		s.box.queued += len(message)
	}
	s.held, s.size = nil, 0
	out.signal()
}

// holdLocked keeps a message for the next general stream.
func (s *session) holdLocked(message []byte) {
	if s.ended {
		s.tap.message(false, message)
		return
	}
	if s.size > 0 && s.size+len(message) > maxQueued {
		if !s.full {
			s.full = true
			go s.web.o.Note("a client reads no stream (GET) for messages of the server: those of more than 1 MiB are lost") // mu is held
		}
		s.tap.message(false, message)
		return
	}
	s.held, s.size = append(s.held, message), s.size+len(message)
}

// toClient sends a message of the server to the client.
func (s *session) toClient(message []byte) error {
	messages := parse(message)
	if len(messages) == 0 {
		s.tap.message(false, message)
		return nil // a client over HTTP cannot receive it
	}
	message = flat(message)
	lost := false
	s.box.push(message, func() (*reply, item) {
		out, it := s.routeLocked(messages)
		if lost = out == nil && messages[0].Method == ""; out == nil && !lost {
			s.holdLocked(message)
		}
		return out, it
	})
	if lost {
		s.lose(message, messages[0].ID)
	}
	return nil
}

// lose notes a response for which no HTTP request waits. The general stream must not have
// responses.
func (s *session) lose(message []byte, id jsonrpc.ID) {
	s.box.mu.Lock()
	expected := slices.Contains(s.gone, id)
	i := slices.IndexFunc(s.replies, func(out *reply) bool { return slices.Contains(out.all, id) })
	var out *reply
	if i >= 0 {
		out = s.replies[i]
	}
	s.box.mu.Unlock()
	if out != nil { // it has the first response
		out.lost(message)
	} else {
		s.tap.message(false, message)
	}
	if !expected {
		s.web.o.Note(lostResponse(id.String()))
	}
}

// lostResponse says that the server has sent a response that no client waits for.
func lostResponse(id string) string {
	return "the server has sent a response with the id " + id + ", for which no request waits; over HTTP, the client cannot receive it"
}

// maxGone is how many requests without a client that waits a proxy remembers.
const maxGone = 1000

// leaveLocked notes that no client waits for the responses to these requests.
func (s *session) leaveLocked(ids ...jsonrpc.ID) {
	s.gone = appendGone(s.gone, ids...)
}

// appendGone appends to a list, and keeps its last maxGone items.
func appendGone[T any](list []T, more ...T) []T {
	list = append(list, more...)
	return slices.Delete(list, 0, max(0, len(list)-maxGone))
}

// routeLocked returns the reply that a message belongs to: of the request that it
// responds to or has the progress token of, or of the only request there is. Other
// messages go to the general stream, or without one to the newest request, as many
// clients have no general stream.
func (s *session) routeLocked(messages []jsonrpc.Message) (*reply, item) {
	m := &messages[0]
	token := ""
	if m.Method == "notifications/progress" {
		token = string(wire.Lookup(m.Params, "progressToken"))
	}
	// The newest comes first: the reply to a client that has gone may still be there.
	for _, out := range slices.Backward(s.replies) {
		switch {
		case m.Method == "" && slices.Contains(out.ids, m.ID):
			it := item{}
			for _, m := range messages {
				if m.Method == "" {
					it.ids = append(it.ids, m.ID)
				}
			}
			if m.Error != nil {
				it.code = m.Error.Code
			}
			return out, it
		case token != "" && slices.Contains(out.tokens, token):
			return out, item{}
		}
	}
	n := len(s.replies)
	switch {
	case m.Method == "":
		return s.routeByTextLocked(m)
	case n == 1 || n > 0 && s.general == nil:
		return s.replies[n-1], item{}
	}
	return s.general, item{}
}

// routeByTextLocked returns the reply to the only request whose id has the same text as
// that of the response, but is a number where that is a string, or a string where that
// is a number: lenient clients accept the response.
func (s *session) routeByTextLocked(m *jsonrpc.Message) (found *reply, it item) {
	for _, out := range s.replies {
		for _, id := range out.ids {
			if !sameText(id, m.ID) {
				continue
			}
			if found != nil {
				return nil, item{}
			}
			found, it.ids = out, []jsonrpc.ID{id}
		}
	}
	if found == nil {
		return nil, item{} // the client has left
	}
	if m.Error != nil {
		it.code = m.Error.Code
	}
	go s.web.o.Note(otherType(it.ids[0].String(), m.ID.String())) // mu is held
	return found, it
}

// sameText reports whether two ids have the same text.
func sameText(a, b jsonrpc.ID) bool {
	return strings.Trim(a.String(), `"`) == strings.Trim(b.String(), `"`)
}

// otherType says that the id of a response has another JSON type than that of the request.
func otherType(request, response string) string {
	return "the server has responded to the request " + request + " with the id " + response + ", which only lenient clients accept"
}

var errNoServer = errors.New("the server has ended")
