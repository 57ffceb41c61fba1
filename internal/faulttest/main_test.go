package faulttest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain is a server or a client when a test starts one as a process.
func TestMain(m *testing.M) {
	testserver.Main()
	subprocessMain()
	code := testutil.Run(m)
	report.print(os.Stdout)
	figures.print(os.Stdout)
	os.Exit(code)
}

// marked returns how many processes have been started with an environment that
// has the mark, whoever their parents are by now; 0 where the system doesn't tell.
func marked(mark string) (n int) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		environ, _ := os.ReadFile(name)
		if bytes.Contains(environ, []byte(mark+"\x00")) {
			n++
		}
	}
	return n
}
