package eventstream

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain fails if the tests leak goroutines.
func TestMain(m *testing.M) { testutil.Main(m) }
