package main

import "syscall"

const getTerminal, setTerminal = syscall.TCGETS, syscall.TCSETS
