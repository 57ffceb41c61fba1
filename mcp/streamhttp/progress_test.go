package streamhttp_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestProgressBeforeTheResultIsDelivered(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		web, err := testserver.StartHTTP(testserver.New(&testserver.Options{ProtocolVersions: []string{version}}), &testserver.HTTPOptions{Answers: testserver.Stream})
		if err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client()}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		n := 0
		if _, err := c.Do(t.Context(), &mcp.ToolCall{
			Name: "slow", Arguments: map[string]any{"seconds": 0.03, "steps": 3}, Progress: func(mcp.Progress) { n++ },
		}); err != nil || n != 3 {
			t.Errorf("%s: %d reports, %v", version, n, err)
		}
	}
}
