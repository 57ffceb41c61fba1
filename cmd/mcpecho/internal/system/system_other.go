//go:build !unix && !plan9 && !windows

package system

import (
	"errors"
	"syscall"
)

// ErrNotProgram is the error of starting a file that is not a program.
const ErrNotProgram = syscall.ENOEXEC

// IsBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// IgnoreBrokenPipe does nothing: this system has no signal for closed pipes.
func IgnoreBrokenPipe() {}
