//go:build !unix && !plan9 && !windows

package main

import (
	"errors"
	"syscall"
)

// errNotProgram is the error of starting a file that is no program.
const errNotProgram = syscall.ENOEXEC

// isBrokenPipe reports whether err is what writing to a pipe returns that its
// reader closed.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// ignoreBrokenPipe does nothing: this system has no signal for closed pipes.
func ignoreBrokenPipe() {}
