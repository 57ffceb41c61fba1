//go:build !windows

package main

import (
	"context"
	"os/exec"
)

// systemShell returns the command that runs a line of a POSIX shell.
func systemShell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", line)
}
