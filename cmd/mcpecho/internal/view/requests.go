package view

import (
	"cmp"
	"maps"
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
	maxWords    = 16 << 20 // bytes of their names, ids and tokens
	maxName     = 1000     // bytes of the names and ids of requests that are remembered
	maxTags     = 3        // of a request: its progress token, and the id of its task in each version
)

// A key identifies a request.
type key struct {
	conn int
	sent bool   // by the client
	id   string // in JSON; an integer in its usual notation
}

// A request waits for its response, or has received it.
type request struct {
	line        *Line    // whose entry has the message only if it is to be shown with its response
	root        *request // the request of the exchange to which it belongs, often itself
	kept, words int      // bytes of the message, and of its names, id and tokens
	tags        []key    // those in requests.tags

	open          bool     // whether it is a call of a tool that waits for its response
	before, after *request // the other open calls of the connection

	answered, shown bool
	progress        *float64      // the last one; nil if there was none
	canceled        time.Duration // the time of its cancellation; 0 if there is none
}

// requests match responses with requests. The zero value is ready to use.
type requests struct {
	known       map[int]map[key]*request // by the number of the connection
	size        int                      // number of requests in known
	answered    []key                    // those in known with a response, in the order of these
	tags        map[key]*request         // by progress tokens and by the ids of tasks, and the last of the open calls of a connection
	n           int
	exchanges   map[[2]int]time.Duration // when the HTTP requests without a response began, by connection and exchange
	kept, words int                      // bytes of the messages in known, and of the names, ids and tokens
	forgotten   int                      // number of requests without a response that are not in known
}

func (q *requests) find(k key) *request { return q.known[k.conn][k] }

// add remembers a request, and with keep its message.
func (q *requests) add(l *Line, keep bool) {
	k := key{l.Entry.Conn, l.Entry.Sent, normal(l.id)}
	if before := q.find(k); before != nil && !before.answered {
		l.Error = "another request with this id waits for its response"
	}
	if len(k.id) > maxName || q.size >= maxWaiting+maxAnswered || q.words >= maxWords {
		q.forgotten++
		return
	}
	q.n++
	l.n = q.n
	r := &request{line: l}
	if size := 2 * l.Size; keep && q.kept+size <= maxKept { // the message and its text
		r.kept = size
		q.kept += size
	} else { // the message may be long
		e := new(recording.Entry)
		e.Conn, e.At, e.Sent = l.Entry.Conn, l.Entry.At, l.Entry.Sent
		r.line = &Line{Entry: e, Kind: l.Kind, Method: short(l.Method), Name: short(l.Name), id: k.id, n: q.n, Size: l.Size}
		r.words = len(k.id) + len(r.line.Method) + len(r.line.Name)
		q.words += r.words
	}
	r.root = cmp.Or(l.root, r)
	r.line.root, r.line.request = r.root, r
	l.root, l.request = r.root, r
	if q.known == nil {
		q.known, q.tags = make(map[int]map[key]*request), make(map[key]*request)
	}
	q.forget(k)
	if q.known[k.conn] == nil {
		q.known[k.conn] = make(map[key]*request)
	}
	q.known[k.conn][k] = r
	q.size++
	q.tag(r, k.sent, "token ", wire.Lookup(l.Entry.Message.Params, "_meta", "progressToken"))
	if k.sent && l.Method == "tools/call" {
		last := q.tags[openCalls(k.conn)]
		if r.open, r.before = true, last; last != nil {
			last.after = r
		}
		q.tags[openCalls(k.conn)] = r
	}
}

// exchange remembers an HTTP request, or adds to its response how long it took.
func (q *requests) exchange(l *Line) {
	k := [2]int{l.Entry.Conn, l.Entry.HTTP.Exchange}
	if began, ok := q.exchanges[k]; ok && l.Entry.HTTP.Status > 0 {
		l.Took, l.Timed = l.Entry.At-began, true
		delete(q.exchanges, k)
	} else if l.Entry.HTTP.Status == 0 && len(q.exchanges) < maxWaiting {
		if q.exchanges == nil {
			q.exchanges = make(map[[2]int]time.Duration)
		}
		q.exchanges[k] = l.Entry.At
	}
}

// openCalls is the key of requests.tags for the open calls of a connection.
func openCalls(conn int) key { return key{conn: conn, id: "open"} }

// close removes a request from the open calls.
func (q *requests) close(r *request) {
	switch {
	case !r.open:
		return
	case r.after != nil:
		r.after.before = r.before
	case r.before != nil:
		q.tags[openCalls(r.line.Entry.Conn)] = r.before
	default:
		delete(q.tags, openCalls(r.line.Entry.Conn))
	}
	if r.before != nil {
		r.before.after = r.after
	}
	r.open, r.before, r.after = false, nil, nil
}

// tag makes related find a request by a progress token, or by the id of its task.
func (q *requests) tag(r *request, sent bool, kind string, value []byte) {
	if k := (key{r.line.Entry.Conn, sent, kind + normal(string(value))}); value != nil && len(value) <= maxName && len(r.tags) < maxTags {
		q.tags[k] = r
		r.tags = append(r.tags, k)
		r.words += len(k.id)
		q.words += len(k.id)
	}
}

