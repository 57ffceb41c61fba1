package dialers_test

import (
	"os"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain runs the test server if a test started this process as a server. It
// fails if tests leak goroutines, descriptors or child processes.
func TestMain(m *testing.M) {
	if address := os.Getenv(serveAt); address != "" {
		serve(address)
	}
	childserver.Main()
	testutil.Main(m)
}
