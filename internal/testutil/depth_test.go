package testutil

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A test binary that starts itself without end, and without the variables that a
// child should have, stops at the fourth level.
func TestSelfStartIsLimited(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the test cannot start itself: ", err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSelfStartIsLimited$", "-test.v")
	if cmd.Env = os.Environ(); runtime.GOOS == "linux" {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()} // the variables are lost
	}
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), "=== RUN"); n > maxDepth {
		t.Errorf("%d levels", n)
	}
	if depth, _ := ancestors(); depth == 0 && !strings.Contains(string(out), "started itself 4 levels deep") {
		t.Errorf("%v, %s", err, out)
	}
	t.Logf("%s", out)
}
