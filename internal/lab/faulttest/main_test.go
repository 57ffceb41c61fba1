package faulttest

import (
	"os"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain is a server or a client when a test starts one as a process.
func TestMain(m *testing.M) {
	testutil.LimitDepth()
	childserver.Main()
	subjectMain()
	code := testutil.Run(m)
	report.print(os.Stdout)
	figures.print(os.Stdout)
	os.Exit(code)
}
