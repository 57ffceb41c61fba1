package recording

import (
	"slices"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A WebStream is a [jsonrpc.Stream] of a client over HTTP.
type WebStream interface {
	jsonrpc.Stream

	// Respond sends a part of the HTTP response to the request with the id: a response,
	// whatever its own id is, or other text; nil means that it has no content. h
	// describes the recorded HTTP response, and is nil if there was none. last reports
	// that the HTTP response ends here.
	Respond(id jsonrpc.ID, h *HTTP, text []byte, last bool)
}

// Status returns the recorded HTTP response to a notification of the client, or nil.
func (r *Replay) Status(m jsonrpc.Message) *HTTP {
	if x := r.match(m); x != nil {
		return x.http
	}
	return nil
}

// pairs finds the HTTP responses to the messages of a client on a connection. A proxy
// records an HTTP request before its message if the client sends it, and after it if the
// proxy does.
type pairs struct {
	after    bool              // whether the messages come first
	messages []*exchange       // without an HTTP request, if they come first
	requests []int             // without a message, otherwise
	over     map[int]bool      // HTTP requests that had a response before a message
	posted   map[int]*exchange // by HTTP request
	last     *exchange         // the last one with an HTTP response
}

// message notes a message of the client.
func (p *pairs) message(x *exchange) {
	switch {
	case p.posted == nil || p.after:
		p.posted, p.after = map[int]*exchange{}, true
		p.messages = append(p.messages, x)
	default:
		for n := 0; len(p.requests) > 0; {
			if n, p.requests = p.requests[0], p.requests[1:]; !p.over[n] {
				p.posted[n] = x
				return
			}
		}
	}
}

// exchange notes an HTTP request or a response.
func (p *pairs) exchange(h *HTTP) {
	if p.posted == nil {
		p.posted, p.over = map[int]*exchange{}, map[int]bool{}
	}
	n, x := h.Exchange, p.posted[h.Exchange]
	switch {
	case h.Status > 0 && x != nil:
		x.http, p.last = h, x
	case h.Status > 0 && !p.after:
		p.over[n] = true
	case h.Method != "POST":
	case !p.after:
		p.requests = append(p.requests, n)
	case len(p.messages) > 0:
		p.posted[n] = p.messages[0]
		p.messages = p.messages[1:]
	}
}

// refused notes that the proxy has sent an error. If that was in place of what the server responded
// with, the client got the error only; otherwise the server has not responded.
func (p *pairs) refused(e Entry) {
	x := p.last
	if x == nil {
		return
	}
	isContent := func(one *step) bool { return one.Kind == Text }
	replaced := x.response != nil || slices.ContainsFunc(x.messages, isContent) || x.http != nil && x.http.Headers["content-type"] != nil
	x.http = nil
	if replaced && x.request.Message.ID == e.Message.ID {
		e.Kind = Message
		x.messages = slices.DeleteFunc(x.messages, isContent)
		x.response, x.http = &step{Entry: e}, &HTTP{Status: 502}
	}
}
