package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

// TestEntryWithCommandAndURL: mcpecho starts the program of the entry, speaks HTTP
// to it, and ends it.
func TestEntryWithCommandAndURL(t *testing.T) {
	if !apart(t) {
		return
	}
	url := closedURL(t)
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	inProject(t, map[string]string{"both.json": fmt.Sprintf(`{"mcpServers":{"web":{"command":%q,"args":["serve","--http",%q],"url":%q}}}`,
		mcpechoPath(t), address, url)})
	gone := func() {
		t.Helper()
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Error("the program still listens")
		}
	}
	runCommand(t, "call", "web", "echo", "message=hi", "-c", "both.json").want(t, 0, "hi\n", "")
	gone()
	if o := runCommand(t, "search", "echo", "-c", "both.json"); o.status != 0 || !strings.Contains(o.stdout, "web/echo") {
		t.Errorf("%+v", o)
	}
	gone()
}

func TestEntryWithURLWhoseProgramFails(t *testing.T) {
	inProject(t, map[string]string{"both.json": fmt.Sprintf(`{"mcpServers":{"web":{"command":%q,"args":["no-such-command"],"url":%q}}}`,
		mcpechoPath(t), closedURL(t))})
	o := runCommand(t, "call", "web", "echo", "message=hi", "-c", "both.json")
	if o.status != failure.Unreachable || !strings.Contains(o.stderr, "no-such-command") {
		t.Errorf("%+v", o)
	}
}
