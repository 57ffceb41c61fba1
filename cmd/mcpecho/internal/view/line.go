package view

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxText limits a text of the client or the server on a line, in bytes.
const maxText = 200

// A Line describes an entry, or a problem of a file.
type Line struct {
	Entry  *recording.Entry
	Kind   string // request, response, notification, batch, invalid, text, http, end, unanswered or file
	Method string // method of the message; for a response, that of its request
	Name   string // name of the tool or the prompt, or URI of the resource
	Size   int    // length of the message in bytes
	Took   time.Duration
	Timed  bool   // whether Took is known
	Note   string // what the entry says
	Error  string // the problem; empty if there is none
	All    bool   // whether Text shows HTTP messages without a problem

	id      string   // of a request, a response or what is canceled, in JSON, or # and that of an exchange
	request *request // itself, or that of a response
	root    *request // that of the exchange to which it belongs; nil for none
	n       int      // of a request, in the order in which they came

	open      bool // whether it is a request without a response
	isMessage bool // whether Summary counts it as a message
}

// describeRelated adds to a message of an exchange, other than its request and its
// response, whose it is, and to progress how far it is.
func (l *Line) describeRelated() {
	params := l.Entry.Message.Params
	if l.Method == "notifications/progress" {
		l.Note = string(wire.Lookup(params, "progress"))
		if total := wire.Lookup(params, "total"); total != nil {
			l.Note += "/" + string(total)
		}
		if message := wire.Lookup(params, "message"); message != nil {
			l.Note += " " + string(message)
		}
		if l.root == nil {
			l.Note += " of token " + string(wire.Lookup(params, "progressToken"))
		}
	}
	if l.root != nil {
		l.Note = strings.TrimSpace(short(l.Note) + " of " + l.root.line.id)
	}
}

// describeHTTP describes what is wrong with an HTTP message.
func (l *Line) describeHTTP() {
	h := l.Entry.HTTP
	l.Kind, l.Note, l.id = "http", strings.TrimSpace(h.Method+" "+h.URL), "#"+strconv.Itoa(h.Exchange)
	if h.Status > 0 {
		l.Note = "status " + strconv.Itoa(h.Status)
	}
	if h.Status >= 300 && h.Status != http.StatusMethodNotAllowed { // servers may refuse GET so
		l.Note, l.Error = "", l.Note
	}
	for _, name := range [...]string{"content-type", "accept"} {
		if values, ok := h.Headers[name]; ok {
			l.mark(name + " " + wire.Quote(strings.Join(values, ", ")))
		}
	}
}

// indent is the width of a line before what it says.
const indent = 44

// Text returns the line for people, or "" for an HTTP message without a problem, unless All
// is set. It breaks the text to fit into width columns, unless width is 0; style applies
// styles.
func (l *Line) Text(width int, style func(terminal.Style, string) string) string {
	if l.Kind == "http" && l.Error == "" && l.Entry.HTTP.Status < 300 && !l.All {
		return ""
	}
	arrow := "<"
	switch {
	case l.isRemark() || l.Entry.Kind == recording.Refusal:
		arrow = "-"
	case l.Entry.Sent:
		arrow = ">"
	}
	conn, id, took, size := "", show(l.id), "", ""
	if l.Entry.Conn > 0 {
		conn = strconv.Itoa(l.Entry.Conn)
	}
	if l.Timed {
		took = strconv.FormatFloat(float64(l.Took.Microseconds())/1000, 'f', 1, 64) + " ms"
	}
	if l.Size > 0 {
		size = strconv.Itoa(l.Size) + " B"
	}
	what, problem, gap := l.Kind, "", "  "
	if l.Method != "" || l.Kind == "response" {
		what = strings.TrimSpace(show(l.Method) + " " + show(l.Name))
	}
	if l.Note != "" {
		what += "  " + show(l.Note)
	}
	if l.Error != "" {
		problem = "! " + show(l.Error)
	}
	if width -= indent; width > 0 {
		if terminal.TextWidth(what+gap+problem) > width && what != "" {
			gap = "\n"
		}
		what, problem = terminal.Wrap(what, width), terminal.Wrap(problem, width)
	}
	if what == "" || problem == "" {
		gap = ""
	}
	what = strings.ReplaceAll(what+gap+style(terminal.Red, problem), "\n", "\n"+strings.Repeat(" ", indent))
	return strings.TrimRight(fmt.Sprintf("%9.3f %-3s %s %-5s %10s %9s  %s", l.Entry.At.Seconds(), conn, arrow, id, took, size, what), " ") + "\n"
}

// isRemark reports whether the line is not about a message of the client or the server.
func (l *Line) isRemark() bool { return l.Kind == "end" || l.Kind == "file" }

// show returns text of the client or the server for a line.
func show(s string) string { return display.EscapeName(diag.Cut(s, maxText)) }

// contains reports whether the line, or its message, has a text.
func (l *Line) contains(text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(text)) }
	return has(l.Text(0, func(_ terminal.Style, s string) string { return s })) || has(l.Message())
}

// Message returns the message for a terminal, or "".
func (l *Line) Message() string {
	if l.Entry.Kind != recording.Message && l.Kind != "http" {
		return ""
	}
	return display.EscapeName(l.Entry.Text)
}

// JSON returns the line for programs.
func (l *Line) JSON() []byte {
	b := strconv.AppendFloat(wire.AppendKey([]byte("{"), "at"), l.Entry.At.Seconds(), 'f', 6, 64)
	if l.Entry.Conn > 0 {
		b = wire.AppendInt(wire.AppendKey(b, "connection"), int64(l.Entry.Conn))
	}
	if !l.isRemark() {
		dir := "recv"
		switch {
		case l.Entry.Sent:
			dir = "send"
		case l.Entry.Kind == recording.Refusal:
			dir = "proxy"
		}
		b = wire.AppendString(wire.AppendKey(b, "dir"), dir)
	}
	b = wire.AppendString(wire.AppendKey(b, "kind"), l.Kind)
	for _, member := range [...]struct{ key, value string }{{"method", l.Method}, {"name", l.Name}, {"note", l.Note}, {"error", l.Error}} {
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
	case l.Size > 0:
		b = wire.AppendInt(wire.AppendKey(b, "bytes"), int64(l.Size))
		if l.Entry.Text == "" {
			b = append(wire.AppendKey(b, "id"), cmp.Or(l.id, "null")...)
		} else {
			b = wire.AppendKey(b, "message")
			if wire.Valid([]byte(l.Entry.Text)) == nil {
				b = append(b, l.Entry.Text...)
			} else { // which would be other members of the line
				b = wire.AppendString(b, l.Entry.Text)
			}
		}
	}
	return append(b, "}\n"...)
}
