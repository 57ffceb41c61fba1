//go:build !unix

package main

// survivePipes is for systems that have a signal for closed pipes.
func survivePipes() {}
