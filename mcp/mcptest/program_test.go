package mcptest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestProgramFaults: each fault happens once, to whichever process gets the request.
func TestProgramFaults(t *testing.T) {
	anyError := errors.New("any error")
	for _, test := range []struct {
		fault mcptest.Fault
		want  error // of the call; nil is success
	}{
		{mcptest.Drop(), context.DeadlineExceeded},
		{mcptest.Delay(time.Millisecond), nil},
		{mcptest.Crash(), jsonrpc.ErrClosed},
		{mcptest.LoseSession(), jsonrpc.ErrClosed},
		{mcptest.Malformed(), jsonrpc.ErrMalformed},
		{mcptest.Flood(1000), nil},
		{mcptest.Expire(), anyError},
		{mcptest.Refuse(7, "no"), anyError},
		{mcptest.Respond(`[]`), jsonrpc.ErrMalformed},
	} {
		t.Run(test.fault.String(), func(t *testing.T) {
			t.Parallel()
			program := mcptest.Command(t, "greeter")
			program.Inject("greet", test.fault)
			connect := func() *mcp.Client {
				client, err := mcp.Connect(t.Context(), program.Transport(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return client
			}
			client := connect()
			defer func() { client.Close() }()
			call := mcp.ToolCall{Name: "greet"}
			if test.want == context.DeadlineExceeded {
				call.Timeout = 100 * time.Millisecond
			}
			_, err := client.Do(t.Context(), &call)
			if (test.want == nil) != (err == nil) || test.want != anyError && !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if errors.Is(err, jsonrpc.ErrClosed) {
				client.Close()
				client = connect()
			}
			if _, err := client.CallTool(t.Context(), "greet", nil); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// TestWantsOfProgram fail the test unless the processes received what they name.
func TestWantsOfProgram(t *testing.T) {
	fake := &fakeTest{}
	program := mcptest.Command(fake, "greeter")
	for range 2 {
		client, err := mcp.Connect(t.Context(), program.Transport(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"}); err != nil {
			t.Fatal(err)
		}
		client.Close()
	}
	program.WantCall("greet", `{"name": "Ada"}`)
	program.WantCalls("greet", 2)
	program.WantMethods("tools/call", "tools/call")
	if failures := fake.failures; len(failures) > 0 {
		t.Errorf("failures: %q", failures)
	}
	program.WantCall("greet", `{"name":"Eve"}`)
	program.WantCall("leave", nil)
	program.WantCalls("greet", 1)
	program.WantMethods("tools/call")
	failures := fake.end()
	for i, want := range []string{`not called with {"name":"Eve"}, but with`, `"leave" was not called`, "called 2 times, want 1", "received [tools/call tools/call]"} {
		if len(failures) != 4 || !strings.Contains(failures[i], want) {
			t.Errorf("failures: %q, want %q", failures, want)
		}
	}
}

// TestForgottenMain: a test binary whose TestMain does not call Main is started as
// a server, runs its tests, and does not start itself again.
func TestForgottenMain(t *testing.T) {
	program := mcptest.Command(t, "greeter") // fails in the process that is started here
	program.Args = []string{"-test.run=^TestForgottenMain$"}
	program.Env = append(program.Env, envForget+"=1")
	_, err := mcp.Connect(t.Context(), program.Transport(), nil)
	if err == nil || !strings.Contains(err.Error(), "call mcptest.Main first in TestMain") {
		t.Errorf("error %v", err)
	}
}

// envForget makes TestMain not call Main.
const envForget = "MCPTEST_TEST_FORGET"

// testsOnly reports whether the process runs tests that another one examines.
func testsOnly() bool { return os.Getenv(envForget)+os.Getenv(envBroken) != "" }
