// Package view describes each message of a recording in a line, and marks problems.
package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Filter selects lines. A request matches if its response does, and the other way round.
type Filter struct {
	Method string // a glob; empty for all
	Tool   string // a glob for the names of tools; empty for all
	ID     string // of a request, as JSON or without quotes; empty for all
	Conn   string // a glob for the numbers of connections; empty for all
	Sender string // client, server or a glob; empty for both
	Grep   string // in the line or the message as displayed, in lower or upper case; empty for all
	Errors bool   // what went wrong, and the requests that it answers
}

// A Viewer describes the entries of files in their order.
type Viewer struct {
	Filter

	// Open has the lines of the requests of a file that have no response, from [Open]. With
	// it the Viewer marks these requests where they are; otherwise it lists them again at the
	// end.
	Open map[int]*Line
	only bool // the requests are looked at, and nothing else

	messages, shown    int // number of all messages, and of those that match
	errors, unanswered int // numbers of lines that match
	requests           requests
	schemas            schemas
	last               time.Duration // of the last entry

	found [len(members)]bool              // whether a line matches each of the patterns
	names [len(members)]map[string]string // the keys are those that other lines have
}

// Open reads a file to its end, and returns the lines of its requests without a response.
func Open(r io.Reader) map[int]*Line {
	v, from, open := Viewer{only: true}, recording.NewReader(r), make(map[int]*Line)
	keep := func(lines []*Line) {
		for _, l := range lines {
			if l.Kind == "unanswered" {
				open[l.n] = l
			}
		}
	}
	for {
		e, err := from.Next()
		if err != nil { // the end, or what the second reading reports
			keep(v.End(""))
			return open
		}
		keep(v.Describe(&e))
	}
}

// maxNames limits the names that Unmatched compares with the filter.
const maxNames = 1000

// Describe returns the lines of an entry that match the filter.
func (v *Viewer) Describe(e *recording.Entry) (lines []*Line) {
	v.last = e.At
	if e.Kind == recording.Message && strings.HasPrefix(e.Text, "[") {
		return v.describeBatch(e)
	}
	lines = v.add(nil, v.describe(e))
	if e.Kind == recording.Connection {
		lines = v.addUnanswered(lines, e.Conn)
		v.schemas.end(e.Conn)
	}
	return lines
}

// maxBatch limits the messages of a batch that are described.
const maxBatch = 10_000

// describeBatch returns the line of a batch and those of its messages.
func (v *Viewer) describeBatch(e *recording.Entry) []*Line {
	lines := []*Line{{Entry: e, Kind: "batch", Size: len(e.Text)}}
	in, n := wire.NewReader([]byte(e.Text)), 0
	for in.Array(); in.More(); n++ {
		if n >= maxBatch { // of tiny messages, each takes a hundred times its length
			in.Skip()
			continue
		}
		one := *e
		one.Text = string(in.Raw())
		one.ParseMessage()
		lines = v.add(lines, v.describe(&one))
	}
	switch lines[0].Note = "of " + strconv.Itoa(n); {
	case n > maxBatch:
		lines[0].Error = "only the first " + strconv.Itoa(maxBatch) + " are shown"
	case n == 0:
		lines[0].Error = "it is empty"
		return v.add(nil, lines[0])
	case len(lines) == 1:
		return nil
	}
	return lines
}

// End returns the lines at the end of a file: those of the requests without a response,
// and one with missing, the description of what the file lacks, unless that is empty.
func (v *Viewer) End(missing string) []*Line {
	lines := v.addUnanswered(nil, 0)
	if v.isEmpty() {
		v.unanswered += v.requests.forgotten
	}
	if v.schemas.spent >= maxChecks {
		lines = append(lines, v.Remark("", "not all calls were checked against the schemas of their tools, which takes more than "+maxChecks.String()))
	}
	v.requests, v.schemas = requests{}, schemas{}
	if missing != "" {
		lines = append(lines, v.Remark("", missing))
	}
	return lines
}

// Remark returns a line about the file itself.
func (v *Viewer) Remark(note, problem string) *Line {
	return &Line{Entry: &recording.Entry{At: v.last}, Kind: "file", Note: note, Error: problem}
}

// describe returns the line of an entry that is not a batch.
func (v *Viewer) describe(e *recording.Entry) *Line {
	m := &e.Message
	l := &Line{Entry: e, id: m.ID.String()}
	if l.id == "null" && wire.Lookup([]byte(e.Text), "id") == nil {
		l.id = ""
	}
	switch {
	case e.Kind == recording.Connection:
		l.Kind, l.Error = "end", e.Text
		return l
	case e.Kind == recording.Exchange:
		l.describeHTTP()
		v.requests.exchange(l)
		return l
	}
	v.messages++
	l.isMessage = true
	l.Size = len(e.Text)
	switch {
	case e.Kind == recording.Text:
		l.Kind, l.Error, l.Size = "text", "not JSON: "+e.Text, 0
		if wire.Valid([]byte(e.Text)) == nil {
			l.Error = "its end is missing: " + e.Text
		}
	case m.Method == "" && m.ID.IsZero():
		l.Kind, l.Error = "invalid", "a batch in a batch"
		if e.Invalid != nil {
			l.Error = e.Invalid.Error()
		}
	case m.Method == "":
		l.Kind = "response"
		l.request = v.requests.answer(l)
		switch {
		case v.only:
		case l.Method == "tools/list":
			v.schemas.learn(e.Conn, m.Result)
		case l.Method == "tools/call":
			v.schemas.checkResult(l)
		}
	case m.IsRequest():
		l.Kind, l.Method, l.Name = "request", m.Method, nameOf(m.Params)
		l.root = v.requests.related(l)
		l.describeRelated()
		v.requests.add(l, v.Filter.Errors)
		if l.Method == "tools/call" && !v.only {
			v.schemas.checkCall(l)
		}
		if open := v.Open[l.n]; open != nil {
			l.mark(open.Error)
			l.Took, l.Timed, l.open = open.Took, true, true
		}
	default:
		l.Kind, l.Method, l.Name = "notification", m.Method, nameOf(m.Params)
		if m.Method == "notifications/cancelled" {
			v.requests.cancel(l)
			break
		}
		l.root = v.requests.related(l)
		l.describeRelated()
	}
	return l
}

