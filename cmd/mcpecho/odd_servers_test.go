package main

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// TestOddWebServers: what servers and load balancers do that a command must cope with.
func TestOddWebServers(t *testing.T) {
	for _, tt := range []struct {
		fault          string
		status         int
		stdout, stderr string
	}{
		{"session-sticky", 0, "hi\n", ""},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			web := webServer(t, &testserver.Options{Fault: tt.fault}, nil)
			runCommand(t, "call", web.URL, "echo", "message=hi").want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}
