package streamhttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// routed is a server with a tool that wants an argument in a header.
func routed(version string) *server {
	s := &server{version: version}
	s.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method != "tools/list" {
			return false
		}
		r.answer(w, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[
			{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"number","x-mcp-header":"X"}}}},
			{"name":"routed","inputSchema":{"type":"object","properties":{"to":{"type":"string","x-mcp-header":"To"}}}}]}`)
		return true
	}
	return s
}

// mismatch refuses a call because of its headers.
func mismatch(w http.ResponseWriter, r *request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"Mcp-Param-To is missing"}}`, r.ID)
}

func TestArgumentsInHeaders(t *testing.T) {
	s := routed(modern)
	c := s.open(t, nil, nil)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "routed", map[string]any{"to": "world\r\nX-Other: 1", "x": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "wörld", nil); err != nil {
		t.Fatal(err)
	}
	h := s.got("tools/call")[0].HTTP.Header
	for name, want := range map[string]string{
		"Mcp-Method": "tools/call", "Mcp-Name": "routed", "Mcp-Param-To": "=?base64?d29ybGQNClgtT3RoZXI6IDE=?=",
		"Mcp-Protocol-Version": modern, "Mcp-Param-X": "", "X-Other": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := s.got("tools/call")[1].HTTP.Header.Get("Mcp-Name"); got != "=?base64?d8O2cmxk?=" {
		t.Errorf("Mcp-Name is %q", got)
	}
}

// TestCallStatesTheName: the headers of a request whose params the program wrote are
// those of CallTool.
func TestCallStatesTheName(t *testing.T) {
	s := routed(modern)
	c := s.open(t, nil, nil)
	if _, err := c.Call(t.Context(), "tools/call", map[string]any{"name": "wörld"}); err != nil {
		t.Fatal(err)
	}
	h := s.got("tools/call")[0].HTTP.Header
	if h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "=?base64?d8O2cmxk?=" {
		t.Errorf("%q", h)
	}
}

// TestNoArgumentsInHeadersBefore20260728: sessions know nothing of that, and
// leave no tool out.
func TestNoArgumentsInHeadersBefore20260728(t *testing.T) {
	s := routed(legacy)
	c := s.open(t, nil, nil)
	if tools, err := c.ListTools(t.Context()); err != nil || len(tools) != 2 {
		t.Error(len(tools), err)
	}
	if _, err := c.CallTool(t.Context(), "routed", map[string]any{"to": "x"}); err != nil {
		t.Fatal(err)
	}
	for name := range s.got("tools/call")[0].HTTP.Header {
		if strings.HasPrefix(name, "Mcp-") && name != "Mcp-Protocol-Version" {
			t.Error(name)
		}
	}
}

func TestInvalidToolIsLeftOut(t *testing.T) {
	s := routed(modern)
	var j journal
	c := s.open(t, nil, &mcp.Options{Trace: j.trace()})
	tools, err := c.ListTools(t.Context())
	if err != nil || len(tools) != 1 || tools[0].Name != "routed" {
		t.Error(tools, err)
	}
	if !strings.Contains(j.String(), `tools/list "bad": x-mcp-header is on a property whose type is not`) {
		t.Error(j.String())
	}
}

// TestHeaderMismatch: a tool that has changed, or wasn't listed yet, is looked
// up, and called once more.
func TestHeaderMismatch(t *testing.T) {
	s := routed(modern)
	s.call = func(w http.ResponseWriter, r *request) {
		if r.HTTP.Header.Get("Mcp-Param-To") != "x" {
			mismatch(w, r)
			return
		}
		r.answer(w, done)
	}
	c := s.open(t, nil, nil)
	res, err := c.CallTool(t.Context(), "routed", map[string]any{"to": "x"})
	if err != nil || res.Text() != "done" {
		t.Error(err)
	}
	if calls, lists := len(s.got("tools/call")), len(s.got("tools/list")); calls != 2 || lists != 1 {
		t.Errorf("%d calls, %d lists", calls, lists)
	}
}

func TestRepeatedHeaderMismatch(t *testing.T) {
	s := routed(modern)
	s.call = mismatch
	c := s.open(t, nil, nil)
	_, err := c.CallTool(t.Context(), "routed", map[string]any{"to": "x"})
	wantError(t, err, nil, "Mcp-Param-To is missing", "-32020")
	wantStatus(t, err, 400)
	if calls, lists := len(s.got("tools/call")), len(s.got("tools/list")); calls != 2 || lists != 1 {
		t.Errorf("%d calls, %d lists", calls, lists)
	}
}

// TestHugeHeader: what a server refuses because of its length is the error of
// that call.
func TestHugeHeader(t *testing.T) {
	s := routed(modern)
	c := s.open(t, nil, nil)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.CallTool(within(t, callTimeout), "routed", map[string]any{"to": strings.Repeat("x", 2<<20)})
	wantError(t, err, nil, `"routed"`)
	callTool(t, c, "x")
}

// TestArgumentThatNoHeaderCanHold never leaves the client.
func TestArgumentThatNoHeaderCanHold(t *testing.T) {
	var calls atomic.Int64
	s := &server{version: modern, call: func(http.ResponseWriter, *request) { calls.Add(1) }}
	s.post = func(w http.ResponseWriter, r *request) bool {
		if r.Method == "tools/list" {
			r.answer(w, `{"tools":[{"name":"x","inputSchema":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}]}`)
		}
		return r.Method == "tools/list"
	}
	c := s.open(t, nil, nil)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.CallTool(t.Context(), "x", map[string]any{"n": int64(1) << 60})
	wantError(t, err, nil, "argument n")
	if calls.Load() != 0 {
		t.Error("the call was sent")
	}
}
