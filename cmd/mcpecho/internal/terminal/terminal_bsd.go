//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "syscall"

const getTerminal, setTerminal = syscall.TIOCGETA, syscall.TIOCSETA
