package main

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// errNotProgram is the error of starting a file that is not a program.
const errNotProgram = syscall.Errno(193) // ERROR_BAD_EXE_FORMAT

// isBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func isBrokenPipe(err error) bool {
	const noData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed
	return errors.Is(err, noData) || errors.Is(err, syscall.ERROR_BROKEN_PIPE)
}

// ignoreBrokenPipe does nothing: this system has no signal for closed pipes.
func ignoreBrokenPipe() {}

// systemShell returns the command that runs a line of cmd.exe, as it is: exec.Command
// would change its quotes.
func systemShell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /s /c "` + line + `"`}
	return cmd
}
