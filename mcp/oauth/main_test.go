package oauth

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/leak"
)

// TestMain fails when tests leave something behind.
func TestMain(m *testing.M) { leak.Main(m) }
