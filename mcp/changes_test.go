package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestChanges checks that no change after Connect is missed, and that a panic of
// the function ends nothing.
func TestChanges(t *testing.T) {
	for _, version := range []string{modern, legacy} {
		synctest.Test(t, func(t *testing.T) {
			changes := make(chan mcp.Change, 10)
			o := onlyVersion(version)
			c := connect(t, testserver.New(&o), &mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: func(_ context.Context, change mcp.Change) {
				changes <- change
				panic("oh no")
			}}}})
			for range 2 {
				if _, err := c.CallTool(t.Context(), "add_tool", nil); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				select {
				case change := <-changes:
					if change.Kind != mcp.ToolsChanged {
						t.Errorf("%s: %+v", version, change)
					}
				default:
					t.Errorf("%s: no change", version)
				}
			}
		})
	}
}
