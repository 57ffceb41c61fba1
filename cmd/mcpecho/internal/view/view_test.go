package view

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

func plain(_ terminal.Style, s string) string { return s }

func text(l *Line) string { return l.Text(0, plain) }

func inJSON(l *Line) string { return string(l.JSON()) }

// all returns what a Viewer prints of a file.
func all(t *testing.T, file string, filter Filter, line func(*Line) string) (printed string) {
	t.Helper()
	v := &Viewer{Filter: filter}
	entries, err := recording.Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, l := range v.Describe(&e) {
			printed += line(l)
		}
	}
	for _, l := range v.End("") {
		printed += line(l)
	}
	return printed + v.Summary(false)
}

// session is a recording with everything that can be in one.
func session(t *testing.T) string {
	var b bytes.Buffer
	w := recording.NewWriter(&b)
	at := time.Duration(0)
	add := func(sent bool, text string) {
		w.SetTime(at)
		w.Message(1, sent, []byte(text))
		at += 1500 * time.Microsecond
	}
	add(true, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\u001b[2Jdd"}}`)
	add(false, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
	add(true, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	add(false, `{"jsonrpc":"2.0","method":"notifications/message"}`)
	add(false, `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`)
	add(false, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"once\nmore"}}`)
	add(false, "Listening")
	w.Text(1, false, []byte(`{"jsonrpc":"2.0","id":2,"result":{}}`))
	w.Message(1, true, []byte(`{"jsonrpc":"2.0","id":3,"method":"ping"}`))
	w.Refusal(1, []byte(`{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"gone"}}`))
	w.HTTP(1, &recording.HTTP{Exchange: 1, Method: "DELETE"})
	w.HTTP(1, &recording.HTTP{Exchange: 1, Status: 502, Headers: map[string][]string{"Content-Type": {"text/html"}}})
	w.End(1, "exited with status 1")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLines(t *testing.T) {
	file := session(t)
	if got, want := all(t, file, Filter{}, text), `
    0.000 1   > 1                     79 B  tools/call a\u001b[2Jdd
    0.002 1   < 1                     54 B  elicitation/create  of 1
    0.003 1   > 1         1.5 ms      36 B  elicitation/create
    0.004 1   <                       50 B  notifications/message  of 1
    0.006 1   < 1         6.0 ms      50 B  tools/call a\u001b[2Jdd  ! the tool failed
    0.007 1   < 1         7.5 ms      71 B  tools/call a\u001b[2Jdd  ! a further response to the request; error -32602: once\u000amore
    0.009 1   <                             text  ! not JSON: Listening
    0.009 1   <                             text  ! its end is missing: {"jsonrpc":"2.0","id":2,"result":{}}
    0.009 1   > 3                     40 B  ping
    0.009 1   - 3         0.0 ms      65 B  ping  ! error -32001: gone
    0.009 1   < #1        0.0 ms            http  ! status 502; content-type "text/html"
    0.009 1   -                             end  ! exited with status 1
10 messages, 7 errors
`; "\n"+got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for line := range strings.Lines(all(t, file, Filter{}, inJSON)) {
		if err := wire.Valid([]byte(line)); !strings.HasPrefix(line, "10 messages") && (err != nil || !strings.Contains(line, `"kind":"`)) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// recorded returns a recording of entries, a millisecond apart: a message after > or <, one of
// the proxy after -, a text after ~, an end after !, and the status of an HTTP response after #.
func recorded(entries ...string) string {
	var b strings.Builder
	w := recording.NewWriter(&b)
	for i, text := range entries {
		w.SetTime(time.Duration(i) * time.Millisecond)
		switch data := []byte(text[1:]); text[0] {
		case '-':
			w.Refusal(1, data)
		case '~':
			w.Text(1, false, data)
		case '!':
			w.End(1, text[1:])
		case '#':
			status, _ := strconv.Atoi(text[1:])
			w.HTTP(1, &recording.HTTP{Exchange: 1, Status: status})
		default:
			w.Message(1, text[0] == '>', data)
		}
	}
	_ = w.Close() // which does not fail
	return b.String()
}

// TestProblems: view marks each problem of a message in the same way.
func TestProblems(t *testing.T) {
	const call, result = `>{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add"}}`, `<{"jsonrpc":"2.0","id":7,"result":{}}`
	for name, test := range map[string]struct {
		messages []string
		want     string // what follows the mark of the last line before the summary
		summary  string
	}{
		"nothing":                   {[]string{call, result}, "", "2 messages, 0 errors"},
		"result and error":          {[]string{call, `<{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}`}, "malformed message: a response with a result and an error", "2 messages, 1 error"},
		"neither":                   {[]string{call, `<{"jsonrpc":"2.0","id":7}`}, "malformed message: neither a method nor a result nor an error", "2 messages, 1 error"},
		"error":                     {[]string{call, `<{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"m"}}`}, "error -32602: m", "2 messages, 1 error"},
		"no response":               {[]string{call}, "no response", "1 message, 0 errors, 1 request without a response"},
		"response of the same side": {[]string{call, ">" + result[1:]}, "no response", "2 messages, 1 error, 1 request without a response"},
		"unknown id":                {[]string{`<{"jsonrpc":"2.0","id":8,"result":{}}`}, "no request has this id", "1 message, 1 error"},
		"null id":                   {[]string{`<{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`}, "its id is null; error -32700: m", "1 message, 1 error"},
		"string for number":         {[]string{call, `<{"jsonrpc":"2.0","id":"7","result":{}}`}, "the id of the request is 7", "2 messages, 1 error"},
		"number for string":         {[]string{strings.Replace(call, "7", `"7"`, 1), result}, `the id of the request is "7"`, "2 messages, 1 error"},
		"the same number":           {[]string{call, `<{"jsonrpc":"2.0","id":7.0,"result":{}}`}, "", "2 messages, 0 errors"},
		"second response":           {[]string{call, result, result}, "a further response to the request", "3 messages, 1 error"},
		"of the proxy": {[]string{call, result, `-{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"mcpecho proxy: the server exited"}}`,
			`-{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"mcpecho proxy: the server exited"}}`}, "error -32000: mcpecho proxy: the server exited", "4 messages, 2 errors"},
		"the id again": {[]string{call, result, call, result}, "", "4 messages, 0 errors"},
		"the id twice": {[]string{call, call, result}, "", "3 messages, 1 error"},
		"canceled":     {[]string{call, `>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`}, "no response until it was canceled", "2 messages, 0 errors, 1 request without a response"},
		"subscription": {[]string{`>{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}`}, "", "1 message, 0 errors"},
		"no message":   {[]string{`<{"id":7,"method":3}`}, "malformed message: JSON: want a string, got a number at byte 17", "1 message, 1 error"},
		"batch":        {[]string{">[" + call[1:] + "," + strings.Replace(call[1:], "7", "8", 1) + "]", "<[" + result[1:] + "]"}, "no response", "3 messages, 0 errors, 1 request without a response"},
		"empty batch":  {[]string{">[]"}, "it is empty", "0 messages, 1 error"},
	} {
		lines := strings.Split(all(t, recorded(test.messages...), Filter{}, text), "\n")
		_, got, _ := strings.Cut(lines[len(lines)-3], "  ! ")
		if summary := lines[len(lines)-2]; got != test.want || summary != test.summary {
			t.Errorf("%s: %s", name, strings.Join(lines, "\n"))
		}
	}
	// Requests of a server that has ended are listed at once.
	file := recorded(call, "!killed", strings.Replace(call, "add", "sub", 1))
	if got := all(t, file, Filter{}, text); strings.Index(got, "tools/call add  ! no response\n") > strings.LastIndex(got, "tools/call sub\n") || strings.Count(got, "no response") != 2 {
		t.Error(got)
	}
}

// TestSchemas: arguments and results are held against the schemas that the server has
// listed before, on the same connection.
func TestSchemas(t *testing.T) {
	const ask = `>{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	list := `<{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"broken","inputSchema":3},3,{"name":"a\u0064d",` +
		`"inputSchema":{"type":"object","properties":{"a":{"type":"number"},"token":{"type":"number"}},"required":["a"]},` +
		`"outputSchema":{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}}]}}`
	call := func(arguments string) string {
		return `>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add"` + arguments + `}}`
	}
	result := func(text string) string { return `<{"jsonrpc":"2.0","id":2,"result":{` + text + `}}` }
	good, sum := call(`,"arguments":{"a":1}`), result(`"structuredContent":{"sum":3}`)
	v := Viewer{}
	for _, test := range []struct {
		messages []string
		want     []string // of the lines
	}{
		{[]string{ask, list, good, sum}, nil},
		{[]string{good, sum, call(""), result("")}, nil}, // without a list
		{[]string{ask, list, call(""), result(`"structuredContent":{}`)}, []string{
			`the arguments violate the input schema: "a" is missing`, `the result violates the output schema: "sum" is missing`}},
		{[]string{ask, list, call(`,"arguments":{"a":"x\u001b"}`), result("")}, []string{
			"the arguments violate the input schema: /a: want number, got string", "the tool has an output schema, and its result no structuredContent"}},
		{[]string{ask, list, call(`,"arguments":null`), result(`"isError":true`)}, []string{
			"the arguments violate the input schema: want object, got null", "the tool failed"}},
		{[]string{ask, list, call(`,"arguments":{"a":1,"token":"***"}`), result(`"resultType":"input_required","inputRequests":{}`)}, nil},
		{[]string{good, result(`"content":"x"`)}, []string{"the result is malformed: /content: want array, got string"}},
		{[]string{ask, list, good, result(`"task":{"taskId":"7"}`)}, nil},
		{[]string{ask, list, good, result(`"resultType":"complete"`)}, []string{"the tool has an output schema, and its result no structuredContent"}},
		{[]string{ask, list, ask, strings.Replace(list, `"type":"number"`, `"type":"string"`, 1), good, sum}, []string{
			"the arguments violate the input schema: /a: want string, got number"}},
	} {
		var got []string
		r := recording.NewReader(strings.NewReader(recorded(test.messages...)))
		for e, err := r.Next(); err == nil; e, err = r.Next() {
			for _, l := range v.Describe(&e) {
				if l.Error != "" {
					got = append(got, l.Error)
				}
			}
		}
		v.End("")
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s: %q, want %q", test.messages, got, test.want)
		}
	}
	// With --errors a wrong call is listed once, with its response if that is wrong, too.
	if got := all(t, recorded(ask, list, call(""), result(`"isError":true`)), Filter{Errors: true}, text); strings.Count(got, "\n") != 3 {
		t.Error(got)
	}
	// The memory is that of the last lists, and connections that end have none.
	for range 3 {
		v.schemas.learn(1, []byte(`{"tools":[{"name":"x","inputSchema":{"x":"`+strings.Repeat("x", maxSchemas/2)+`"},"outputSchema":{"x":"`+strings.Repeat("x", maxSchemas/2)+`"}}]}`))
	}
	if s := &v.schemas; len(s.known) != 1 || s.size > maxSchemas || s.size < maxSchemas/2 {
		t.Errorf("%d schemas of %d bytes", len(s.known), s.size)
	}
	if v.schemas.end(1); len(v.schemas.known) > 0 || v.schemas.size != 0 {
		t.Errorf("%d schemas of %d bytes", len(v.schemas.known), v.schemas.size)
	}
	// Whatever the schemas are, checking ends.
	v.schemas.learn(1, []byte(`{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`))
	v.schemas.spent = maxChecks
	if got := v.schemas.check(key{1, true, "x"}, "", []byte("3")); got != "" {
		t.Error(got)
	}
	if lines := v.End(""); len(lines) != 1 || !strings.Contains(lines[0].Error, "takes more than 5s") {
		t.Errorf("%+v", lines)
	}
}

// TestWidth: what a line says stays in its column, and what is wrong begins a line if it
// does not fit.
func TestWidth(t *testing.T) {
	file := recorded(`<{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"one two three four five six seven eight"}}`, `>{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"add"}}`)
	red := func(st terminal.Style, s string) string {
		if st != terminal.Red || s == "" {
			return s
		}
		return "[" + s + "]"
	}
	if got, want := all(t, file, Filter{}, func(l *Line) string { return l.Text(80, red) }), `
    0.000 1   < 8                    100 B  [! no request has this id; error
                                            -32602: one two three four five six
                                            seven eight]
    0.001 1   > 9                     70 B  tools/call add
    0.001 1   > 9         0.0 ms      70 B  tools/call add  [! no response]
2 messages, 1 error, 1 request without a response
`; "\n"+got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if l := (&Line{Entry: &recording.Entry{}, Kind: "file", Note: "what the user was told", Error: "something is wrong"}); l.Text(80, red) != `    0.000     -                             file  what the user was told
                                            [! something is wrong]
` {
		t.Error(l.Text(80, red))
	}
}

// TestFilters: a request matches if its response does, and the other way round.
func TestFilters(t *testing.T) {
	file := recorded(
		`>{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_a"}}`,
		`>{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"get_b"}}`,
		`>{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"get_a"}}`,
		`<{"jsonrpc":"2.0","id":4,"result":{}}`,
		`<{"jsonrpc":"2.0","id":2,"result":{"isError":true}}`,
		`<{"jsonrpc":"2.0","id":1,"result":{}}`,
		`<{"jsonrpc":"2.0","method":"notifications/message"}`,
	)
	for _, test := range []struct {
		filter Filter
		want   string // the ids of the lines
		last   string
	}{
		{Filter{Method: "tools/*"}, `1 2 "x" 2 1 "x"`, "5 of 8 messages, 1 error, 1 request without a response"},
		{Filter{Method: "t?ols/l[hi]st"}, "1 1", "2 of 8 messages, 0 errors"},
		{Filter{Method: "{tools/list,prompts/get}"}, "1 4 4 1", "4 of 8 messages, 0 errors"},
		{Filter{Method: "*"}, `1 2 "x" 4 4 2 1 - "x"`, "8 of 8 messages, 1 error, 1 request without a response"},
		{Filter{Tool: "get_*"}, `2 "x" 2 - "x"`, "4 of 8 messages, 1 error, 1 request without a response"},
		{Filter{Tool: "get_a"}, "2 2", "2 of 8 messages, 1 error"},
		{Filter{ID: "4"}, "4 4", "2 of 8 messages, 0 errors"},
		{Filter{ID: "x"}, `"x" - "x"`, "2 of 8 messages, 0 errors, 1 request without a response"},
		{Filter{Sender: "client"}, `1 2 "x" 4 "x"`, "4 of 8 messages, 0 errors, 1 request without a response"},
		{Filter{Sender: "server"}, "4 2 1 -", "4 of 8 messages, 1 error"},
		{Filter{Conn: "1", Method: "tools/list"}, "1 1", "2 of 8 messages, 0 errors"},
		{Filter{Grep: "GET_B"}, `"x" "x"`, "1 of 8 messages, 0 errors, 1 request without a response"},
		{Filter{Grep: "iserror"}, "2", "1 of 8 messages, 1 error"},
		{Filter{Grep: "tool failed"}, "2", "1 of 8 messages, 1 error"},
		{Filter{Errors: true}, `2 2 "x"`, "2 of 8 messages, 1 error, 1 request without a response"},
		{Filter{Errors: true, Tool: "get_b"}, `"x"`, "0 of 8 messages, 0 errors, 1 request without a response"},
	} {
		got := all(t, file, test.filter, func(l *Line) string {
			if test.filter.Errors && l.Entry.Text == "" {
				t.Errorf("%+v: the message is missing", l)
			}
			return cmp.Or(l.id, "-") + " "
		})
		if got != test.want+" "+test.last+"\n" {
			t.Errorf("%+v: %s, want %s %s", test.filter, got, test.want, test.last)
		}
	}
	for filter, want := range map[Filter]string{
		{Sender: "sent"}:      `sender "sent" [client server]`,
		{Conn: "12"}:          `connection "12" [1]`,
		{Method: "tool/list"}: `method "tool/list" [notifications/message prompts/get tools/call tools/list]`,
		{Tool: "tools/list"}:  `tool "tools/list" [get_a get_b]`,
		{ID: "y"}:             `id "y" [1 2 4 "x"]`,
		{ID: "4", Tool: "*a"}: `"" []`, // each matches something
	} {
		v, r := Viewer{Filter: filter}, recording.NewReader(strings.NewReader(file))
		for e, err := r.Next(); err == nil; e, err = r.Next() {
			v.Describe(&e)
		}
		if what, pattern, names := v.Unmatched(); strings.TrimSpace(fmt.Sprintf("%s %q %v", what, pattern, names)) != want {
			t.Errorf("%+v: %s %q %v", filter, what, pattern, names)
		}
	}
}

// TestExchanges: a filter for a call shows all that belongs to it, and progress says how far
// it is.
func TestExchanges(t *testing.T) {
	call := func(id, tool, token string) string {
		return `>{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","_meta":{"progressToken":` + token + `}}}`
	}
	notify := func(method, params string) string {
		return `{"jsonrpc":"2.0","method":"notifications/` + method + `","params":` + params + `}`
	}
	ask := func(id, method, params string) string {
		return `<{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	}
	file := recorded(
		call("5", "slow", "5"),
		"<"+notify("progress", `{"progressToken":5.0,"progress":3,"total":10,"message":"half\u001b way"}`),
		ask("1", "elicitation/create", "{}"),
		`>{"jsonrpc":"2.0","id":1,"result":{}}`,
		ask("2", "ping", "{}"),
		`>{"jsonrpc":"2.0","id":2,"result":{}}`,
		call("10", "other", `"b"`),
		ask("3", "sampling/createMessage", "{}"), // of either call
		ask("4", "sampling/createMessage", `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}`),
		"<"+notify("progress", `{"progressToken":"b","progress":0.5}`),
		"<"+notify("progress", `{"progressToken":"none","progress":1}`),
		">"+notify("cancelled", `{"requestId":5,"reason":"slow"}`),
		"<"+notify("message", `{"level":"info","data":"x"}`), // of the other call, as this one was canceled
		`<{"jsonrpc":"2.0","id":10,"result":{"task":{"taskId":"T","status":"working"}}}`,
		`>{"jsonrpc":"2.0","id":11,"method":"tasks/get","params":{"taskId":"T"}}`,
		ask("6", "elicitation/create", `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}`),
		"<"+notify("message", `{"level":"info","data":"y"}`), // of none
	)
	said := func(l *Line) string {
		return cmp.Or(l.id, "-") + " " + strings.TrimPrefix(l.Method, "notifications/") + " " + l.Note + "\n"
	}
	for _, test := range []struct {
		filter Filter
		want   string
	}{
		{Filter{Tool: "slow"}, `5 tools/call 
- progress 3/10 "half\u001b way" of 5
1 elicitation/create of 5
1 elicitation/create 
5 cancelled 
5 tools/call 
`},
		{Filter{ID: "10"}, `10 tools/call 
- progress 0.5 of 10
- message of 10
10 tools/call 
11 tasks/get of 10
6 elicitation/create of 10
11 tasks/get 
6 elicitation/create 
`},
		{Filter{Method: "notifications/progress"}, `- progress 3/10 "half\u001b way" of 5
- progress 0.5 of 10
- progress 1 of token "none"
`},
	} {
		got := all(t, file, test.filter, said)
		if got = got[:strings.LastIndexByte(strings.TrimSuffix(got, "\n"), '\n')+1]; got != test.want {
			t.Errorf("%+v: %s\nwant %s", test.filter, got, test.want)
		}
	}
	v := Viewer{}
	r := recording.NewReader(strings.NewReader(file))
	for e, err := r.Next(); err == nil; e, err = r.Next() {
		v.Describe(&e)
	}
	v.Filter.ID = "x"
	for _, id := range []string{"10", `"b"`, "9"} {
		v.matches(&Line{Entry: &recording.Entry{}, id: id})
	}
	if _, _, names := v.Unmatched(); strings.Join(names, " ") != `9 10 "b"` {
		t.Error(names)
	}
	if v.requests.unanswered(0, 0); len(v.requests.tags) > 0 {
		t.Errorf("%+v", v.requests)
	}
}

// TestProgressIsChecked: progress that clients discard is marked.
func TestProgressIsChecked(t *testing.T) {
	progress := func(token, value string) string {
		return `<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + value + `}}`
	}
	call := `>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":7}}}`
	file := recorded(call, progress("7", "0"), progress("7", "0"), progress("7", "5"), progress("7", "3"), progress("7", "4"), progress(`"7"`, "6"), progress("8", "1"))
	said := func(l *Line) string { return l.Note + " ! " + l.Error + "\n" }
	want := `0 of 1 ! the progress does not increase
3 of 1 ! the progress does not increase
6 of token "7" ! no request has this progress token
1 of token 8 ! no request has this progress token
`
	if got := all(t, file, Filter{Errors: true, Method: "notifications/progress"}, said); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestManyRequests: what is remembered of requests is limited, and nothing is claimed of
