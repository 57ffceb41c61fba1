package main

import (
	"context"
	"os/exec"
	"syscall"
)

// systemShell returns the command that runs a line of cmd.exe, as it is: exec.Command
// would change its quotes.
func systemShell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /s /c "` + line + `"`}
	return cmd
}
