package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errNotProgram is the error of starting a file that is not a program.
const errNotProgram = syscall.ErrorString("exec header invalid")

// isBrokenPipe reports whether err is the error of writing to a pipe whose reader
// has closed it.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.ErrorString("i/o on hungup channel"))
}

// ignoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down.
func ignoreBrokenPipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.Note("sys: write on closed pipe"))
}
