//go:build !unix && !plan9

package main

import "syscall"

// errBrokenPipe is what writing to a pipe returns that its reader closed.
const errBrokenPipe = syscall.EPIPE

// ignoreBrokenPipe does nothing: this system has no signal for closed pipes.
func ignoreBrokenPipe() {}
