package system

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// ErrNotProgram is the error of starting a file that is not a program.
const ErrNotProgram = syscall.Errno(193) // ERROR_BAD_EXE_FORMAT

// IsBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func IsBrokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, noData) || errors.Is(err, syscall.ERROR_BROKEN_PIPE)
}

// IgnoreBrokenPipe does nothing: this system has no signal for closed pipes.
func IgnoreBrokenPipe() {}

// Shell returns the command that runs a line of cmd.exe, as it is: exec.Command
// would change its quotes.
func Shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /s /c "` + line + `"`}
	return cmd
}
