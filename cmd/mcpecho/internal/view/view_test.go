package view

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// all returns what a Viewer prints of a file.
func all(t *testing.T, file, method string, line func(*Line) string) string {
	t.Helper()
	v, r, text := &Viewer{Method: method}, NewReader(strings.NewReader(file)), ""
	for {
		e, err := r.Next()
		if err == io.EOF || errors.Is(err, recording.ErrTruncated) {
			return text
		}
		if err != nil {
			t.Fatal(err)
		}
		if l := v.Describe(e); l != nil {
			text += line(l)
		}
	}
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
	if got, want := all(t, file, "", (*Line).Text), `
    0.000 1 > 1                     79 B  tools/call a\u001b[2Jdd
    0.002 1 < 1                     54 B  elicitation/create
    0.003 1 > 1         1.5 ms      36 B  elicitation/create
    0.004 1 <                       50 B  notifications/message
    0.006 1 < 1         6.0 ms      50 B  tools/call a\u001b[2Jdd  the tool failed
    0.007 1 < 1                     71 B  no request waits for it: error -32602: once\u000amore
    0.009 1 <                             text  Listening
    0.009 1 <                             http  status 502 content-type "text/html"
    0.009 1 -                             end  exited with status 1
`; "\n"+got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := all(t, file, "tools/*", (*Line).Text); strings.Count(got, "\n") != 2 || !strings.Contains(got, "failed") {
		t.Error(got)
	}
	for line := range strings.Lines(all(t, file, "", func(l *Line) string { return string(l.JSON()) })) {
		if err := wire.Valid([]byte(line)); err != nil || !strings.Contains(line, `"kind":"`) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestTraces: a trace has lines as a recording has.
func TestTraces(t *testing.T) {
	const start = `{"time":"2026-11-23T17:13:36.0`
	file := start + `00Z","dir":"send","message":{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"echo://a"}}}
` + start + `01Z","dir":"recv","http":{"exchange":1,"status":406,"headers":{}}}
` + start + `02Z","dir":"recv","message":{"jsonrpc":"2.0","id":5,"result":{}}}
` + start + `03Z","dir":"recv","message":"no JSON"}
` + start + `04Z","note":"the server has ended"}
` + start + `05Z","dir":"recv","mess`
	if got, want := all(t, file, "", (*Line).Text), `
    0.000 1 > 5                     78 B  resources/read echo://a
    0.001 1 <                             http  status 406
    0.002 1 < 5         2.0 ms      36 B  resources/read echo://a
    0.003 1 <                             text  no JSON
    0.004 1 -                             note  the server has ended
`; "\n"+got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, text := range []string{"{}\n", `{"mcpServers":{}}` + "\n", "[1]\n", `{"time":"x","dir":"send","message":{}}` + "\n", `{"http":3}` + "\n", "#!/bin/sh\n"} {
		if _, err := NewReader(strings.NewReader(text)).Next(); err == nil || errors.Is(err, recording.ErrTruncated) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzView: whatever a file has, a line has no control characters and is one, and its JSON
// is valid.
func FuzzView(f *testing.F) {
	f.Add(`{"time":"2026-11-23T17:13:36Z","dir":"send","message":{"jsonrpc":"2.0","id":5,"method":"a"}}`)
	f.Add(`{"time":"2026-11-23T17:13:36Z","note":"a\u001bb"}`)
	f.Add(`{"time":"2026-11-23T17:13:36Z","dir":"recv","http":{"exchange":1,"status":406,"headers":{"accept":"\n"}}}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := NewReader(strings.NewReader(line + "\n")).Next()
		if err != nil {
			return
		}
		l := new(Viewer).Describe(e)
		if text := l.Text(); strings.Count(text, "\n") > 1 || strings.ContainsAny(text, "\x1b\r\u202e") {
			t.Errorf("%q", text)
		}
		if err := wire.Valid(l.JSON()[:len(l.JSON())-1]); err != nil {
			t.Errorf("%s: %v", l.JSON(), err)
		}
	})
}
