package jsonschema_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain fails when tests leave something behind.
func TestMain(m *testing.M) { testutil.Main(m) }
