package stdio_test

import (
	"io"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestSingleUse: an existing stream can be opened once, a command again.
func TestSingleUse(t *testing.T) {
	var rwc io.ReadWriteCloser
	for name, tt := range map[string]struct {
		features jsonrpc.TransportFeatures
		want     bool
	}{"stream": {stdio.Stream(rwc).Features(), true}, "command": {stdio.Command("server").Features(), false}} {
		if tt.features.SingleUse != tt.want {
			t.Errorf("%s: SingleUse is %v", name, tt.features.SingleUse)
		}
	}
}
