//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import "os"

// windowHeight returns 0, as it is unknown.
func windowHeight(*os.File) int { return 0 }

// windowWidth reports whether f looks like a terminal, whose width is unknown.
func windowWidth(f *os.File) (columns int, ok bool) {
	info, err := f.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}
