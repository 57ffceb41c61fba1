package terminal

import "syscall"

const getTerminal, setTerminal = syscall.TCGETS, syscall.TCSETS
