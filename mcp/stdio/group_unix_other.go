//go:build unix && !linux && !freebsd

package stdio

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit reports false: only Linux can wait for a child without reaping it.
func awaitExit(int) bool { return false }
