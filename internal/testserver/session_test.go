package testserver

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestLinesThatAreNoMessages(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"a line break in a message", "{\"jsonrpc\":\n\"2.0\"}\n", "unexpected end of input"},
		{"an empty line", "\n", "unexpected end of input"},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n", "UTF-8"},
		{"no line break at the end", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "ends without a line break"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(nil)
			if err := s.Serve(strings.NewReader(test.input), io.Discard); err != nil {
				t.Fatal(err)
			}
			if v := s.Violations(); len(v) == 0 || !strings.Contains(v[0], test.want) {
				t.Errorf("violations %q", v)
			}
		})
	}
}

func TestToolsAskedForComeInPages(t *testing.T) {
	s := New(&Options{Tools: 50, PageSize: 60})
	session := s.NewSession(nil)
	defer session.Close()
	var got string
	reply := func(msg []byte) { got = string(msg) }
	session.Handle(t.Context(), []byte(strings.Replace(echoCall, "tools/call", "tools/list", 1)), reply)
	if !strings.Contains(got, `"name":"tool_040"`) || !strings.Contains(got, `"nextCursor":`) {
		t.Error(got)
	}
	session.Handle(t.Context(), []byte(strings.Replace(echoCall, `"echo"`, `"tool_050"`, 1)), reply)
	if !strings.Contains(got, `"text":"hi"`) {
		t.Error(got)
	}
}

// FuzzHandle sends lines to servers of every kind: each answer is one JSON
// value on one line, and nothing panics.
func FuzzHandle(f *testing.F) {
	f.Add(echoCall)
	f.Add(strings.Replace(echoCall, `"echo"`, `"ask_everything"`, 1))
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`[{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":"x","result":{}}]`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a"]},` +
		modernMeta + `}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"review"},` +
		`"argument":{"name":"language","value":""},` + modernMeta + `}}`)
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(input, "bytes") {
			t.Skip("the tool big would be as big as it is told to be")
		}
		reply := func(msg []byte) {
			if err := wire.Valid(msg); err != nil || strings.Contains(string(msg), "\n") {
				t.Errorf("sent %q: %v", msg, err)
			}
		}
		for _, o := range []*Options{nil, {ProtocolVersions: legacy, PageSize: 1}} {
			session := New(o).NewSession(reply)
			ctx, cancel := context.WithCancel(t.Context())
			for line := range strings.SplitSeq(input, "\n") {
				if run := session.Handle(ctx, []byte(line), reply); run != nil {
					cancel() // what takes time ends at once
					run()
				}
			}
			cancel()
			session.Close()
		}
	})
}

func BenchmarkEcho(b *testing.B) {
	session := New(nil).NewSession(nil)
	defer session.Close()
	b.ReportAllocs()
	for b.Loop() {
		session.Handle(b.Context(), []byte(echoCall), func([]byte) {})
	}
}
