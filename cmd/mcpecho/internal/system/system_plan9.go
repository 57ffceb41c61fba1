package system

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ErrNotProgram is the error of starting a file that is not a program.
const ErrNotProgram = syscall.ErrorString("exec header invalid")

// IsBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, syscall.ErrorString("i/o on hungup channel"))
}

// IgnoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down.
func IgnoreBrokenPipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.Note("sys: write on closed pipe"))
}
