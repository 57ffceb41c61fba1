package main

import (
	"os"
	"syscall"
)

// pollable returns the file for which only the goroutine that reads waits. A read
// of standard input would otherwise stop every goroutine, as a module has one
// thread.
func pollable(f *os.File) (*os.File, error) {
	if err := syscall.SetNonblock(int(f.Fd()), true); err != nil {
		return nil, err
	}
	return os.NewFile(f.Fd(), f.Name()), nil
}