// related returns the request of the exchange to which a message belongs that is no
// response, or nil. What a server asks and logs belongs to the tool call that waits for
// its response, if it is the only one. Wrong progress is marked.
func (q *requests) related(l *Line) *request {
	e, params := l.Entry, l.Entry.Message.Params
	tag := key{e.Conn, !e.Sent, "token " + normal(string(wire.Lookup(params, "progressToken")))}
	isProgress := l.Method == "notifications/progress"
	if !isProgress {
		task := wire.Lookup(params, "taskId")
		if task == nil {
			task = wire.Lookup(params, "_meta", "io.modelcontextprotocol/related-task", "taskId")
		}
		tag = key{e.Conn, true, "task " + normal(string(task))}
	}
	r, open := q.tags[tag], q.tags[openCalls(e.Conn)]
	asks := l.Kind == "request" && l.Method != "ping" || l.Method == "notifications/message"
	if r == nil && !e.Sent && asks && open != nil && open.before == nil {
		r = open
	}
	if r == nil {
		if isProgress && q.forgotten == 0 && len(tag.id) <= maxName {
			l.mark("no request has this progress token")
		}
		return nil
	}
	if isProgress {
		r.checkProgress(l)
	}
	return r.root
}

// checkProgress marks progress of the request that does not increase.
func (r *request) checkProgress(l *Line) {
	now, err := strconv.ParseFloat(string(wire.Lookup(l.Entry.Message.Params, "progress")), 64)
	if err != nil {
		return
	}
	if r.progress != nil && now <= *r.progress {
		l.mark("the progress does not increase")
	}
	r.progress = &now
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

func (q *requests) forget(k key) {
	if r := q.find(k); r != nil {
		q.kept -= r.kept
		q.words -= r.words
		q.size--
		if delete(q.known[k.conn], k); len(q.known[k.conn]) == 0 {
			delete(q.known, k.conn)
		}
		q.close(r)
		for _, tag := range r.tags {
			if q.tags[tag] == r {
				delete(q.tags, tag)
			}
		}
	}
}

// answer describes a response, and returns its request, or nil.
func (q *requests) answer(l *Line) *request {
	m := &l.Entry.Message
	k := key{l.Entry.Conn, !l.Entry.Sent, normal(l.id)}
	r := q.find(k)
	if r == nil { // the id may have another JSON type than that of the request
		if k.id = strings.Trim(k.id, `"`); k.id == l.id {
			k.id = `"` + l.id + `"`
		}
		r = q.find(k)
	}
	isOfProxy := l.Entry.Kind == recording.Refusal // which has it for each request when the server ends
	switch {
	case r != nil && r.answered && isOfProxy:
	case r != nil && r.answered:
		l.Error = "a further response to the request"
	case r != nil:
		if k.id != normal(l.id) {
			l.Error = "the id of the request is " + k.id
		}
		r.answered = true
		q.close(r)
		q.tag(r, k.sent, "task ", wire.Lookup(m.Result, "taskId"))
		q.tag(r, k.sent, "task ", wire.Lookup(m.Result, "task", "taskId"))
		if q.answered = append(q.answered, k); len(q.answered) > maxAnswered {
			if old := q.find(q.answered[0]); old != nil && old.answered {
				q.forget(q.answered[0])
			}
			q.answered = q.answered[1:]
		}
	case l.id == "" && !isOfProxy:
		l.Error = "it has no id"
	case l.id == "null" && !isOfProxy:
		l.Error = "its id is null"
	case q.forgotten > 0:
		q.forgotten--
	case !isOfProxy:
		l.Error = "no request has this id"
	}
	if r != nil {
		l.Method, l.Name, l.root = r.line.Method, r.line.Name, r.root
		l.Took, l.Timed = l.Entry.At-r.line.Entry.At, true
	}
	failed := ""
	switch {
	case l.Entry.Invalid != nil:
		failed = l.Entry.Invalid.Error()
	case m.Error != nil:
		failed = "error " + strconv.FormatInt(m.Error.Code, 10) + ": " + m.Error.Message
	case string(wire.Lookup(m.Result, "isError")) == "true":
		failed = "the tool failed"
	}
	l.mark(failed)
	return r
}

// mark adds what is wrong with the line, unless that is empty.
func (l *Line) mark(problem string) {
	if l.Error != "" && problem != "" {
		problem = "; " + problem
	}
	l.Error += problem
}

// cancel notes the time at which the client or the server canceled a request.
func (q *requests) cancel(l *Line) {
	var id jsonrpc.ID
	if id.UnmarshalJSON(wire.Lookup(l.Entry.Message.Params, "requestId")) == nil {
		l.id = id.String()
		if r := q.find(key{l.Entry.Conn, l.Entry.Sent, normal(l.id)}); r != nil {
			r.canceled = max(l.Entry.At, 1)
			l.root = r.root
			q.close(r)
		}
	}
}

// unanswered removes the requests without a response of a connection that ended, or of
// all if it is 0, and returns their lines.
func (q *requests) unanswered(conn int, at time.Duration) (lines []*Line) {
	ended := map[int]map[key]*request{conn: q.known[conn]}
	if conn == 0 {
		ended = maps.Clone(q.known)
	}
	for _, known := range ended {
		for k, r := range known {
			q.forget(k)
			l, problem, until := r.line, "no response", at // the line was printed
			if r.canceled != 0 {
				problem, until = "no response until it was canceled", r.canceled
			}
			if !r.answered && l.Method != "subscriptions/listen" { // its response comes at its end
				l.Kind, l.Error, l.Took, l.Timed, l.isMessage = "unanswered", problem, max(until-l.Entry.At, 0), true, false
				lines = append(lines, l)
			}
		}
	}
	slices.SortFunc(lines, func(a, b *Line) int { return a.n - b.n })
	return lines
}
