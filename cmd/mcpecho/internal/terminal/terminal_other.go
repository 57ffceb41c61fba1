//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package terminal

import "os"

// WindowSize reports whether f looks like a terminal, whose size is unknown.
func WindowSize(f *os.File) (columns, rows int, ok bool) {
	info, err := f.Stat()
	return 0, 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// InBackground is not supported on this system.
func InBackground(*os.File) bool { return false }

// HideTyping is not supported on this system.
func HideTyping(*os.File) (show func(), ok bool) { return nil, false }

// MakeRaw is not supported on this system.
func MakeRaw(_, _ *os.File) (restore func(), ok bool) { return nil, false }

// OnResize is not supported on this system.
func OnResize(func()) (stop func()) { return func() {} }

// DiscardTyped is not supported on this system.
func DiscardTyped(*os.File) {}
