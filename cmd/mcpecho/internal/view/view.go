// Package view reads recordings and traces, and describes each of their messages in a
// line.
package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	maxPending = 100_000 // requests that are remembered
	maxText    = 200     // bytes of a text of the client or the server on a line
)

// A Viewer describes the entries of one file in their order.
type Viewer struct {
	Method string // if not empty, only messages of this method, or with a * at its end of these

	pending map[string]request // without a response, by connection, direction and id
}

// A request has what the line of its response shows of it.
type request struct {
	method, name string
	at           time.Duration
}

// A Line is a described entry.
type Line struct {
	Entry  *Entry
	Kind   string // request, response, notification, batch, text, http, end or note
	Method string // of a message, for a response that of its request
	Name   string // of what it is for: a tool, a prompt or the URI of a resource
	Took   time.Duration
	Timed  bool   // whether Took is known
	Error  string // why it failed, or what is wrong with it
}

// Describe returns the line of an entry, or nil if it is not to be shown.
func (v *Viewer) Describe(e *Entry) *Line {
	l := &Line{Entry: e}
	m := &e.Message
	switch {
	case e.Note != "":
		l.Kind, l.Error = "note", e.Note
	case e.Kind == recording.Connection:
		l.Kind, l.Error = "end", e.Text
	case e.Kind == recording.Text:
		l.Kind, l.Error = "text", e.Text
	case e.Kind == recording.Exchange:
		l.Kind = "http"
		l.describeHTTP()
	case m.Method == "" && m.ID.IsZero():
		l.Kind, l.Error = "batch", e.Text
		if e.Text == "" || e.Text[0] != '[' {
			l.Kind = "text"
		}
	case m.Method == "":
		l.Kind = "response"
		v.describeResponse(l)
	default:
		l.Kind, l.Method, l.Name = "notification", m.Method, nameOf(m.Params)
		if m.IsRequest() {
			l.Kind = "request"
			if v.pending == nil || len(v.pending) >= maxPending {
				v.pending = make(map[string]request)
			}
			v.pending[key(e, e.Sent)] = request{strings.Clone(l.Method), strings.Clone(l.Name), e.At} // the message may be long
		}
	}
	if v.Method != "" {
		begin, several := strings.CutSuffix(v.Method, "*")
		if l.Method != v.Method && !(several && l.Method != "" && strings.HasPrefix(l.Method, begin)) {
			return nil
		}
	}
	return l
}

// key returns what identifies a request that the client has sent or received.
func key(e *Entry, sent bool) string { return fmt.Sprint(e.Conn, sent, e.Message.ID) }

// nameOf returns what the params of a request name.
func nameOf(params []byte) string {
	for _, member := range [...]string{"name", "uri", "taskId"} {
		if r := wire.NewReader(wire.Lookup(params, member)); r.Kind() == wire.String {
			return r.String()
		}
	}
	return ""
}

func (v *Viewer) describeResponse(l *Line) {
	m, k := &l.Entry.Message, key(l.Entry, !l.Entry.Sent)
	if r, ok := v.pending[k]; ok {
		delete(v.pending, k)
		l.Method, l.Name = r.method, r.name
		l.Took, l.Timed = l.Entry.At-r.at, true
	} else {
		l.Error = "no request waits for it"
	}
	switch {
	case m.Error != nil:
		l.Error = strings.TrimPrefix(l.Error+": error "+strconv.FormatInt(m.Error.Code, 10)+": "+m.Error.Message, ": ")
	case string(wire.Lookup(m.Result, "isError")) == "true":
		l.Error = "the tool failed"
	}
}

// describeHTTP describes what is wrong with an HTTP message.
func (l *Line) describeHTTP() {
	h := l.Entry.HTTP
	if h.Status >= 300 {
		l.Error = "status " + strconv.Itoa(h.Status)
	}
	for _, name := range [...]string{"content-type", "accept"} {
		if values, ok := h.Headers[name]; ok {
			l.Error += " " + name + " " + wire.Quote(strings.Join(values, ", "))
		}
	}
	l.Error = strings.TrimSpace(l.Error)
}

// Text returns the line for people, or "" for an HTTP message that is as it has to be.
func (l *Line) Text() string {
	if l.Kind == "http" && l.Error == "" {
		return ""
	}
	arrow := "<"
	switch {
	case l.Kind == "note" || l.Kind == "end":
		arrow = "-"
	case l.Entry.Sent:
		arrow = ">"
	}
	id, took, size := "", "", ""
	if l.Entry.Message.Method == "" && l.Kind == "response" || l.Kind == "request" {
		id = show(l.Entry.Message.ID.String())
	}
	if l.Timed {
		took = strconv.FormatFloat(float64(l.Took.Microseconds())/1000, 'f', 1, 64) + " ms"
	}
	if l.Method != "" || l.Kind == "response" {
		size = strconv.Itoa(len(l.Entry.Text)) + " B"
	}
	what := strings.TrimSpace(show(l.Method) + " " + show(l.Name))
	if l.Method == "" && l.Kind != "response" {
		what = l.Kind
	}
	if l.Error != "" {
		what = strings.TrimSpace(what + "  " + show(l.Error))
	}
	return strings.TrimRight(fmt.Sprintf("%9.3f %d %s %-5s %10s %9s  %s", l.Entry.At.Seconds(), l.Entry.Conn, arrow, id, took, size, what), " ") + "\n"
}

// show returns text of the client or the server for a line.
func show(s string) string { return display.EscapeName(diag.Cut(s, maxText)) }

// JSON returns the line for programs.
func (l *Line) JSON() []byte {
	b := strconv.AppendFloat(wire.AppendKey([]byte("{"), "at"), l.Entry.At.Seconds(), 'f', 6, 64)
	b = wire.AppendInt(wire.AppendKey(b, "connection"), int64(l.Entry.Conn))
	if l.Kind != "note" && l.Kind != "end" {
		dir := "recv"
		if l.Entry.Sent {
			dir = "send"
		}
		b = wire.AppendString(wire.AppendKey(b, "dir"), dir)
	}
	b = wire.AppendString(wire.AppendKey(b, "kind"), l.Kind)
	for _, member := range [...]struct{ key, value string }{{"method", l.Method}, {"name", l.Name}, {"error", l.Error}} {
		if member.value != "" {
			b = wire.AppendString(wire.AppendKey(b, member.key), member.value)
		}
	}
	if l.Timed {
		b = strconv.AppendFloat(wire.AppendKey(b, "ms"), float64(l.Took.Microseconds())/1000, 'f', -1, 64)
	}
	switch {
	case l.Kind == "http":
		b = append(wire.AppendKey(b, "http"), l.Entry.Text...)
	case l.Entry.Kind == recording.Message && l.Kind != "text" && l.Kind != "note":
		b = wire.AppendInt(wire.AppendKey(b, "bytes"), int64(len(l.Entry.Text)))
		b = append(wire.AppendKey(b, "message"), l.Entry.Text...)
	}
	return append(b, "}\n"...)
}
