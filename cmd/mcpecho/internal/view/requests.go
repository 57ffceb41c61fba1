package view

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	maxWaiting  = 50_000   // requests without a response that are remembered
	maxAnswered = 1000     // requests with a response that are remembered, to find a second one
	maxKept     = 64 << 20 // bytes of the messages of requests that are remembered
	maxName     = 1000     // bytes of the names and ids of requests that are remembered
)

// A key identifies a request.
type key struct {
	conn int
	sent bool   // by the client
	id   string // in JSON; an integer in its usual notation
}

// A request waits for its response, or had it.
type request struct {
	key
	line *Line // whose entry has the message only if it is to be shown with its response
	n    int   // in the order in which they came
	kept int   // bytes of the message

	answered, canceled, shown bool
}

// requests match responses with requests. The zero value is ready to use.
type requests struct {
	known     map[key]*request
	answered  []key // those in known with a response, in the order of these
	n         int
	kept      int               // bytes
	forgotten int               // requests without a response
	methods   map[[2]int]string // of HTTP requests, by connection and exchange
}

// add remembers a request, and with keep its message.
func (q *requests) add(l *Line, keep bool) {
	k := key{l.Entry.Conn, l.Entry.Sent, normal(l.id)}
	if before := q.known[k]; before != nil && !before.answered {
		l.Error = "another request with this id waits for its response"
	}
	if len(k.id) > maxName {
		q.forgotten++
		return
	}
	r := &request{key: k, line: l, n: q.n}
	if size := 2 * l.Size; keep && q.kept+size <= maxKept { // the message and its text
		r.kept = size
		q.kept += size
	} else {
		e := &Entry{Entry: recording.Entry{Conn: l.Entry.Conn, At: l.Entry.At, Sent: l.Entry.Sent}} // the message may be long
		r.line = &Line{Entry: e, Kind: l.Kind, Method: short(l.Method), Name: short(l.Name), id: strings.Clone(l.id), Size: l.Size}
	}
	if q.known == nil {
		q.known = make(map[key]*request)
	}
	if len(q.known) >= maxWaiting+maxAnswered {
		for k, r := range q.known {
			if !r.answered {
				q.forget(k)
				q.forgotten++
				break
			}
		}
	}
	q.known[k] = r
	q.n++
}

// short returns a copy of a name that may be long.
func short(s string) string { return strings.Clone(diag.Cut(s, maxName)) }

// normal returns an id, for which 7.0 is 7.
func normal(id string) string {
	if id != "" && id[0] != '"' {
		if n, err := strconv.ParseFloat(id, 64); err == nil && n == float64(int64(n)) && strings.ContainsAny(id, ".eE") {
			return strconv.FormatInt(int64(n), 10)
		}
	}
	return strings.Clone(id)
}

// forget removes a request.
func (q *requests) forget(k key) {
	if r := q.known[k]; r != nil {
		q.kept -= r.kept
		delete(q.known, k)
	}
}

// answer describes a response, and returns its request, or nil.
func (q *requests) answer(l *Line) *request {
	m := &l.Entry.Message
	k := key{l.Entry.Conn, !l.Entry.Sent, normal(l.id)}
	r := q.known[k]
	var problems []string
	if text, quoted := strings.CutPrefix(k.id, `"`); r == nil && quoted {
		k.id = strings.TrimSuffix(text, `"`)
		if r = q.known[k]; r != nil {
			problems = append(problems, "its id is a string, and that of the request is a number")
		}
	} else if r == nil {
		k.id = `"` + k.id + `"`
		if r = q.known[k]; r != nil {
			problems = append(problems, "its id is a number, and that of the request is a string")
		}
	}
	switch {
	case r == nil && l.id == "null":
		problems = append(problems, "its id is null")
	case r == nil && q.forgotten > 0:
		q.forgotten--
	case r == nil:
		problems = append(problems, "no request has this id")
	case r.answered:
		problems = append(problems, "a further response to the request")
	default:
		r.answered = true
		if q.answered = append(q.answered, k); len(q.answered) > maxAnswered {
			if old := q.known[q.answered[0]]; old != nil && old.answered {
				q.forget(q.answered[0])
			}
			q.answered = q.answered[1:]
		}
	}
	if r != nil {
		l.Method, l.Name = r.line.Method, r.line.Name
		l.Took, l.Timed = l.Entry.At-r.line.Entry.At, true
	}
	switch {
	case l.Entry.Invalid != nil:
		problems = append(problems, l.Entry.Invalid.Error())
	case m.Error != nil:
		problems = append(problems, "error "+strconv.FormatInt(m.Error.Code, 10)+": "+m.Error.Message)
	case string(wire.Lookup(m.Result, "isError")) == "true":
		problems = append(problems, "the tool failed")
	}
	l.Error = strings.Join(problems, "; ")
	return r
}

// cancel notes that a request needs no response any more.
func (q *requests) cancel(l *Line) {
	var id jsonrpc.ID
	if id.UnmarshalJSON(wire.Lookup(l.Entry.Message.Params, "requestId")) == nil {
		l.id = id.String()
		if r := q.known[key{l.Entry.Conn, l.Entry.Sent, normal(l.id)}]; r != nil {
			r.canceled = true
		}
	}
}

// unanswered removes the requests without a response of a connection that ended, or of
// all if it is 0, and returns their lines.
func (q *requests) unanswered(conn int, at time.Duration) (lines []*Line) {
	var found []*request
	for k, r := range q.known {
		if conn == 0 || k.conn == conn {
			q.forget(k)
			if !r.answered && !r.canceled && r.line.Method != "subscriptions/listen" { // which has it at its end
				found = append(found, r)
			}
		}
	}
	slices.SortFunc(found, func(a, b *request) int { return a.n - b.n })
	for _, r := range found {
		l := r.line // which was printed
		l.Kind, l.Error, l.Took, l.Timed = "unanswered", "no response", at-l.Entry.At, true
		lines = append(lines, l)
	}
	return lines
}

// describeHTTP describes what is wrong with an HTTP message.
func (q *requests) describeHTTP(l *Line) {
	h := l.Entry.HTTP
	exchange := [2]int{l.Entry.Conn, h.Exchange}
	l.Note = h.Method
	if h.Status == 0 {
		if q.methods == nil || len(q.methods) > maxWaiting {
			q.methods = make(map[[2]int]string)
		}
		q.methods[exchange] = short(h.Method)
	} else {
		l.Note = q.methods[exchange]
		delete(q.methods, exchange)
	}
	if h.Status >= 300 && !(h.Status == http.StatusMethodNotAllowed && (l.Note == "GET" || l.Note == "DELETE")) { // which a server need not have
		l.Error = "status " + strconv.Itoa(h.Status)
	}
	for _, name := range [...]string{"content-type", "accept"} {
		if values, ok := h.Headers[name]; ok {
			l.Error += " " + name + " " + wire.Quote(strings.Join(values, ", "))
		}
	}
	l.Error = strings.TrimSpace(l.Error)
}