// those that are forgotten.
func TestManyRequests(t *testing.T) {
	v, n := Viewer{Filter: Filter{Errors: true}}, maxWaiting+2*maxAnswered
	long := strings.Repeat("x", 1<<20)
	describe := func(sent bool, id int, rest string) *Line {
		e := &recording.Entry{Conn: 1, Sent: sent, Text: `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + rest}
		e.ParseMessage()
		return v.describe(e)
	}
	for i := range n {
		name := "short"
		if i < 100 {
			name = long
		}
		describe(true, i, `,"method":"tools/call","params":{"name":"`+name+`"}}`)
	}
	if q := &v.requests; q.size > maxWaiting+maxAnswered || q.kept > maxKept || q.forgotten != n-q.size {
		t.Errorf("%d requests, %d forgotten, %d bytes", q.size, q.forgotten, q.kept)
	}
	for i := range n {
		if l := describe(false, i, `,"result":{}}`); l.Error != "" {
			t.Fatalf("%d: %s", i, l.Error)
		}
	}
	if q := &v.requests; q.size != maxAnswered || len(q.known[1]) != q.size || len(q.answered) != maxAnswered || q.forgotten != 0 {
		t.Errorf("%d requests, %d answered, %d forgotten, %d bytes", q.size, len(q.answered), q.forgotten, q.kept)
	}
	if lines := v.End(""); len(lines) != 0 || v.requests.kept != 0 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestManyEnds: the end of a connection looks at its own requests and schemas only. 20,000
// ends beside as many requests of other connections took 8 seconds.
func TestManyEnds(t *testing.T) {
	const n = 20_000
	var v Viewer
	add := func(conn int, text string) int {
		e := &recording.Entry{Conn: conn, Sent: true, Text: text}
		if text == "" {
			e.Kind = recording.Connection
		} else {
			e.ParseMessage()
		}
		return len(v.Describe(e))
	}
	began := time.Now()
	for i := range n {
		add(i+1, `{"jsonrpc":"2.0","id":1,"method":"m"}`)
		v.schemas.learn(i+1, []byte(`{"tools":[{"name":"a","inputSchema":{}}]}`))
	}
	added := time.Since(began)
	for i := range n {
		add(n+i+1, "")
	}
	if took := time.Since(began) - added; took > 5*added {
		t.Errorf("%d ends take %v, and their requests took %v", n, took, added)
	}
	for i := range n {
		if lines := add(i+1, ""); lines != 2 {
			t.Fatalf("connection %d: %d lines", i+1, lines)
		}
	}
	if q := &v.requests; q.size != 0 || q.words != 0 || len(q.known) != 0 || v.schemas.size != 0 || len(v.schemas.known) != 0 {
		t.Errorf("%d requests and %d bytes are left", q.size, q.words)
	}
}

// TestUnansweredOnce: with the requests that have no response known before, each is marked
// where it is, and not listed again.
func TestUnansweredOnce(t *testing.T) {
	file := recorded(`>{"jsonrpc":"2.0","id":1,"method":"a"}`, `>{"jsonrpc":"2.0","id":2,"method":"b"}`, `<{"jsonrpc":"2.0","id":2,"result":{}}`, `<{"jsonrpc":"2.0","result":{}}`, `<{"jsonrpc":"2.0","id":null,"result":{}}`)
	v, from := Viewer{Open: Open(strings.NewReader(file))}, recording.NewReader(strings.NewReader(file))
	var got string
	for {
		e, err := from.Next()
		if err != nil {
			break
		}
		for _, l := range v.Describe(&e) {
			got += l.Kind + " " + l.id + " " + l.Method + " " + l.Error + "\n"
		}
	}
	for _, l := range v.End("") {
		got += l.Kind + " " + l.Method + "\n"
	}
	const want = "request 1 a no response\nrequest 2 b \nresponse 2 b \nresponse   it has no id"
	if got += v.Summary(false); !strings.HasPrefix(got, want) || !strings.Contains(got, "its id is null") || !strings.HasSuffix(got, "5 messages, 2 errors, 1 request without a response\n") ||
		strings.Count(got, "1 a") != 1 {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestManyLongNames: the names and ids of requests without a response have a limit in bytes.
func TestManyLongNames(t *testing.T) {
	var v Viewer
	long := strings.Repeat("x", maxName-100)
	for i := range 20_000 {
		e := &recording.Entry{Conn: 1, Sent: true, Text: fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d%s","method":"%s","params":{"name":"%s","_meta":{"progressToken":"%d%s"}}}`, i, long, long, long, i, long)}
		e.ParseMessage()
		v.describe(e)
	}
	if q := &v.requests; q.words > maxWords+5*maxName || q.forgotten == 0 {
		t.Errorf("%d bytes, %d forgotten", q.words, q.forgotten)
	}
}

