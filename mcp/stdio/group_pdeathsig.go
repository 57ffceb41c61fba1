//go:build linux || freebsd

package stdio

import "syscall"

// attributes makes the child the leader of a process group, and makes the kernel
// kill it when this process ends, or on Linux the thread that started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
