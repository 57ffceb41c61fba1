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

// runShell runs the lines as a script of "mcpecho shell" with a server, the last of
// args.
func runShell(t *testing.T, lines string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, peer(t, "mcpecho"), append([]string{"shell", "--stop-on-error", "--no-state"}, args...)...)
	cmd.Stdin = strings.NewReader(lines)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s%s", err, out, stderr.Bytes())
	}
	return string(out)
}

// wantInOrder checks that the texts follow each other in out.
func wantInOrder(t *testing.T, out string, texts ...string) {
	t.Helper()
	rest := out
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Errorf("no %q in its place in\n%s", text, out)
			return
		}
		rest = after
	}
}

func TestShellKeepsTheMemoryOfAServer(t *testing.T) {
	t.Parallel()
	main := script(t, "server-memory")
	out := runShell(t, `call create_entities entities:=[{"name":"Ada","entityType":"person","observations":["math"]}]
call add_observations {
  "observations": [{"entityName": "Ada", "contents": ["poetry"]}]
}
call open_nodes names:=["Ada"]
`, "-e", "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.json"), "--", "node", main)
	wantInOrder(t, out, `"addedObservations"`, `"entities"`, `"math"`, `"poetry"`)
}

func TestShellSubscribesAndAnswers(t *testing.T) {
	t.Parallel()
	everything := []string{"node", script(t, "server-everything"), "stdio"}
	// The server updates each resource that has a subscriber at once, and then every five seconds.
	out := runShell(t, "watch demo://resource/dynamic/text/1\ncall toggle-subscriber-updates\nwait 30s\ncall toggle-subscriber-updates\nunwatch\n"+
		"call trigger-sampling-request prompt=capital maxTokens=20\ncall get-roots-list\n",
		append([]string{"--sampling", "echo Paris", "--root", t.TempDir(), "--"}, everything...)...)
	wantInOrder(t, out, "updated demo://resource/dynamic/text/1", "Stopped simulated resource updates", "Paris", "file://")
}

// TestReplayOfAServerOverHTTP records a session over Streamable HTTP, and replays
// it over each transport.
func TestReplayOfAServerOverHTTP(t *testing.T) {
	t.Parallel()
	url := serveEverything(t, "http /mcp").url
	file := filepath.Join(t.TempDir(), "session")
	const lines = "tools\ncall get-sum a=2 b=40\ncall trigger-long-running-operation duration=1 steps=2\nread demo://resource/static/document/features.md\n"
	want := runShell(t, lines, url, "--record", file)
	wantInOrder(t, want, "get-sum", "is 42.")
	if out := runShell(t, lines, "--", peer(t, "mcpecho"), "serve", "--replay", file); out != want {
		t.Errorf("over stdio:\n%s", out)
	}
	address := "127.0.0.1:" + freePort(t)
	cmd := exec.Command(peer(t, "mcpecho"), "serve", "--replay", file, "--http", address)
	testutil.Must(t, cmd.Start())
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	waitForServer(t, address)
	for _, path := range []string{"/mcp", "/sse"} {
		if out := runShell(t, lines, "http://"+address+path); out != want {
			t.Errorf("over %s:\n%s", path, out)
		}
	}
}

// TestShellKeepsTheBrowserOpen needs a server and a browser that only the long run
// has.
func TestShellKeepsTheBrowserOpen(t *testing.T) {
	t.Parallel()
	server := playwright(t)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("<title>Page " + r.URL.Path + "</title><a href=/pears>Pears</a>"))
	}))
	defer pages.Close()
	dir := t.TempDir()
	picture := filepath.Join(dir, "page.png")
	out := runShell(t, "call browser_navigate url="+pages.URL+"/apples\ncall browser_click element=Pears target=text=Pears\n"+
		"call browser_take_screenshot -o "+picture+"\ncall browser_snapshot\n",
		append([]string{"--cwd", dir, "--"}, strings.Fields(server)...)...)
	wantInOrder(t, out, "Page Title: Page /apples", "Page Title: Page /pears")
	if data, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("%v, %d bytes", err, len(data))
	}
}
