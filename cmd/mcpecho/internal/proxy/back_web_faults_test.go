package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// hostile serves each tool as a fault of its name.
func hostile(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := jsonrpc.Parse(body)
	switch name := wire.TextOf(m.Params, "name"); {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case !m.IsRequest():
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "initialize":
		w.Header().Set("Content-Type", typeJSON)
		w.Header().Set(sessionHeader, "secret-session")
		_, _ = w.Write(jsonrpc.AppendResponse(nil, m.ID, []byte(`{"protocolVersion":"2025-11-25"}`), nil))
	case name == "empty":
		w.WriteHeader(http.StatusAccepted)
	default:
		media, text, _ := strings.Cut(name, ": ")
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "|", "\n"))
	}
}

// TestFaultsOfAnHTTPServer: a client over lines receives unchanged what the server sends:
// wrong ids, members that JSON-RPC does not have, and a second response. The proxy records
// text that is not a message, and tells the client why there is no response. It also
// records HTTP.
func TestFaultsOfAnHTTPServer(t *testing.T) {
	t.Parallel()
	const json, events = typeJSON + ": ", eventStream + ": "
	const error7 = `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"mcpecho proxy: `
	for _, test := range []struct {
		name   string
		lines  []string // the beginnings of the lines that the client receives
		record string   // text in the recording
	}{
		{json + `{"jsonrpc":"2.0","id":"7","result":{}}`, []string{`{"jsonrpc":"2.0","id":"7","result":{}}`}, ""},
		{json + `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`}, ""},
		{json + `{"id":7, "jsonrpc":"2.0","result":{"a":1e2},"more":[1]}`, []string{`{"id":7, "jsonrpc":"2.0","result":{"a":1e2},"more":[1]}`}, ""},
		{events + `data: {"jsonrpc":"2.0","id":7,"result":{"n":1}}||data: {"jsonrpc":"2.0","id":7,"result":{"n":2}}||`,
			[]string{`{"jsonrpc":"2.0","id":7,"result":{"n":1}}`, `{"jsonrpc":"2.0","id":7,"result":{"n":2}}`}, ""},
		{events + `data: nonsense||data: {"jsonrpc":"2.0","id":7,"result":{}}||`, []string{"nonsense", `{"jsonrpc":"2.0","id":7,"result":{}}`}, ""},
		{events + `event: error|data: overloaded||`, []string{error7 + "the HTTP response has ended"}, "< event: error data: overloaded\nnote: the server has sent an event that is not a message"},
		{"text/html: <h1>Maintenance</h1><p>until noon</p>", []string{error7 + "POST "}, "\"headers\":{\"content-type\":\"text/html\"}}\n< <h1>Maintenance</h1><p>until noon</p>\n"},
		{`text/plain: {"jsonrpc":"2.0","id":7,"result":{}}`, []string{`{"jsonrpc":"2.0","id":7,"result":{}}`}, `note: the server has sent a message with the Content-Type "text/plain"`},
		{json + `{"jsonrpc":"2.0","id":7,"resul`, []string{`{"jsonrpc":"2.0","id":7,"resul`}, ""},
		{json + "nonsense", []string{error7 + "the response is not a message"}, "\n< nonsense\n"},
		{"empty", []string{error7 + "the HTTP response has ended"}, `"status":202`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // some requests never get their response
				f := serveWeb(t, http.HandlerFunc(hostile), true)
				o := overHTTP(f.client, func(string) {}, f.url)
				seen := tapped(o)
				seen.all = true
				c := serveLines(t, o)
				c.open()
				c.send(request(7, "tools/call", `{"name":`+string(wire.AppendString(nil, test.name))+`}`))
				for _, want := range test.lines {
					if got := c.line(); !strings.HasPrefix(got, want) {
						t.Errorf("the client gets %s, want %s", got, want)
					}
				}
				got := seen.take()
				for _, want := range []string{test.record, `http {"exchange":1,"method":"POST","headers":{}}`,
					`http {"exchange":1,"status":200,"headers":{"mcp-session-id":"***"}}`, `"method":"POST","headers":{"mcp-protocol-version":"2025-11-25","mcp-session-id":"***"}}`} {
					if !strings.Contains(got, want) {
						t.Errorf("the recording has no %s:\n%s", want, got)
					}
				}
				c.in.Close()
				go io.Copy(io.Discard, c.out) // ends with the proxy
				if err := c.result(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
