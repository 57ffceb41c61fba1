package interop

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// playwright returns the command of a server that drives a browser. Only the long run has
// the server.
func playwright(t *testing.T) string {
	t.Helper()
	server := filepath.Join(os.Getenv("STDMCP_INTEROP"), "@playwright", "mcp", "cli.js")
	browser, err := exec.LookPath("chromium")
	if _, missing := os.Stat(server); missing != nil || err != nil {
		t.Skip("did not run: @playwright/mcp, which scripts/interop all installs, or chromium is missing")
	}
	return "node " + server + " --headless --no-sandbox --isolated --executable-path " + browser
}

// TestTenCommandsDriveABrowser runs the example of the page about hold, with a copy of
// example.com.
func TestTenCommandsDriveABrowser(t *testing.T) {
	t.Parallel()
	server := playwright(t)
	text, err := os.ReadFile(filepath.FromSlash("../../../docs/mcpecho-hold.md"))
	testutil.Must(t, err)
	_, example, _ := strings.Cut(string(text), "```sh\n")
	example, _, _ = strings.Cut(example, "```")
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			_, _ = w.Write([]byte("<title>Another page</title>"))
			return
		}
		_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Example Domain</title><body><div><h1>Example Domain</h1>` +
			`<p>This domain is for use in documentation examples without needing permission.</p><p><a href="/more">Learn more</a></p></div></body></html>`))
	}))
	defer pages.Close()
	for old, replaced := range map[string]string{"npx -y @playwright/mcp --headless": server, "https://example.com": pages.URL} {
		if !strings.Contains(example, old) {
			t.Fatalf("the example has no %q:\n%s", old, example)
		}
		example = strings.ReplaceAll(example, old, replaced)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-e", "-o", "pipefail", "-c", example+"wait $!\n")
	cmd.Dir = t.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, time.Second
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(peer(t, "mcpecho"))+":"+os.Getenv("PATH"), "XDG_RUNTIME_DIR=", "TMPDIR="+cmd.Dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	wantInOrder(t, string(out), "browser_navigate", "Perform click", "Page Title: Example Domain", `link "Learn more" [ref=e6]`, "Page Title: Another page", "Screenshot", "Page Title: Example Domain")
	if data, err := os.ReadFile(filepath.Join(cmd.Dir, "page.png")); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("%v, %d bytes", err, len(data))
	}
}
