package streamhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func unconnected() *conn {
	c := &conn{headers: make(map[headerKey]http.Header), bindings: make(map[string]*toolBindings)}
	c.opts.MaxMessage = 1 << 20
	return c
}

// annotated returns a schema with n properties of long names in headers.
func annotated(n, length int) []byte {
	var b strings.Builder
	for i := range n {
		name := strings.Repeat("x", length-3) + strconv.Itoa(100+i)
		b.WriteString(`,"` + name + `":{"type":["string","null"],"x-mcp-header":"` + name + `"}`)
	}
	return []byte(`{"properties":{` + b.String()[1:] + `}}`)
}

// TestKeptHeadersAreLimited: in number and in the length of a name.
func TestKeptHeadersAreLimited(t *testing.T) {
	c := unconnected()
	for i := range 3 * maxHeaders {
		for range 2 {
			if _, err := c.header(&jsonrpc.Request{Method: "m" + strconv.Itoa(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if want := i%maxHeaders + 1; len(c.headers) != want {
			t.Fatalf("%d headers are kept after %d methods, want %d", len(c.headers), i+1, want)
		}
	}
	c = unconnected()
	for n, want := range map[int]int{maxHeaderName + 1: 0, maxHeaderName: 1} {
		h, err := c.header(&jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Name: strings.Repeat("x", n)}})
		if err != nil || len(h.Get("Mcp-Name")) != n || n == maxHeaderName && len(c.headers) != want {
			t.Errorf("name of %d bytes: %d headers are kept, %v", n, len(c.headers), err)
		}
	}
	c = unconnected()
	_, _ = c.header(&jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Name: strings.Repeat("x", maxHeaderName+1)}})
	if len(c.headers) != 0 {
		t.Errorf("the header for a name of %d bytes is kept", maxHeaderName+1)
	}
}

// TestKeptHeadersKeepNoMessage: the name of a tool may be a part of a long list.
func TestKeptHeadersKeepNoMessage(t *testing.T) {
	c := unconnected()
	list := []byte("tool, and 64 MiB of other tools")
	name := unsafe.String(&list[0], len("tool"))
	if _, err := c.header(&jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Name: name}}); err != nil {
		t.Fatal(err)
	}
	for k, h := range c.headers {
		if kept := h.Get("Mcp-Name"); kept != name || unsafe.StringData(kept) == &list[0] || unsafe.StringData(k.name) == &list[0] {
			t.Errorf("the header keeps the memory of the name %q", kept)
		}
	}
}

// TestHandshakesAtTheSameTime: one of them may put the session into use before the
// other has sent its notification.
func TestHandshakesAtTheSameTime(t *testing.T) {
	c := unconnected()
	c.setSessionVersion("v")
	c.useSession()
	h, err := c.header(&jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Session: jsonrpc.BeginsSession, ProtocolVersion: "v"}})
	if err != nil || h.Get(versionHeader) != "v" {
		t.Errorf("%v, %v", h, err)
	}
}

// TestArgumentsStayInTheirMessage: messages share headers, but not those of arguments.
func TestArgumentsStayInTheirMessage(t *testing.T) {
	c := unconnected()
	if err := c.bindArguments("tool", []byte(`{"properties":{"to":{"type":"string","x-mcp-header":"To"}}}`)); err != nil {
		t.Fatal(err)
	}
	req := &jsonrpc.Request{Method: "tools/call", Params: []byte(`{"arguments":{"to":"secret"}}`), HTTP: jsonrpc.HTTP{Name: "tool", Binding: "tool"}}
	first, err := c.header(req)
	if err != nil || first.Get("Mcp-Param-To") != "secret" {
		t.Errorf("%v, %v", first, err)
	}
	req.Params = []byte(`{}`)
	if second, err := c.header(req); err != nil || second.Get("Mcp-Param-To") != "" {
		t.Errorf("another message has the argument, too: %v, %v", second, err)
	}
	c.forgetArguments(time.Time{})
	if len(c.bindings) != 1 {
		t.Error("a tool of the last list is forgotten")
	}
	c.forgetArguments(time.Now().Add(time.Hour))
	if len(c.bindings) != 0 {
		t.Error("a tool that is no longer listed is kept")
	}
}

