//go:build !windows

package batch

import "os/exec"

// Prepare does nothing: only Windows has batch files.
func Prepare(*exec.Cmd) error { return nil }
