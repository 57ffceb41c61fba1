//go:build unix && !linux && !freebsd

package stdio

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
