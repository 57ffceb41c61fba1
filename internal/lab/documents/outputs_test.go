package documents

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// page returns the text of a document.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	testutil.Must(t, err)
	return string(text)
}

// wantShown fails the test unless a page shows a text as a block.
func wantShown(t *testing.T, name, text string) {
	t.Helper()
	if !strings.Contains(page(t, name), "\n```\n"+text+"\n```\n") {
		t.Errorf("%s does not show %q", name, text)
	}
}

// TestShownErrors compares the errors that pages show with those of a server that
// needs a variable, one that does not exist, and one that asks the user.
func TestShownErrors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server is a script for sh")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n[ -n \"$API_KEY\" ] || { echo 'Error: API_KEY environment variable is required' >&2; exit 1; }\n"
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "search-server"), []byte(script), 0o700))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("API_KEY", "secret of the user")

	_, err := mcp.Connect(t.Context(), stdio.Command("search-server"), nil)
	if err == nil {
		t.Fatal("the server does not need its variable")
	}
	// Whether the client names the request depends on when the server exits.
	withoutRequest := strings.NewReplacer("server/discover: ", "", "initialize: ", "").Replace
	wantShown(t, "docs/getting-started.md", withoutRequest(err.Error()))

	h := host.New(nil)
	defer h.Shutdown(t.Context())
	errs := h.SetServers(t.Context(), []*host.Server{{Name: "search", Command: "search-server"}}).SortedErrors()
	if len(errs) != 1 {
		t.Fatal(errs)
	}
	wantShown(t, "docs/guides/many-servers.md", withoutRequest(errs[0].Error()))

	loop := "docs/guides/agent-loop.md"
	settings := config.Parse([]byte(blocks(t, filepath.Join(root, loop), "json")[0]), "servers.json", "user")
	testutil.Must(t, os.Unsetenv("API_KEY")) // until the end of the test
	errs = h.SetServers(t.Context(), settings.Servers[1:]).SortedErrors()
	if len(errs) != 1 {
		t.Fatal(errs)
	}
	wantShown(t, loop, errs[0].Error())

	client, err := mcp.Connect(t.Context(), stdio.Stream(testserver.NewCorrect(nil).Pipe()), &mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20260728}})
	testutil.Must(t, err)
	defer client.Close()
	if _, err = client.CallTool(t.Context(), "ask_elicitation", nil); err == nil {
		t.Fatal("a form without a handler is not an error")
	}
	wantShown(t, "docs/guides/elicitation-and-sampling.md", err.Error())
}
