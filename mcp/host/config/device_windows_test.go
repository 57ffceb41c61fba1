package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestDevicesAreNoFiles: a project names a device of Windows as a file.
func TestDevicesAreNoFiles(t *testing.T) {
	for _, name := range []string{"CON", "nul", "aux.json", "com1"} {
		c := config.LoadFile(filepath.Join(t.TempDir(), name))
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), "not a regular file") {
			t.Errorf("%s: %v", name, c.Problems)
		}
	}
}
