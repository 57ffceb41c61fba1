package childserver

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain runs the server in child processes, and fails when the tests leave
// goroutines, file descriptors or processes behind.
func TestMain(m *testing.M) {
	Main()
	testutil.Main(m)
}
