// Package childserver runs a server of package testserver in a child process, which is
// the test binary itself. "mcpecho serve" uses only package testserver, so that
// mcpecho does not link encoding/json.
package childserver

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// Command returns the command line that starts the test binary as a server, and
// the environment variables to add. TestMain must call [Main]. The child writes
// violations to its standard error.
func Command(o *testserver.Options) (args, env []string) {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	options, _ := json.Marshal(o) // without Report, every value has a JSON form
	// Otherwise a process with the race detector sleeps before it exits.
	race := "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")
	return []string{program}, []string{testserver.ChildEnv + "=" + string(options), race}
}

// Main runs the server on standard input and output and exits, if the process
// was started by a [Command]. Otherwise it returns.
func Main() {
	text, ok := os.LookupEnv(testserver.ChildEnv)
	if !ok {
		return
	}
	o := &testserver.Options{}
	if err := json.Unmarshal([]byte(text), o); err != nil {
		fmt.Fprintf(os.Stderr, "testserver: %s: %v\n", testserver.ChildEnv, err)
		os.Exit(2)
	}
	o.Report = func(what string, _ []byte) { fmt.Fprintln(os.Stderr, "testserver: violation:", what) }
	o.Child = true
	if err := testserver.New(o).ServeProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