// add appends a line if it matches the filter. In front of a response, it appends the
// request if that has not matched.
func (v *Viewer) add(lines []*Line, l *Line) []*Line {
	if !v.matches(l) {
		return lines
	}
	if r := l.request; r != nil {
		if v.Filter.Errors && !r.shown && l.Kind == "response" {
			lines = append(lines, r.line)
			v.shown++
		}
		r.shown = true
	}
	switch {
	case l.Kind == "unanswered", l.open:
		v.unanswered++
	case l.Error != "":
		v.errors++
	}
	if l.isMessage {
		v.shown++
	}
	return append(lines, l)
}

// addUnanswered appends the lines of requests of a connection, or of all if it is 0,
// without a response.
func (v *Viewer) addUnanswered(lines []*Line, conn int) []*Line {
	for _, l := range v.requests.unanswered(conn, v.last) {
		if v.Open[l.n] == nil {
			lines = v.add(lines, l)
		}
	}
	return lines
}

// members are the names of what a filter selects by.
var members = [...]string{"method", "tool", "id", "connection", "sender"}

// byID and bySender are the indexes of the first and after the last member that numbers
// are for.
const byID, bySender = 2, 4

// patterns returns the values of members.
func (f *Filter) patterns() [len(members)]string {
	return [...]string{f.Method, f.Tool, f.ID, f.Conn, f.Sender}
}

// isEmpty reports whether the filter selects all lines.
func (f *Filter) isEmpty() bool { return *f == Filter{} }

func (v *Viewer) matches(l *Line) bool {
	call := l
	if l.root != nil {
		call = l.root.line
	}
	has := [...]string{l.Method, "", l.id, strconv.Itoa(l.Entry.Conn), "server"}
	switch {
	case l.isRemark():
		has[4] = ""
	case l.Entry.Sent:
		has[4] = "client"
	}
	if call.Method == "tools/call" {
		has[1] = call.Name
	}
	ok := (!v.Filter.Errors || l.Error != "") && (v.Filter.Grep == "" || l.contains(v.Filter.Grep))
	for i, pattern := range v.patterns() {
		switch name := has[i]; {
		case pattern == "":
		case isMatch(pattern, name), i == byID && isMatch(pattern, call.id):
			v.found[i] = true
		default:
			ok = false
			if v.names[i] == nil {
				v.names[i] = make(map[string]string)
			}
			if name != "" && len(v.names[i]) < maxNames {
				v.names[i][strings.Clone(diag.Cut(name, maxText))] = ""
			}
		}
	}
	return ok
}

// isMatch reports whether a name, or an id with or without quotes, matches a glob.
func isMatch(pattern, name string) bool {
	return name != "" && (glob.Match(pattern, name) || glob.Match(pattern, strings.Trim(name, `"`)))
}

// Unmatched returns the first member of the filter that matches nothing at all, and what
// it could be.
func (v *Viewer) Unmatched() (member, pattern string, names []string) {
	for i, pattern := range v.patterns() {
		if pattern != "" && !v.found[i] {
			names = wire.SortedKeys(v.names[i])
			for n := range names {
				for ; byID <= i && i < bySender && n > 0 && len(names[n]) < len(names[n-1]); n-- { // 9 is before 10
					names[n], names[n-1] = names[n-1], names[n]
				}
			}
			return members[i], pattern, names
		}
	}
	return "", "", nil
}

// Summary returns the last line, for people or in JSON.
func (v *Viewer) Summary(inJSON bool) string {
	if inJSON {
		return fmt.Sprintf(`{"kind":"summary","messages":%d,"shown":%d,"errors":%d,"unanswered":%d}`+"\n", v.messages, v.shown, v.errors, v.unanswered)
	}
	text := terminal.Count(v.messages, "message") + ", " + terminal.Count(v.errors, "error")
	if !v.isEmpty() {
		text = strconv.Itoa(v.shown) + " of " + text
	}
	if v.unanswered > 0 {
		text += ", " + terminal.Count(v.unanswered, "request") + " without a response"
	}
	return text + "\n"
}

// nameOf returns the name or the URI in the params of a request.
func nameOf(params []byte) string {
	for _, member := range [...]string{"name", "uri", "taskId"} {
		if r := wire.NewReader(wire.Lookup(params, member)); r.Kind() == wire.String {
			return r.String()
		}
	}
	return ""
}