func TestKeptBindingsAreLimited(t *testing.T) {
	for n, want := range map[int]bool{maxBindings: true, maxBindings + 1: false} {
		if found, err := findBindings(annotated(n, 4)); (err == nil) != want || want && len(found) != n {
			t.Errorf("%d properties: %d found, %v", n, len(found), err)
		}
	}
	for n, want := range map[int]bool{maxHeaderName: true, maxHeaderName + 1: false} {
		if _, err := findBindings(annotated(1, n)); (err == nil) != want {
			t.Errorf("name of %d bytes: %v", n, err)
		}
	}
	c := unconnected()
	c.bindingBudget.SetMax(2000)
	for range 10 {
		if err := c.bindArguments("same", annotated(2, 200)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.bindArguments("large", annotated(5, 200)); err != errBindings {
		t.Errorf("five names of 200 bytes: %v", err)
	}
	if err := c.bindArguments("same", []byte(`{}`)); err != nil || len(c.bindings) != 0 || !c.bindingBudget.Take(2000-128) {
		t.Errorf("%d tools are kept, %v", len(c.bindings), err)
	}
}

// TestOddAnnotations: invalid schemas have no bindings, and are read to their end.
func TestOddAnnotations(t *testing.T) {
	const mark = `"x-mcp-header":"A"`
	for schema, want := range map[string]int{
		`{"properties":{"a":{"type":["string",1],` + mark + `}}}`:                                        -1,
		`{"properties":{"a":{"type":["string","integer"],` + mark + `}}}`:                                -1,
		`{"properties":{"a":{"type":7,` + mark + `}}}`:                                                   -1,
		`{"properties":[{"type":"string",` + mark + `}]}`:                                                0,
		`{"properties":7,"x":"x-mcp-header"}`:                                                            0,
		`{"properties":{"a":{"type":"string",` + mark + `},"b":{"type":"string","x-mcp-header":"a"}}}`:   -1,
		`{"default":{` + mark + `},"enum":[{` + mark + `}],"properties":{"a":{"const":{` + mark + `}}}}`: 0,
		`{"properties":{"a":{"type":["null","string"],` + mark + `}}}`:                                   1,
	} {
		found, err := findBindings([]byte(schema))
		if want < 0 && err == nil || want >= 0 && (err != nil || len(found) != want) {
			t.Errorf("%s: %d found, %v", schema, len(found), err)
		}
	}
}

// TestStatusOfSessions: which statuses mean that the server has forgotten the session,
// or may have.
func TestStatusOfSessions(t *testing.T) {
	const mine, others = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"m"}}`
	for _, tt := range []struct {
		status       int
		session      string
		kind, body   string
		lost, doubts bool
		rpc          bool
	}{
		{404, "s", typeJSON, "", true, false, false}, {404, "", typeJSON, "", false, false, false},
		{400, "s", typeJSON, mine, false, false, true}, {400, "s", typeJSON, others, false, true, true},
		{400, "s", "text/plain", mine, false, true, false}, {400, "", typeJSON, others, false, false, true},
		{400, "s", typeJSON, "{", false, true, false}, {403, "s", typeJSON, others, false, false, true},
		{400, "s", typeJSON, `{"jsonrpc":"2.0","id":1,"result":{}}`, false, true, false},
	} {
		c, traced := unconnected(), false
		c.Handler.Trace = func(sent bool, _ []byte) { traced = traced || !sent }
		resp := &http.Response{StatusCode: tt.status, Request: &http.Request{URL: &url.URL{}}, Header: http.Header{"Content-Type": {tt.kind}}, Body: io.NopCloser(strings.NewReader(tt.body))}
		err := c.statusError(resp, jsonrpc.NumberID(1), http.Header{sessionHeader: {tt.session}})
		var rpc *rpcError
		if errors.Is(err, jsonrpc.ErrNoSession) != tt.lost || errors.Is(err, jsonrpc.ErrSessionInDoubt) != tt.doubts || errors.As(err, &rpc) != tt.rpc {
			t.Errorf("%d, %q: %s, %s: %v", tt.status, tt.session, tt.kind, tt.body, err)
		}
		if errors.Is(err, io.EOF) || !traced && tt.rpc {
			t.Errorf("%d %s: traced is %v, %v", tt.status, tt.body, traced, err)
		}
	}
	for code, other := range map[int64]bool{jsonrpc.CodeMethodNotFound: false, -32000: true, -32019: true, -32020: false, -32021: false, -32022: false, -32023: true} {
		resp := &http.Response{StatusCode: 404, Request: &http.Request{URL: &url.URL{}}, Header: http.Header{"Content-Type": {typeJSON}},
			Body: io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"error":{"code":` + strconv.FormatInt(code, 10) + `,"message":"m"}}`))}
		var rpc *rpcError
		if err := unconnected().statusError(resp, jsonrpc.NumberID(1), nil); !errors.As(err, &rpc) || rpc.OtherTransport() != other {
			t.Errorf("code %d: %v", code, err)
		}
	}
}

