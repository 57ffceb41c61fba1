package batch

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestMain makes the test binary the program of the batch file, which prints its
// command line.
func TestMain(m *testing.M) {
	if os.Getenv("BATCH_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	line := unsafe.Slice(syscall.GetCommandLine(), 1<<15)
	os.Stdout.WriteString(syscall.UTF16ToString(line))
}

// TestBatchFileGetsArguments: %* of a batch file holds the arguments of the command.
func TestBatchFileGetsArguments(t *testing.T) {
	t.Parallel()
	script := writeScript(t)
	args := []string{"", "plain", "a b", "https://example.com/?a=1&b=2", `{"a":"b c"}`, `C:\a b\`, "^", "a|b<c>d", "!x!"}
	for _, path := range []string{script, strings.TrimSuffix(script, ".cmd"), `.\run`, "run.cmd"} {
		runScript(t, script, path, args)
	}
}

// TestPercentSigns: the arguments hold the names of variables.
func TestPercentSigns(t *testing.T) {
	t.Parallel()
	script := writeScript(t)
	runScript(t, script, script, []string{"%BATCH_TEST_CHILD%", "100%", "%cd:~,%", "%%"})
}

func runScript(t *testing.T, script, path string, args []string) {
	t.Helper()
	cmd := &exec.Cmd{Path: path, Args: append([]string{path}, args...), Dir: filepath.Dir(script), Env: append(os.Environ(), "BATCH_TEST_CHILD=1")}
	if err := Prepare(cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if got := cArgs(strings.TrimSpace(string(out))); len(got) == 0 || !slices.Equal(got[1:], args) {
		t.Errorf("%s: %q", path, got)
	}
}

// writeScript writes a batch file that runs the test binary.
func writeScript(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a b & c")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "run.cmd")
	if err := os.WriteFile(script, []byte("@echo off\r\n\""+exe+"\" %*\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return script
}

func TestOtherProgramsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: exe, Args: []string{"x", "a&b"}}
	if err := Prepare(cmd); err != nil || cmd.Path != exe || cmd.SysProcAttr != nil {
		t.Errorf("%v, %v", cmd, err)
	}
}
