package streamhttp_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain fails when tests leave something behind.
func TestMain(m *testing.M) { testutil.Main(m) }

// patience is how long what takes no time may take on a busy machine. What
// must be exact is tested in bubbles.
const callTimeout = testutil.Timeout
