package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

const request = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{"message":"hello"},"_meta":` +
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// TestSecretsAreMasked by name and by value.
func TestSecretsAreMasked(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, "opensesame")
	w.Message(1, true, []byte(`{"a":[{"access_token":"abc"}],"text":"say opensesame","max_tokens":5,`+"\n"+`"progressToken":"p"}`))
	w.write(1, "<", []byte("not JSON"))
	w.Message(1, true, []byte(`{"password":1234567,"author":"a","list":["Bearer abc","{\"token\":\"abc\"}",7]}`))
	w.Hide = func(s string) string { return strings.ReplaceAll(s, "7", "*") }
	w.Message(1, false, []byte(`{"n":1234567,"m":7}`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := `{"a":[{"access_token":"***"}],"text":"say ***","max_tokens":5,"progressToken":"p"}` + "\n"; !strings.Contains(b.String(), want) {
		t.Errorf("recorded %s\nwant %s", b.String(), want)
	}
	entries, err := Read(&b)
	if err != nil || len(entries) != 3 || !entries[0].Sent || entries[0].Line != 2 {
		t.Fatalf("%v, %v", entries, err)
	}
	for i, want := range []string{`{"password":"***","author":"***","list":["Bearer ***","{\"token\":\"***\"}",7]}`, `{"n":"***","m":"*"}`} {
		if got := entries[i+1].Text; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// everyKind returns a recording with entries of every kind.
func everyKind(t testing.TB) []byte {
	var b bytes.Buffer
	w := NewWriter(&b, "opensesame")
	one, two := w.Connection(), w.Connection()
	w.HTTP(one, &HTTP{Exchange: 1, Method: "POST", Headers: map[string][]string{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Mcp-Method": {"tools/list"}, "Authorization": {"Bearer x"}, "Mcp-Param-Api-Key": {"k"}, "MCP-Session-Id": {"s"}}})
	w.Message(one, true, []byte(request))
	w.HTTP(one, &HTTP{Exchange: 1, Status: 404, Headers: map[string][]string{"Mcp-Session-Id": {"s"}, "mcp-note": {"of opensesame", "b"}}})
	w.Message(two, false, []byte("Starting with opensesame\xff\n"))
	w.Text(two, true, []byte(" \n"))
	w.Message(two, false, []byte(`[{"jsonrpc":"2.0","method":"a"}]`))
	w.End(two, "exited with status 1: opensesame")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.End(one, "too late")
	return b.Bytes()
}

func TestEveryKindIsRead(t *testing.T) {
	text := everyKind(t)
	entries, err := Read(bytes.NewReader(text))
	if err != nil || len(entries) != 6 {
		t.Fatalf("%d entries, %v in\n%s", len(entries), err, text)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintln(e.Line, e.Conn, e.Kind, e.Sent, e.Message.Method, e.Text))
	}
	want := []string{
		`2 1 2 true  {"exchange":1,"method":"POST","headers":{"mcp-method":"tools/list","mcp-param-api-key":"***","mcp-session-id":"***"}}`,
		`3 1 0 true tools/call ` + request,
		`4 1 2 false  {"exchange":1,"status":404,"headers":{"mcp-note":"of ***, b","mcp-session-id":"***"}}`,
		"5 2 1 false  Starting with ***\uFFFD",
		`6 2 0 false  [{"jsonrpc":"2.0","method":"a"}]`,
		"7 2 3 false  exited with status 1: ***",
	}
	for i := range want {
		if got[i] != want[i]+"\n" {
			t.Errorf("%s\nwant %s", got[i], want[i])
		}
	}
	if h := entries[2].HTTP; h.Exchange != 1 || h.Status != 404 || h.Headers["mcp-note"][0] != "of ***, b" {
		t.Errorf("%+v", h)
	}
	if strings.Contains(string(text), "Bearer") || strings.Contains(string(text), "opensesame") {
		t.Errorf("a secret is in %s", text)
	}
}

// TestVersions: both are read, and others are refused with the line.
func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		"stdmcp recording 1\nend 0\n":                        "",
		"stdmcp recording 2\nend 0\n":                        "",
		"stdmcp recording 3\nend 0\n":                        `line 1: the format has version "3", and this program reads versions 1 and 2`,
		"stdmcp recording 2\n1 5 ? 00000000 {}\nend 1\n":     "line 2: want connection, time and kind",
		"stdmcp recording 2\n1 5 <text a505df1b 1\n":         "line 2: the recording was edited",
		"stdmcp recording 2\n1 5 <text 83dcefb7 1\nend 1\n":  "line 2: want a text as a JSON string",
		"stdmcp recording 2\n1 5 <http 83dcefb7 1\nend 1\n":  "line 2: want an HTTP request",
		"stdmcp recording 2\n1 5 >http a3a6bf43 {}\nend 1\n": "line 2: want an HTTP request",
		"stdmcp recording 2\n1 5 < a3a6bf43 {}\n":            "line 3: the recording is truncated",
	} {
		_, err := Read(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzRead: what is read can be written again with the same messages.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Message(1, true, []byte(request))
	w.Message(1, false, []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`))
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("stdmcp recording 1\nend 0\n"))
	f.Add(everyKind(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, e := range entries {
			switch e.Kind {
			case Message:
				w.Message(e.Conn, e.Sent, []byte(e.Text))
			case Text:
				w.Text(e.Conn, e.Sent, []byte(e.Text))
			case Exchange:
				w.HTTP(e.Conn, e.HTTP)
			case Connection:
				w.End(e.Conn, e.Text)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkMessage(b *testing.B) {
	w, data := NewWriter(io.Discard), []byte(request)
	for b.Loop() {
		w.Message(1, true, data)
	}
}

// TestTimeOfKeptMessages: a message that the program has kept has the time of its own.
func TestTimeOfKeptMessages(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	conn := w.Connection()
	w.SetTime(5 * time.Second)
	w.Message(conn, true, []byte(request))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := Read(&b)
	if err != nil || len(entries) != 1 || entries[0].At != 5*time.Second {
		t.Errorf("%+v, %v", entries, err)
	}
}

// A blockingWriter notes each write, and waits in it while gate is closed to it.
type blockingWriter struct {
	gate   chan struct{}
	begun  atomic.Int32 // calls of Write
	writes []string
}

func (w *blockingWriter) Write(p []byte) (int, error) {
	w.begun.Add(1)
	<-w.gate
	w.writes = append(w.writes, string(p))
	return len(p), nil
}

// TestEntriesAreWrittenAtOnce: each is in the file when the method returns, as the program
// may be killed next. Those that wait for each other are one write.
func TestEntriesAreWrittenAtOnce(t *testing.T) {
	file := &blockingWriter{gate: make(chan struct{}, 4)}
	for range cap(file.gate) {
		file.gate <- struct{}{}
	}
	w := NewWriter(file)
	w.Message(1, true, []byte(request))
	w.Message(1, false, []byte("no JSON"))
	w.End(1, "killed")
	if n := len(file.writes); n != 4 || !strings.Contains(file.writes[1], request) || !strings.Contains(file.writes[2], "no JSON") || !strings.Contains(file.writes[3], "killed") {
		t.Fatalf("%q", file.writes)
	}
	var running sync.WaitGroup
	running.Go(func() { w.Message(1, true, []byte("{}")) })
	for file.begun.Load() < 5 {
		runtime.Gosched()
	}
	for range 2 {
		running.Go(func() { w.Message(1, true, []byte("{}")) })
	}
	for w.waiting.Load() < 2 { // while the first is in Write
		runtime.Gosched()
	}
	close(file.gate)
	running.Wait()
	if n := len(file.writes); n != 6 || strings.Count(file.writes[5], "{}") != 2 {
		t.Errorf("%q", file.writes[4:])
	}
}

// TestTruncated: of every beginning of a recording all whole entries are read, also when
// it grows under the reader.
func TestTruncated(t *testing.T) {
	text := everyKind(t)
	whole, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var growing bytes.Buffer
	r, read := NewReader(&growing), 0
	for n := range text {
		entries, err := Read(bytes.NewReader(text[:n]))
		want := max(0, bytes.Count(text[:n], []byte("\n"))-1)
		if len(entries) != want || !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d entries of %q, want %d: %v", len(entries), text[:n], want, err)
		}
		for ; ; read++ {
			e, err := r.Next()
			if errors.Is(err, ErrTruncated) {
				break
			}
			if err != nil || e.Text != whole[read].Text {
				t.Fatalf("entry %d is %+v, %v", read, e, err)
			}
		}
		if read != want {
			t.Fatalf("%d entries of %q, want %d", read, text[:n], want)
		}
		growing.WriteByte(text[n])
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestUnusualHTTP: statuses, and headers of content that are not what the protocol requires.
func TestUnusualHTTP(t *testing.T) {
	headers := func(content string, accept ...string) map[string][]string {
		h := map[string][]string{"Accept": accept}
		if content != "" {
			h["Content-Type"] = []string{content}
		}
		return h
	}
	both := []string{"application/json", "text/event-stream;q=0.5"}
	for _, test := range []struct {
		h       HTTP
		unusual bool
		want    string // headers
	}{
		{HTTP{Method: "POST", Headers: headers("Application/JSON; charset=utf-8", both...)}, false, "{}"},
		{HTTP{Method: "POST", Headers: headers("application/json", "text/*, application/*")}, false, "{}"},
		{HTTP{Method: "POST", Headers: headers("text/plain", "application/json")}, true, `{"accept":"application/json","content-type":"text/plain"}`},
		{HTTP{Method: "POST", Headers: nil}, true, `{"accept":"","content-type":""}`},
		{HTTP{Method: "GET", Headers: headers("", "text/event-stream")}, false, "{}"},
		{HTTP{Method: "GET", Headers: headers("", "application/json")}, true, `{"accept":"application/json"}`},
		{HTTP{Method: "DELETE"}, false, "{}"},
		{HTTP{Method: "POST", Status: 200, Headers: headers("application/json")}, false, "{}"},
		{HTTP{Method: "POST", Status: 200, Headers: headers("text/event-stream; x=y")}, false, "{}"},
		{HTTP{Method: "POST", Status: 200, Headers: headers("text/html")}, true, `{"content-type":"text/html"}`},
		{HTTP{Method: "POST", Status: 200}, true, `{"content-type":""}`},
		{HTTP{Method: "POST", Status: 202}, false, "{}"},
		{HTTP{Method: "GET", Status: 200, Headers: headers("application/json")}, true, `{"content-type":"application/json"}`},
		{HTTP{Method: "DELETE", Status: 200}, false, "{}"},
		{HTTP{Status: 404}, true, "{}"},
		{HTTP{Status: 405, Headers: headers("text/plain")}, true, `{"content-type":"text/plain"}`},
		{HTTP{Status: 204}, false, "{}"},
	} {
		text := string(test.h.Append(nil))
		if got := test.h.IsUnusual(); got != test.unusual || !strings.HasSuffix(text, `"headers":`+test.want+"}") {
			t.Errorf("%+v: %v, %s", test.h, got, text)
		}
	}
}

// TestURLsInHeaders: the queries of URLs are masked in each header that has one.
func TestURLsInHeaders(t *testing.T) {
	h := HTTP{Status: 200, Headers: map[string][]string{
		"Location": {"https://u:p@h/p?code=c"}, "Content-Location": {"/p?token=t"}, "Link": {"<https://h/p?sig=s>; rel=next"}, "Refresh": {"0; url=/p?key=k"},
	}}
	want := map[string]string{"location": "https://h/p?...", "content-location": "/p?...", "link": "<https://h/p?...", "refresh": "0; url=/p?..."}
	if have := h.Masked(); !maps.Equal(have, want) {
		t.Errorf("%q", have)
	}
	h.Headers = map[string][]string{"Link": {"<https://u:p@h/p#token=t>; rel=next"}}
	if have := h.Masked()["link"]; have != "<https://***@h/p#..." {
		t.Error(have)
	}
}

// TestStatusThatIsNone: net/http panics over a status of four digits.
func TestStatusThatIsNone(t *testing.T) {
	for text, want := range map[string]bool{`{"status":101}`: true, `{"status":1000}`: false, `{"status":-1}`: false} {
		if h := ParseHTTP(text); (h != nil) != want {
			t.Errorf("%s is %+v", text, h)
		}
	}
}

// TestMarkOfARequestIsNoHeader: net/http does not send a header without a value.
func TestMarkOfARequestIsNoHeader(t *testing.T) {
	h := HTTP{Exchange: 1, Method: "POST", Further: true, Headers: map[string][]string{"Idempotency-Key": {}, "Mcp-A": {}, "X-B": {""}}}
	if have := h.Masked(); !maps.Equal(have, map[string]string{"x-b": ""}) {
		t.Errorf("%q", have)
	}
}

// TestOddObjectsAreMasked: an object that has a key twice, or more members than a reader
// interprets, hides no secret, and its message is not lost.
func TestOddObjectsAreMasked(t *testing.T) {
	wide := ""
	for i := range 600 {
		wide += fmt.Sprintf(`"n%d":0,`, i)
	}
	for _, members := range []string{`"n":0,"n":0,`, wide} {
		object := "{" + members + `"password":"opensesame"}`
		message := `{"id":1,"result":{"a":` + object + `,"text":` + string(wire.AppendString(nil, object)) + `}}`
		masked, err := MaskJSON([]byte(message), func(s string) string { return s })
		if err != nil || strings.Contains(string(masked), "opensesame") {
			t.Errorf("%.100s: %v", masked, err)
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		if !w.write(1, "<", []byte(`{"id":1,"result":`+object+`}`)) || w.Close() != nil || strings.Contains(b.String(), "opensesame") {
			t.Errorf("%.100s", b.String())
		}
		s := NewSecrets()
		if s.Learn([]byte(object)); s.Redact("opensesame") != "***" {
			t.Error("what the client has sent is not known")
		}
	}
}

// TestManyHeaders: a server's headers fit into an object that readers of JSON accept, and into
// a line that takes little time.
func TestManyHeaders(t *testing.T) {
	h := HTTP{Status: 200, Further: true, Headers: make(map[string][]string)}
	for i := range 20_000 {
		h.Headers[fmt.Sprintf("X-%d", i)] = []string{"v"}
	}
	line := h.Append(nil)
	r := wire.NewReader(line)
	if r.Skip(); r.End() != nil || len(line) > 10_000 || !strings.Contains(string(line), `"...":"19800 more"`) {
		t.Errorf("%.300s: %v", line, r.End())
	}
}

// TestOddMessagesAreRecorded: a message with a byte order mark or half of a surrogate pair,
// which clients read, is recorded, and no message shows what follows the name of a secret.
func TestOddMessagesAreRecorded(t *testing.T) {
	for _, message := range []string{
		"\ufeff" + `{"id":1,"result":{"password":"opensesame"}}`,
		`{"id":1,"result":{"password":"opensesame","t":"\ud83d"}}`,
		`{"id":1,"result":{"password":"opensesame","t":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`,
		`{"id":1,"result":{"password":"opensesame"`,
	} {
		var b bytes.Buffer
		w := NewWriter(&b)
		w.Message(1, false, []byte(message))
		if err := w.Close(); err != nil || strings.Contains(b.String(), "opensesame") || !strings.Contains(b.String(), "password") {
			t.Errorf("%.60s: %s, %v", message, b.String(), err)
		}
		s := NewSecrets()
		if s.Learn([]byte(message)); isReadable([]byte(message)) && s.Redact("opensesame") == "opensesame" {
			t.Errorf("%.60s: what the client has sent is not known", message)
		}
	}
	if !isReadable([]byte("\ufeff{}")) || !isReadable([]byte(`"\ud83d"`)) {
		t.Error("what a client reads is not JSON")
	}
}
