package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// outerEnv is the environment before TestMain changes it: it has Go's cache.
var outerEnv = os.Environ()

// TestFigures measures what a user waits for, with the program as it is installed.
// The best of several rounds counts, as other programs interrupt some.
func TestFigures(t *testing.T) {
	if os.Getenv("STDMCP_FIGURES") == "" {
		t.Skip("measures; set STDMCP_FIGURES=1 to run it")
	}
	program := filepath.Join(t.TempDir(), "mcpecho.exe")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(outerEnv, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // for a warm call
	report := func(what string, have, most float64, unit string) {
		t.Helper()
		t.Logf("| %s | %.2f %s | ≤ %g %s |", what, have, unit, most, unit)
		if have > most {
			t.Errorf("%s: over the limit", what)
		}
	}

	start := testutil.Best(func() { startServer(t, program) })
	call := testutil.Best(func() {
		out, err := exec.Command(program, "call", "echo", "message=hi", "--", program, "serve").Output()
		testutil.Must(t, err)
		if string(out) != "hi\n" {
			t.Fatalf("%q", out)
		}
	})
	report("a call over stdio, beyond the start of the server ("+start.Round(10*time.Microsecond).String()+")", ms(call-start), 30, "ms")
	report("a call in the shell", ms(callInShell(t, program)), 2, "ms")
	lines := ""
	tour := testutil.Best(func() {
		out, err := exec.Command(program).Output()
		testutil.Must(t, err)
		lines = string(out)
	})
	report("the tour", ms(tour), 2000, "ms")
	report("lines of the tour", float64(strings.Count(lines, "\n")), 24, "")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// startServer starts the echo server and waits for its first response.
func startServer(t *testing.T, program string) {
	t.Helper()
	cmd := exec.Command(program, "serve")
	in, err := cmd.StdinPipe()
	testutil.Must(t, err)
	out, err := cmd.StdoutPipe()
	testutil.Must(t, err)
	testutil.Must(t, cmd.Start())
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
	testutil.Must(t, err)
	line, err := bufio.NewReader(out).ReadString('\n')
	testutil.Must(t, err)
	if !strings.Contains(line, `"serverInfo"`) {
		t.Fatal(line)
	}
	testutil.Must(t, in.Close())
	testutil.Must(t, cmd.Wait())
}

// callInShell returns the best of the medians of several rounds of calls in a
// session.
func callInShell(t *testing.T, program string) time.Duration {
	t.Helper()
	cmd := exec.Command(program, "shell", "--no-state", "--", program, "serve")
	in, err := cmd.StdinPipe()
	testutil.Must(t, err)
	out, err := cmd.StdoutPipe()
	testutil.Must(t, err)
	testutil.Must(t, cmd.Start())
	lines := bufio.NewReader(out)
	least := time.Hour
	for range 5 {
		var times []time.Duration
		for range 50 {
			began := time.Now()
			_, err := io.WriteString(in, "call echo message=hi\n")
			testutil.Must(t, err)
			line, err := lines.ReadString('\n')
			testutil.Must(t, err)
			if line != "hi\n" {
				t.Fatal(line)
			}
			times = append(times, time.Since(began))
		}
		slices.Sort(times)
		least = min(least, times[len(times)/2])
	}
	testutil.Must(t, in.Close())
	testutil.Must(t, cmd.Wait())
	return least
}
