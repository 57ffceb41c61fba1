package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// webFaults are what a server over HTTP responds with to calls of tools: the status, the
// content type and the body, in which ID is the id of the request.
var webFaults = map[string]struct {
	status        int
	content, body string
}{
	"right":   {200, "application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`},
	"string":  {200, "application/json", `{"jsonrpc":"2.0","id":"ID","result":{}}`},
	"null":    {200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"what?"}}`},
	"wrong":   {200, "application/json", `{"jsonrpc":"2.0","id":999,"result":{}}`},
	"none":    {202, "", ""},
	"page":    {502, "text/html", "<h1>Bad\ngateway</h1>"},
	"empty":   {500, "", ""},
	"plain":   {200, "text/plain", `{"jsonrpc":"2.0","id":ID,"result":{}}`},
	"refused": {404, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`},
	"half":    {200, "application/json", `{"jsonrpc":"2.0","id":1,"resu`},
	"two":     {200, "text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}\n\n"},
}

// postCall calls a tool of a server over HTTP, and returns the response with ID in place
// of the id. The version is a modern one if modern is set.
func postCall(t *testing.T, url, tool string, id int, modern bool) string {
	t.Helper()
	meta := ""
	if modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q%s}}`, id, tool, meta)
	if tool == "notification" {
		body = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if modern {
		r.Header["Mcp-Protocol-Version"], r.Header["Mcp-Method"], r.Header["Mcp-Name"] = []string{"2026-07-28"}, []string{"tools/call"}, []string{tool}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %q %s", res.StatusCode, res.Header.Get("Content-Type"), strings.ReplaceAll(string(text), fmt.Sprint(id), "ID"))
}

// TestReplayOfHTTPFaults: a replay over HTTP responds with the status, the content type and
// the id that the client of the recorded session got.
func TestReplayOfHTTPFaults(t *testing.T) {
	t.Parallel()
	faulty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.Parse(body)
		if err != nil {
			t.Error(err)
		}
		fault, ok := webFaults[r.Header.Get("Mcp-Name")]
		if !ok {
			for name, f := range webFaults {
				if strings.Contains(string(body), `"`+name+`"`) {
					fault = f
				}
			}
		}
		if m.ID.IsZero() {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header()["Content-Type"] = nil
		if fault.content != "" {
			w.Header().Set("Content-Type", fault.content)
		}
		w.WriteHeader(fault.status)
		_, _ = io.WriteString(w, strings.ReplaceAll(fault.body, "ID", m.ID.String()))
	}))
	defer faulty.Close()
	for _, modern := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "faults.rec")
		url := proxyURL(t, "--record", file, faulty.URL)
		want := map[string]string{"notification": postCall(t, url, "notification", 0, false)}
		for tool := range webFaults {
			want[tool] = postCall(t, url, tool, 4321, modern)
		}
		// The proxy passes no page on, nor JSON as plain text.
		if got := want["notification"] + want["page"] + want["plain"]; !regexp.MustCompile(`^400 "" 502 "application/json" .*"id":ID,"error".*text/html.*502 "application/json" .*"id":ID,"error".*text/plain`).MatchString(got) {
			t.Error(got)
		}
		urls := serveRecording(t, file)
		for tool, want := range want {
			if got := postCall(t, urls[0], tool, 8765, modern); got != want {
				t.Errorf("modern %t, %s: replayed %s\nwant %s", modern, tool, got, want)
			}
		}
		if t.Failed() {
			text, _ := os.ReadFile(file)
			t.Logf("%s", text)
		}
	}
}