// TestMessagesThatAreNotJSON: an edited recording has them, and adds no members to a line.
func TestMessagesThatAreNotJSON(t *testing.T) {
	v, e := new(Viewer), recording.Entry{Text: `{}},"kind":"x"`}
	e.ParseMessage()
	for _, l := range v.Describe(&e) {
		if err := wire.Valid(l.JSON()[:len(l.JSON())-1]); err != nil {
			t.Errorf("%s: %v", l.JSON(), err)
		}
	}
}

// TestLongBatch: of a batch of tiny messages, each of which takes memory, the first ones are shown.
func TestLongBatch(t *testing.T) {
	e := recording.Entry{Text: "[1" + strings.Repeat(",1", 20_000) + "]"}
	if lines := new(Viewer).Describe(&e); len(lines) != maxBatch+1 || lines[0].Note != "of 20001" || lines[0].Error != "only the first 10000 are shown" {
		t.Errorf("%d lines, %+v", len(lines), lines[0])
	}
}

// FuzzView: whatever a file has, a line has no control characters and is one, and its JSON
// is valid.
func FuzzView(f *testing.F) {
	f.Add(`>{"jsonrpc":"2.0","id":5,"method":"a"}`)
	f.Add(`<[{"jsonrpc":"2.0","id":"a\u001b","method":"a"},3]`)
	f.Add("!a\x1bb")
	f.Add("~\x1b[2J")
	f.Add("#406")
	f.Fuzz(func(t *testing.T, entry string) {
		if entry == "" {
			return
		}
		entries, err := recording.Read(strings.NewReader(recorded(entry)))
		if err != nil {
			return
		}
		var v Viewer
		for _, e := range entries {
			for _, l := range append(v.Describe(&e), v.End("")...) {
				if text := l.Text(0, plain); strings.Count(text, "\n") > 1 || strings.ContainsAny(text, "\x1b\r\u202e") {
					t.Errorf("%q", text)
				}
				if err := wire.Valid(l.JSON()[:len(l.JSON())-1]); err != nil {
					t.Errorf("%s: %v", l.JSON(), err)
				}
			}
		}
	})
}
