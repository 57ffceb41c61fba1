package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// maxRequests limits what Requests returns.
const maxRequests = 10_000

// A Request is a request or a notification that a server has received.
type Request struct {
	Method    string         // such as tools/call
	Name      string         // of the tool or the prompt; empty for other methods
	URI       string         // of the resource; empty for other methods
	Arguments mcp.RawMessage // nil if there are none
	Params    mcp.RawMessage // all of them, byte for byte; nil if there are none
}

// parseRequest returns false for a response and for what is not a message.
func parseRequest(line []byte) (r Request, ok bool) {
	var m struct {
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(line, &m) != nil || m.Method == "" {
		return r, false
	}
	var p params
	_ = json.Unmarshal(m.Params, &p) // other methods have other types
	return Request{m.Method, p.Name, p.URI, p.Arguments, m.Params}, true
}

func (s *Server) record(_ string, line []byte) {
	if s.child != nil {
		if json.Valid(line) {
			s.child.write(report{Received: line})
		}
		return
	}
	r, ok := parseRequest(bytes.Clone(line))
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && len(s.requests) < maxRequests {
		s.requests = append(s.requests, r)
	}
}

// Requests returns the first 10,000 requests and notifications that the server has
// received, in order: those of the given methods, or all.
func (s *Server) Requests(methods ...string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return filter(s.requests, methods)
}

func filter(all []Request, methods []string) (list []Request) {
	for _, r := range all {
		if len(methods) == 0 || slices.Contains(methods, r.Method) {
			list = append(list, r)
		}
	}
	return list
}

// Calls returns the calls of a tool in order.
func (s *Server) Calls(tool string) []Request { return callsOf(s.Requests("tools/call"), tool) }

func callsOf(all []Request, tool string) (list []Request) {
	for _, r := range all {
		if r.Name == tool {
			list = append(list, r)
		}
	}
	return list
}

// WantCall fails the test unless a tool was called with arguments that are equal
// as JSON. arguments may have the types of the schema of [Server.Tool]; nil
// means any arguments.
func (s *Server) WantCall(tool string, arguments any) {
	s.t.Helper()
	wantCall(s.t, s.Calls(tool), tool, arguments)
}

func wantCall(t reporter, calls []Request, tool string, arguments any) {
	t.Helper()
	var want mcp.RawMessage
	if arguments != nil {
		want = rawJSON(t, "arguments", arguments)
	}
	var have []string
	for _, r := range calls {
		if arguments == nil || equalJSON(r.Arguments, want) {
			return
		}
		have = append(have, string(r.Arguments))
	}
	if have == nil {
		t.Errorf("mcptest: the tool %q was not called", tool)
		return
	}
	t.Errorf("mcptest: the tool %q was not called with %s, but with\n\t%s", tool, want, strings.Join(have, "\n\t"))
}

// WantCalls fails the test unless a tool was called n times.
func (s *Server) WantCalls(tool string, n int) {
	s.t.Helper()
	wantCalls(s.t, s.Calls(tool), tool, n)
}

func wantCalls(t reporter, calls []Request, tool string, n int) {
	t.Helper()
	if have := len(calls); have != n {
		t.Errorf("mcptest: the tool %q was called %d times, want %d", tool, have, n)
	}
}

// WantMethods fails the test unless the server has received exactly these requests,
// in this order. The handshake (initialize, notifications/initialized and
// server/discover) is not counted.
func (s *Server) WantMethods(methods ...string) {
	s.t.Helper()
	wantMethods(s.t, s.Requests(), methods)
}

func wantMethods(t reporter, requests []Request, methods []string) {
	t.Helper()
	have := []string{}
	for _, r := range requests {
		if !slices.Contains([]string{"initialize", "notifications/initialized", "server/discover"}, r.Method) {
			have = append(have, r.Method)
		}
	}
	if !slices.Equal(have, methods) {
		t.Errorf("mcptest: received %s, want %s", fmt.Sprint(have), fmt.Sprint(methods))
	}
}

func equalJSON(a, b []byte) bool {
	var va, vb any
	if len(a) == 0 {
		a = []byte("{}")
	}
	return json.Unmarshal(a, &va) == nil && json.Unmarshal(b, &vb) == nil && reflect.DeepEqual(va, vb)
}
