//go:build unix

package system

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ErrNotProgram is the error of starting a file that is not a program.
const ErrNotProgram = syscall.ENOEXEC

// IsBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// IgnoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down. The server would
// inherit an ignored signal, but not a caught one.
func IgnoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Hangups returns the signal of a terminal that was closed, unless nohup ignores it.
func Hangups() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
