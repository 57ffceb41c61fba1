//go:build !unix

package main

// ignoreBrokenPipe does nothing: this system has no signal for closed pipes.
func ignoreBrokenPipe() {}
