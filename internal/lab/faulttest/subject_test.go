package faulttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// subjectEnv makes the test binary run runSubject instead of tests: its value has the
// arguments, separated by spaces.
const subjectEnv = "STDMCP_MATRIX_SUBJECT"

// subjectMain runs runSubject if this process was started for it, and exits.
func subjectMain() {
	args := strings.Fields(os.Getenv(subjectEnv))
	if len(args) == 0 {
		return
	}
	os.Unsetenv(subjectEnv) // children have their own
	if err := runSubject(args); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startSubject runs runSubject in a process of its own, and returns what it prints.
func startSubject(t *testing.T, args ...any) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), subjectEnv+"="+strings.TrimSpace(fmt.Sprintln(args...)), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the process printed %q, %v", out, err)
	}
	return string(out)
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
		command, env := childserver.Command(&testserver.Options{Fault: args[1], Size: size})
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
