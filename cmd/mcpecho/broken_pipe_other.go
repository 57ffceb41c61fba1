//go:build !unix

package main

// ignoreBrokenPipe is for systems that have a signal for closed pipes.
func ignoreBrokenPipe() {}
