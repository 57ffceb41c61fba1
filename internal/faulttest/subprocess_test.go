package faulttest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// subprocessEnv makes the test binary run one of the functions below instead of
// tests: a word and its arguments, separated by spaces.
const subprocessEnv = "STDMCP_MATRIX_ROLE"

// subprocessMain runs the function if this process was started for one, and exits.
// It ends with standard input.
func subprocessMain() {
	words := strings.Fields(os.Getenv(subprocessEnv))
	if len(words) == 0 {
		return
	}
	os.Unsetenv(subprocessEnv) // children have their own
	functions := map[string]func(args []string) error{"parent": runParent, "subject": runSubject}
	if err := functions[words[0]](words[1:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startSubprocess starts the test binary for one of the functions below. It ends
// with the test.
func startSubprocess(t *testing.T, words ...any) *process.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), subprocessEnv+"="+strings.TrimSpace(fmt.Sprintln(words...)), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() { _ = p.Close() }) // it may have been killed
	return p
}

// lineOf returns the next line that a subprocess prints.
func lineOf(t *testing.T, p *process.Process) string {
	t.Helper()
	line, err := p.Line()
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("the process printed %q, %v", line, err)
	}
	return line
}

// runParent is a client with a server that does not exit by itself. It prints the
// server's process id.
func runParent([]string) error {
	args, env := testserver.Command(&testserver.Options{Fault: "ignores-eof"})
	tr := stdio.Command(args[0], args[1:]...)
	tr.Env = env
	client, err := mcp.Connect(context.Background(), tr, nil)
	if err != nil {
		return err
	}
	pid, err := pidOf(context.Background(), client)
	if err != nil {
		return err
	}
	fmt.Println(pid)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// runSubject is a client whose server has a fault: TRANSPORT FAULT LIMIT SIZE URL.
// It prints its memory before the call and at the peak, and the error of the call.
func runSubject(args []string) error {
	limit, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	var tr mcp.Transport
	switch args[0] {
	case "S":
		size, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		command, env := testserver.Command(&testserver.Options{Fault: args[1], Size: size})
		s := stdio.Command(command[0], command[1:]...)
		s.Env, s.MaxMessage = env, limit
		tr = s
	case "E":
		tr = sse.New(args[4], &sse.Options{MaxMessage: limit})
	case "H":
		tr = streamhttp.New(args[4], &streamhttp.Options{MaxMessage: limit})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client, err := mcp.Connect(ctx, tr, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	before := process.Memory(os.Getpid(), "VmRSS")
	_, err = client.CallTool(ctx, "echo", map[string]any{"message": "x"})
	fmt.Println(before, process.Memory(os.Getpid(), "VmHWM"), fmt.Sprintf("%q", fmt.Sprint(err)))
	return nil
}

// pidOf returns the process id of a server that is a process.
func pidOf(ctx context.Context, client *mcp.Client) (int, error) {
	res, err := client.CallTool(ctx, "process", nil)
	if err != nil {
		return 0, err
	}
	var pid int
	if _, err := fmt.Sscanf(string(res.StructuredContent), `{"pid":%d,`, &pid); err != nil {
		return 0, fmt.Errorf("%s: %w", res.StructuredContent, err)
	}
	return pid, nil
}
