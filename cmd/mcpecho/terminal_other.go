//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// windowSize reports whether f looks like a terminal, whose size is unknown.
func windowSize(f *os.File) (columns, rows int, ok bool) {
	info, err := f.Stat()
	return 0, 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// hideTyping is not supported on this system.
func hideTyping(*os.File) (show func(), ok bool) { return nil, false }

// makeRaw is not supported on this system.
func makeRaw(_, _ *os.File) (restore func(), ok bool) { return nil, false }

// onResize is not supported on this system.
func onResize(func()) (stop func()) { return func() {} }
