package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"

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
// wrong happens again: no response, a wrong id, a line that is not a message, its end.
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
			post.refused(e)
			if x := pending[id]; x != nil && x.response == nil { // the server has not responded
				x.http = nil
			}
			delete(pending, id)
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
