package childserver

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain runs the server in child processes, and fails when the tests leave
// goroutines, file descriptors or processes behind.
func TestMain(m *testing.M) {
	Main()
	testutil.Main(m)
}

func TestChildProcess(t *testing.T) {
	args, env := Command(&testserver.Options{ProtocolVersions: []string{"2025-11-25"}})
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"1.0","id":2,"method":"ping"}` + "\n")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	if lines := strings.Split(string(out), "\n"); lines[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` || len(lines) != 3 {
		t.Errorf("got %q", lines)
	}
	if !strings.Contains(stderr.String(), `violation: message.jsonrpc: want "2.0"`) {
		t.Errorf("stderr: %q", stderr.String())
	}
}
