//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes writing to a closed pipe an error instead of the end of
// the program, so that the server is shut down first. Ignoring the signal
// would do the same but be inherited by the server.
func ignoreBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
