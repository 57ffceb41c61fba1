package mcptest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
)

// Record returns a transport that connects with tr and records all messages in the
// file path until the end of the test. It makes the folder of the file. In the
// recording, "***" replaces the values of secrets of at least 5 bytes, and strings
// whose names suggest a secret. The test fails if the file cannot be written.
func Record(t testing.TB, path string, tr mcp.Transport, secrets ...string) mcp.Transport {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err != nil {
		t.Fatalf("mcptest: %v", err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatalf("mcptest: %v", err)
	}
	w := recording.NewWriter(file, secrets...)
	t.Cleanup(func() {
		err := w.Close()
		if err2 := file.Close(); err == nil {
			err = err2
		}
		if err != nil {
			t.Errorf("mcptest: %s: %v", path, err)
		}
	})
	return w.Wrap(tr)
}

// ReplayOptions configure [Replay]. Nil means the zero value.
type ReplayOptions struct {
	// Timed responds after the time that the server took, instead of at once.
	Timed bool

	// Secrets are those that Record was given.
	Secrets []string
}

// Replay returns a transport to a server that responds as in the recording in the
// file path. A request matches a recorded request with the same method and params,
// whatever the order of members and the content of _meta; in a handshake, only the
// method counts. Of several responses to equal requests, each is used once, and the
// last as often as needed. A request that matches none fails the test, which then
// shows the nearest recorded request. If the client responds to a request of the server
// with something else than in the recording, the test logs it. A recording that is edited or of a later version
// also fails the test. Of one that is truncated, such as by the end of a process, the
// test logs it, and replays what is there.
func Replay(t testing.TB, path string, o *ReplayOptions) mcp.Transport {
	t.Helper()
	if o == nil {
		o = &ReplayOptions{}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("mcptest: %v", err)
		return nil
	}
	defer file.Close()
	entries, err := recording.Read(file)
	switch {
	case len(entries) > 0 && errors.Is(err, recording.ErrTruncated):
		t.Logf("mcptest: %s: %v; the entries before it are replayed", path, err)
	case err != nil:
		t.Fatalf("mcptest: %s: %v", path, err)
		return nil
	}
	return recording.NewReplay(entries, &recording.Options{Timed: o.Timed, Secrets: o.Secrets, Report: func(problem string) {
		t.Errorf("mcptest: %s: %s", path, problem)
	}, Differs: func(problem string) {
		t.Logf("mcptest: %s: %s", path, problem) // roots, for one, differ between machines
	}})
}
