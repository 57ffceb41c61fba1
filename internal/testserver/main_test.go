package testserver

import (
	"flag"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestMain fails when the tests leave goroutines, file descriptors or processes behind.
func TestMain(m *testing.M) { testutil.Main(m) }
