//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package terminal

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// WindowSize reports whether f is a terminal, and its size; 0 if unknown.
func WindowSize(f *os.File) (columns, rows int, ok bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	return int(size.columns), int(size.rows), errno == 0
}

// InBackground reports whether a shell has this process in the background of the terminal f,
// which stops a process that reads from it.
func InBackground(f *os.File) bool {
	var group int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return errno == 0 && int(group) != syscall.Getpgrp()
}

// HideTyping turns off the terminal's echo until show is called.
func HideTyping(f *os.File) (show func(), ok bool) {
	return changeTerminal(f, func(t *syscall.Termios) { t.Lflag &^= syscall.ECHO })
}

// MakeRaw makes the terminal deliver each key at once, without echo and signals,
// until restore is called. Its output stays as it is.
func MakeRaw(in, _ *os.File) (restore func(), ok bool) {
	return changeTerminal(in, func(t *syscall.Termios) {
		t.Lflag &^= syscall.ECHO | syscall.ICANON | syscall.ISIG | syscall.IEXTEN
		t.Iflag &^= syscall.ICRNL | syscall.INLCR | syscall.IGNCR | syscall.IXON | syscall.ISTRIP
		t.Cc[syscall.VMIN], t.Cc[syscall.VTIME] = 1, 0
	})
}

func changeTerminal(f *os.File, change func(*syscall.Termios)) (restore func(), ok bool) {
	var was syscall.Termios
	control := func(request uintptr, t *syscall.Termios) bool {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(t)))
		return errno == 0
	}
	if !control(getTerminal, &was) {
		return nil, false
	}
	now := was
	change(&now)
	return func() { control(setTerminal, &was) }, control(setTerminal, &now)
}

// DiscardTyped discards what the user typed and no program has read: it sets the mode that
// the terminal has in the way that does so, whose number follows at 2 on each system.
func DiscardTyped(f *os.File) {
	var t syscall.Termios
	for _, request := range []uintptr{getTerminal, setTerminal + 2} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&t))); errno != 0 {
			return
		}
	}
}

// OnResize calls f when the terminal has a new size, until stop is called.
func OnResize(f func()) (stop func()) {
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	go func() { // ends with stop
		for range sizes {
			f()
		}
	}()
	return func() {
		signal.Stop(sizes)
		close(sizes)
	}
}
