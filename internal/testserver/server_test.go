package testserver

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestInvalidLines(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"a line break in a message", "{\"jsonrpc\":\n\"2.0\"}\n", "unexpected end of input"},
		{"an empty line", "\n", "unexpected end of input"},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n", "UTF-8"},
		{"no line break at the end", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "ends without a line break"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(nil)
			testutil.Must(t, s.Serve(strings.NewReader(test.input), io.Discard))
			if v := s.Violations(); len(v) == 0 || !strings.Contains(v[0], test.want) {
				t.Errorf("violations %q", v)
			}
		})
	}
}

// FuzzHandle sends lines to several servers: no server panics, and each message
// that it sends is one line of JSON.
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
			t.Skip("the tool big may need too much memory")
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

// modernMeta is the required _meta of a modern request.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{},"elicitation":{}}}`

const echoCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
	`"arguments":{"message":"hi"},` + modernMeta + `}}`
