//go:build race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// childBinary returns this test binary without the race detector, with which a process
// takes several times as long to begin. What children do is tested in this process, too.
func childBinary(dir string) (string, error) {
	path := filepath.Join(dir, "mcpecho.test")
	cmd := exec.Command("go", "test", "-c", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as other steps of .ci/run compile it
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
}