// TestSessionInUse: which session messages belong to.
func TestSessionInUse(t *testing.T) {
	a, b := session{"a", "1"}, session{"b", "1"}
	for _, tt := range []struct {
		inUse  session
		opened *session
		want   session
	}{{session{}, nil, session{}}, {a, nil, a}, {session{}, &b, b}, {a, &b, a}} {
		c := unconnected()
		c.session, c.opened = tt.inUse, tt.opened
		if got := c.currentSessionLocked(); got != tt.want {
			t.Errorf("%v and %v: %v", tt.inUse, tt.opened, got)
		}
		stopped := 0
		c.stopListening = func() { stopped++ }
		c.useSession()
		c.useSession()
		if stopped != 1 || c.opened != nil || tt.opened != nil && c.session != *tt.opened {
			t.Errorf("%v and %v: stopped %d times, %v is in use", tt.inUse, tt.opened, stopped, c.session)
		}
	}
	c := unconnected()
	c.session = a
	if c.setSessionVersion("2"); *c.opened != (session{"a", "2"}) {
		t.Errorf("%v is opened", *c.opened)
	}
}

// TestEventIDsAreLimited: those that are kept to find repeated events.
func TestEventIDsAreLimited(t *testing.T) {
	s := newStream(unconnected())
	for i := range 2 * maxSeen {
		if s.repeated(strconv.Itoa(i)) {
			t.Fatalf("%d is a repetition", i)
		}
	}
	if len(s.seen) != maxSeen || !s.repeated("0") || s.repeated("") {
		t.Errorf("%d are kept", len(s.seen))
	}
	s = newStream(unconnected())
	for i := range 200 {
		s.repeated(strings.Repeat("x", 1000) + strconv.Itoa(i))
	}
	if n := s.seenBytes; n < maxSeenBytes || n > maxSeenBytes+2000 || len(s.seen) > maxSeenBytes/1000+1 {
		t.Errorf("%d of %d bytes are kept", len(s.seen), n)
	}
}

// TestEventsOfStream: other events are not messages, and a position is one that a
// header can hold.
func TestEventsOfStream(t *testing.T) {
	const note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"
	for events, want := range map[string]struct {
		messages int
		last     string
	}{
		"id: 1\n" + note:                                       {1, "1"},
		"id: 1\nevent: other\n" + note:                         {0, "1"},
		"event: message\n" + note:                              {1, ""},
		"id: 1\ndata:\n\n":                                     {0, "1"},
		"id: 1\n" + note + "id: \x01\n" + note:                 {2, ""},
		"id: 1\n" + note + "id: 1\n" + note:                    {2, "1"}, // which the server did not move
		"id: 1\n" + note + "id\n" + note:                       {2, ""},
		"id: 1\n" + note + "id: 2\n" + note + "id: 1\n" + note: {2, "1"},
	} {
		c, n := unconnected(), 0
		c.Handler.Message = func(jsonrpc.Conn, *jsonrpc.Message) { n++ }
		s := newStream(c)
		body := &closeCounter{Reader: strings.NewReader(events)}
		if err := s.read(&http.Response{Body: body}); err != io.EOF || body.n == 0 {
			t.Errorf("%q: closed %d times, %v", events, body.n, err)
		}
		if n != want.messages || s.last != want.last {
			t.Errorf("%q: %d messages, at %q", events, n, s.last)
		}
	}
}

type closeCounter struct {
	io.Reader
	n int
}

func (c *closeCounter) Close() error { c.n++; return nil }

func TestKnownLengthIsLimited(t *testing.T) {
	for n, want := range map[int]bool{3000: true, 3001: false} {
		resp := &http.Response{ContentLength: int64(n), Body: io.NopCloser(bytes.NewReader(make([]byte, n)))}
		if data, err := readAll(resp, 3000); (err == nil) != want || want && len(data) != n {
			t.Errorf("%d of 3000 bytes: %d, %v", n, len(data), err)
		}
	}
}
