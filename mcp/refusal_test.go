package mcp_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestRefusalKeepsNoVersions: hosts keep errors, as in events, and a server may offer any
// number of versions.
func TestRefusalKeepsNoVersions(t *testing.T) {
	const size, most = 8 << 20, 2 << 20
	answer := `"error":{"code":-32022,"message":"no","data":{"supported":["2027-12-31"` + strings.Repeat(`,"2028-12-31"`, size/13) + `]}}`
	synctest.Test(t, func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		pipe := testserver.Script(testserver.Replies(greetings(answer))).Pipe()
		_, err := mcp.Connect(t.Context(), overStream(pipe), nil)
		pipe.Close()
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > most || !errors.Is(err, mcp.ErrUnsupportedVersion) {
			t.Errorf("%.200v, which keeps %d KB", err, kept>>10)
		}
	})
}
