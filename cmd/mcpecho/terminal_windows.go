package main

import (
	"os"
	"syscall"
)

// hideTyping turns off the console's echo until show is called.
func hideTyping(f *os.File) (show func(), ok bool) {
	const echo = 4 // ENABLE_ECHO_INPUT
	set := syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")
	var mode uint32
	if err := syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode); err != nil {
		return nil, false
	}
	done, _, _ := set.Call(f.Fd(), uintptr(mode&^echo))
	return func() { _, _, _ = set.Call(f.Fd(), uintptr(mode)) }, done != 0
}
