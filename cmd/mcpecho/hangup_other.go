//go:build !unix

package main

import "os"

// hangups returns no signal: these systems interrupt or end the program.
func hangups() []os.Signal { return nil }
