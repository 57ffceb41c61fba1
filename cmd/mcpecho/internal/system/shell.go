//go:build !windows

package system

import (
	"context"
	"os/exec"
)

// Shell returns the command that runs a line of a POSIX shell.
func Shell(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", line)
}
