package growth

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime returns the CPU time of the calling thread, which load on the machine
// does not change much. That of getrusage is precise to a few milliseconds only.
func threadTime() (time.Duration, bool) {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}
