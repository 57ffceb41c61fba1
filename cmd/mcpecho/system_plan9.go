package main

import (
	"os"
	"os/signal"
	"syscall"
)

// errBrokenPipe is what writing to a pipe returns that its reader closed.
const errBrokenPipe = syscall.ErrorString("i/o on hungup channel")

// ignoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down.
func ignoreBrokenPipe() {
	signal.Notify(make(chan os.Signal, 1), syscall.Note("sys: write on closed pipe"))
}
