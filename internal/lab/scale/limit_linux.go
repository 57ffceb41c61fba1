package main

import "syscall"

// limitDescriptors sets how many files this process may have open.
func limitDescriptors(n int) error {
	limit := syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}
