package proxy

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// patience is how long a client that does not read may hold up the others.
const patience = 5 * time.Second

// shared serves the requests of the modern era, which have no session, through one
// connection to the server, in which each has another id and progress token.
type shared struct {
	web *Web

	mu        lock.Mutex // guards what follows
	link      *relay     // nil if there is none
	next      int64
	exchanges map[int64]*exchange
	recent    []*exchange // without a response to come, the last ones
	rest      *Tap        // of what belongs to no exchange; nil if there was nothing
	idle      *time.Timer // ends the connection; runs while there is no exchange
	closed    bool
}

// An exchange is a request of a client.
type exchange struct {
	out   *reply
	box   outbox
	own   int64  // its id at the server
	id    string // JSON, as the client sent it
	token string // its progress token, JSON; "" if it has none
	gone  bool   // no client waits; guarded by shared.mu
}

// add adds an exchange, and returns the connection to the server and the id that the
// request has there.
func (s *shared) add(x *exchange) (link *relay, own int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if link, err = s.openLocked(); err != nil {
		return nil, 0, err
	}
	if s.idle != nil {
		s.idle.Stop()
	}
	s.next++
	s.exchanges[s.next], x.own = x, s.next
	return link, s.next, nil
}

// openLocked returns the connection to the server.
func (s *shared) openLocked() (*relay, error) {
	if s.closed {
		return nil, errEnding
	}
	if s.link != nil {
		return s.link, nil
	}
	tap := &Tap{End: func(how string) { s.restTap().end(how) }} // each exchange has one of its own
	link, err := s.web.o.newRelay(context.WithoutCancel(s.web.life), tap, s.toClient)
	if err != nil {
		return nil, err
	}
	s.link, s.exchanges = link, make(map[int64]*exchange)
	s.web.running.Add(1)
	go func() { // ends with the stream of the server
		defer s.web.running.Done()
		link.run()
		if !link.closing.Load() {
			s.web.o.Note(link.err.Error())
		}
		s.forget(link)
		link.close()
	}()
	return link, nil
}

// restTap returns the Tap of what belongs to no exchange.
func (s *shared) restTap() *Tap {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest == nil {
		s.rest = s.web.o.tap()
	}
	return s.rest
}

// forget makes the next request open another connection.
func (s *shared) forget(link *relay) {
	s.mu.Lock()
	if s.link == link {
		s.link = nil
	}
	s.mu.Unlock()
}

// endIdle ends a connection that no request has used for idleTime.
func (s *shared) endIdle() {
	s.mu.Lock()
	link := s.link
	if len(s.exchanges) > 0 {
		link = nil
	} else {
		s.link = nil
	}
	s.mu.Unlock()
	if link != nil {
		link.close()
	}
}

func (s *shared) close() {
	s.mu.Lock()
	s.closed = true
	link := s.link
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	if link != nil {
		link.close()
	}
}

// post passes a request to the server and responds with what the server sends for it.
func (s *shared) post(w http.ResponseWriter, r *http.Request, line []byte, m *jsonrpc.Message, tap *Tap) {
	x := &exchange{id: m.ID.String(), token: string(wire.Lookup(m.Params, "_meta", "progressToken"))}
	x.box.patience = patience
	x.out = newReply(&x.box, tap)
	link, own, err := s.add(x)
	if err != nil {
		s.web.o.Note(err.Error())
		refuseMessage(w, line, http.StatusBadGateway, m.ID, codeProxy, err.Error())
		return
	}
	tap.message(true, line)
	number := strconv.FormatInt(own, 10)
	line = replace(line, number, "id")
	if x.token != "" {
		line = replace(line, number, "params", "_meta", "progressToken")
	}
	go func() { // ends when the server has read the message, or with the server
		if link.fromClient(line) != nil {
			<-link.done
			_ = s.toClient(refusal(jsonrpc.NumberID(own), codeProxy, errNoServer.Error())) // unless run has responded
		}
	}()
	discovers := m.Method == "server/discover"
	x.out.serve(w, r, nil, func(it item) int {
		if discovers && it.code == codeProxy { // it ends at an unknown request, as servers of the other era may
			return http.StatusNotFound
		}
		return statusOf(it.code)
	})
	x.box.end()
	s.mu.Lock()
	_, pending := s.exchanges[own]
	x.gone = pending
	s.retireLocked(own)
	if len(s.exchanges) == 0 && !s.closed {
		s.idle = time.AfterFunc(idleTime, s.endIdle)
	}
	s.mu.Unlock()
	x.out.end()
	if pending {
		note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + number + `,"reason":"the client has closed the response"}}`
		go func() { _ = link.fromClient([]byte(note)) }() // as above
		link.answered(jsonrpc.NumberID(own))
	}
}

