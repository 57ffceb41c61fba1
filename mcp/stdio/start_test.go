package stdio

import (
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestStartChangesTheCommand: Start runs another program than Name, which is
// not installed, and the rest works as without Start.
func TestStartChangesTheCommand(t *testing.T) {
	program := child("exit", "3", "no such file")
	tr := Command("no-such-program", "x")
	tr.Env = program.Env
	tr.Start = func(cmd *exec.Cmd) error {
		if !errors.Is(cmd.Err, exec.ErrNotFound) || !slices.Equal(cmd.Args, []string{"no-such-program", "x"}) {
			t.Errorf("%q, %v", cmd.Args, cmd.Err)
		}
		cmd.Path, cmd.Args, cmd.Err = program.Name, append([]string{program.Name}, program.Args...), nil
		return cmd.Start()
	}
	p := open(t, tr)
	var exit *ExitError
	if _, err := p.Read(); !errors.As(err, &exit) || exit.State.ExitCode() != 3 || exit.Stderr != "no such file\n" {
		t.Error(err)
	}
}

func TestStartFails(t *testing.T) {
	refused := errors.New("refused")
	for name, tt := range map[string]struct {
		start func(*exec.Cmd) error
		want  error
	}{
		"at once":         {func(*exec.Cmd) error { return refused }, refused},
		"starts nothing":  {func(*exec.Cmd) error { return nil }, errNotStarted},
		"ends goroutine":  {func(*exec.Cmd) error { runtime.Goexit(); return nil }, errStartExited},
		"not found":       {(*exec.Cmd).Start, exec.ErrNotFound},
		"after the start": {func(cmd *exec.Cmd) error { return startThen(t, cmd, func() {}, refused) }, refused},
		"starts, ends":    {func(cmd *exec.Cmd) error { return startThen(t, cmd, runtime.Goexit, nil) }, errStartExited},
	} {
		t.Run(name, func(t *testing.T) {
			tr := child("stubborn")
			if name == "not found" {
				tr.Name = "no-such-program"
			}
			var cmd *exec.Cmd
			tr.Start = func(c *exec.Cmd) error { cmd = c; return tt.start(c) }
			_, err := tr.Open(t.Context(), jsonrpc.Handler{})
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "start server ") {
				t.Error(err)
			}
			if cmd.Process != nil && cmd.ProcessState == nil {
				t.Error("the child was not reaped")
			}
		})
	}
}

// startThen starts cmd, calls f and returns err.
func startThen(t *testing.T, cmd *exec.Cmd, f func(), err error) error {
	if err := cmd.Start(); err != nil {
		t.Error(err)
	}
	f()
	return err
}

func TestPanicInStartReachesTheCaller(t *testing.T) {
	tr := child("stubborn")
	var cmd *exec.Cmd
	tr.Start = func(c *exec.Cmd) error { cmd = c; return startThen(t, c, func() { panic("why") }, nil) }
	defer func() {
		if v := recover(); v != "why" {
			t.Errorf("recovered %v", v)
		}
		if cmd.ProcessState == nil {
			t.Error("the child was not reaped")
		}
	}()
	_, err := tr.Open(t.Context(), jsonrpc.Handler{})
	t.Errorf("Open returned %v", err)
}
