//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "syscall"

const getTerminal, setTerminal = syscall.TIOCGETA, syscall.TIOCSETA