// statusOf returns the HTTP status of a response, by the code of its error
// (2026-07-28, basic/transports/streamable-http).
func statusOf(code int64) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case mcp.CodeHeaderMismatch, mcp.CodeMissingClientCapability, mcp.CodeUnsupportedVersion, jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// toClient sends a message of the server to the client that it is for, with the id and
// the progress token of that client.
func (s *shared) toClient(message []byte) error {
	messages := parse(message)
	if len(messages) != 1 {
		s.restTap().message(false, message)
		return nil // the era has no batches
	}
	m := &messages[0]
	token := string(wire.Lookup(m.Params, "progressToken"))
	subscription := string(wire.Lookup(m.Params, "_meta", metaSubscription))
	var x *exchange
	s.mu.Lock()
	switch {
	case m.Method == "":
		own := number(m.ID.String())
		x = s.exchanges[own]
		s.retireLocked(own)
	case token != "":
		x = s.exchanges[number(token)]
	case subscription != "":
		x = s.exchanges[number(subscription)]
	case len(s.exchanges) == 1: // it can be for no other
		for _, x = range s.exchanges {
		}
	}
	s.mu.Unlock()
	if x == nil {
		s.lose(flat(message), m)
		return nil
	}
	it := item{last: m.Method == ""}
	message = flat(message)
	if m.Method == "" {
		id := x.id
		if text := m.ID.String(); text[0] == '"' && id[0] != '"' { // the client sees what is wrong
			id = `"` + id + `"`
			s.web.o.Note(otherType(x.id, id))
		}
		message = replace(message, id, "id")
		message = replace(message, x.id, "result", "_meta", metaSubscription)
	} else if token != "" {
		message = replace(message, x.token, "params", "progressToken")
	} else if subscription != "" {
		message = replace(message, x.id, "params", "_meta", metaSubscription)
	}
	if m.Error != nil {
		it.code = m.Error.Code
	}
	x.box.push(message, func() (*reply, item) {
		if x.box.over {
			return nil, it
		}
		return x.out, it
	})
	return nil
}

// retireLocked removes an exchange to which no response is to come.
func (s *shared) retireLocked(own int64) {
	x := s.exchanges[own]
	if x == nil {
		return
	}
	delete(s.exchanges, own)
	s.recent = appendGone(s.recent, x)
}

// lose notes a message that is for no request, or a second response to one.
func (s *shared) lose(message []byte, m *jsonrpc.Message) {
	if m.Method != "" {
		s.restTap().message(false, message)
		return
	}
	var x *exchange
	s.mu.Lock()
	own := number(m.ID.String())
	if i := slices.IndexFunc(s.recent, func(x *exchange) bool { return x.own == own }); i >= 0 {
		x = s.recent[i]
	}
	expected := x != nil && x.gone
	s.mu.Unlock()
	id := m.ID.String()
	if x == nil {
		s.restTap().message(false, message)
	} else {
		id = x.id
		x.out.lost(replace(message, id, "id"))
	}
	if !expected {
		s.web.o.Note(lostResponse(id))
	}
}

// number returns the number in a JSON text, or 0, which is not an id.
func number(text string) int64 {
	n, _ := strconv.ParseInt(strings.Trim(text, `"`), 10, 64) // servers may make a string of it
	return n
}

// headerMismatch describes the first header of a request that contradicts its body, or
// returns "". A server at the back over stdio cannot check that.
func headerMismatch(h http.Header, m *jsonrpc.Message) string {
	want := [][2]string{{versionHeader, version(m)}, {"Mcp-Method", m.Method}}
	switch m.Method {
	case "tools/call", "prompts/get":
		want = append(want, [2]string{"Mcp-Name", wire.TextOf(m.Params, "name")})
	case "resources/read":
		want = append(want, [2]string{"Mcp-Name", wire.TextOf(m.Params, "uri")})
	}
	for _, field := range want {
		have := h.Get(field[0])
		if inner, ok := strings.CutPrefix(have, "=?base64?"); ok && field[0] == "Mcp-Name" {
			decoded, _ := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
			have = string(decoded)
		}
		if have != field[1] {
			return "the header " + field[0] + " is " + wire.Quote(have) + ", but the body has " + wire.Quote(field[1])
		}
	}
	return ""
}
