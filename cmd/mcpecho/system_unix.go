//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errNotProgram is the error of starting a file that is not a program.
const errNotProgram = syscall.ENOEXEC

// isBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// ignoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down. The server would
// inherit an ignored signal, but not a caught one.
func ignoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// hangups returns the signal of a terminal that was closed, unless nohup ignores it.
func hangups() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
