//go:build !unix

package system

import "os"

// Hangups returns no signal: these systems interrupt or end the program.
func Hangups() []os.Signal { return nil }
