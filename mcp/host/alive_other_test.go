//go:build !windows

package host_test

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// alive reports whether a process exists, even as a zombie.
func alive(pid int) bool {
	if runtime.GOOS == "linux" {
		_, err := os.Stat("/proc/" + strconv.Itoa(pid))
		return err == nil
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
