//go:build !unix && !plan9 && !windows

package main

import (
	"errors"
	"syscall"
)

// errNotProgram is the error of starting a file that is not a program.
const errNotProgram = syscall.ENOEXEC

// isBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// ignoreBrokenPipe does nothing: this system has no signal for closed pipes.
func ignoreBrokenPipe() {}
