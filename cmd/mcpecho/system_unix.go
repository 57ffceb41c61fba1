//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes writing to a closed pipe return an error instead of
// killing the program, so that it can shut the server down. The server would
// inherit an ignored signal, but not a caught one.
func ignoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// errBrokenPipe is what writing to a pipe returns that its reader closed.
const errBrokenPipe = syscall.EPIPE
