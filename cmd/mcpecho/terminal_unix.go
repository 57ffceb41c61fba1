//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os"
	"syscall"
	"unsafe"
)

// windowWidth reports whether f is a terminal, and its columns; 0 if unknown.
func windowWidth(f *os.File) (columns int, ok bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.columns), errno == 0
}

// windowHeight returns the lines of a terminal; 0 if unknown.
func windowHeight(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.rows)
}

// hideTyping turns off the terminal's echo until show is called.
func hideTyping(f *os.File) (show func(), ok bool) {
	var was syscall.Termios
	control := func(request uintptr, t *syscall.Termios) bool {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(t)))
		return errno == 0
	}
	if !control(getTerminal, &was) {
		return nil, false
	}
	hidden := was
	hidden.Lflag &^= syscall.ECHO
	return func() { control(setTerminal, &was) }, control(setTerminal, &hidden)
}
