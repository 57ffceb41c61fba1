package streamhttp_test

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestTasks waits through a task. Its id is repeated in a header, which cannot
// hold it as it is.
func TestTasks(t *testing.T) {
	for _, version := range []string{modern, legacy} {
		server := testserver.New(&testserver.Options{ProtocolVersions: []string{version}, Tasks: true})
		web, err := testserver.StartHTTP(server, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(web.Close)
		c := connect(t, streamhttp.New(web.URL, nil), &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "research",
			Arguments: map[string]any{"topic": "frogs", "step_ms": 10, "poll_ms": 100}})
		if err != nil || !strings.Contains(h.ID(), "«") {
			t.Fatalf("%+v, %v", h, err)
		}
		if res, err := h.Wait(t.Context()); err != nil || res.Text() != "A report on frogs." {
			t.Errorf("%+v, %v", res, err)
		}
		if v := server.Violations(); v != nil {
			t.Errorf("%s: the server complains: %q", version, v)
		}
	}
}
