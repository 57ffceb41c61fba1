package mcptest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func (f *fakeTest) Context() context.Context { return context.Background() }
func (f *fakeTest) Logf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}

// TestTestServer accepts a good server, and reports each fault of a bad one.
func TestTestServer(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		s := mcptest.New(t)
		s.ProtocolVersions = []string{version}
		s.Lenient = true // the checks send what the specification forbids
		everything(s)
		mcptest.TestServer(t, s)
	}
	fake := &fakeTest{}
	bad := mcptest.New(t)
	bad.Lenient = true
	bad.Tool("no good", `{"type":"array"}`, nil)
	bad.Resource("bad://1", "text/plain", func(*mcptest.Call) (any, error) { return 1, nil })
	bad.Resource("bad://2", "text/plain", func(*mcptest.Call) (any, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "not found"}
	})
	bad.Inject("servercheck/unknown", mcptest.Malformed())
	bad.Inject("resources/templates/list", mcptest.Crash())
	mcptest.TestServer(fake, bad)
	all := strings.Join(append(fake.end(), fake.logs...), "\n")
	for _, want := range []string{`tool "no good": inputSchema must have the type`, "warning: tool \"no good\": no description",
		`resource "bad://1": listed, but the server refuses`, `resource "bad://2": listed, but cannot be read`, "resources/templates/list: "} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in:\n%s", want, all)
		}
	}
}

// TestResourcesThatDependOnState: a server may list what it can read only while a document
// is open or a user is there, and what ceases to exist in the meantime.
func TestResourcesThatDependOnState(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		fake, s := &fakeTest{}, mcptest.New(t)
		s.ProtocolVersions, s.Lenient = []string{version}, true
		s.Resource("state://page", "text/plain", func(*mcptest.Call) (any, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "no page is open"}
		})
		s.Resource("state://user", "text/plain", func(c *mcptest.Call) (any, error) { return c.Ask("Who?") })
		s.Resource("state://gone", "text/plain", func(*mcptest.Call) (any, error) {
			s.RemoveResource("state://gone")
			return nil, &jsonrpc.Error{Code: mcp.CodeResourceNotFound, Message: "not found"}
		})
		mcptest.TestServer(fake, s)
		if failed := fake.end(); failed != nil {
			t.Errorf("%s: %q", version, failed)
		}
		all := strings.Join(fake.logs, "\n")
		for _, want := range []string{"state://page\": no page is open", "\"state://user\": listed, but the server refuses to read it now"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q is not in:\n%s", version, want, all)
			}
		}
		if strings.Contains(all, "gone") {
			t.Errorf("%s: %s", version, all)
		}
	}
}

func ExampleTestServer() {
	test := func(t *testing.T) {
		server := mcptest.New(t) // in your tests: the transport of your server
		mcptest.TestServer(t, server)
	}
	_ = test
	// Output:
}
