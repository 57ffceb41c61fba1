package main

import (
	"runtime"
	"syscall"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

// measure returns the average cost of the operations of f, which returns their
// number. Garbage collection is part of the cost.
func measure(f func() (int, error)) (sample.Sample, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	n, err := f()
	wall, used := time.Since(began), cpuTime()-cpu
	runtime.ReadMemStats(&after)
	if err != nil {
		return sample.Sample{}, err
	}
	per := func(v float64) float64 { return v / float64(n) }
	return sample.Sample{
		Ops:    n,
		Time:   per(wall.Seconds()),
		CPU:    per(used.Seconds()),
		Allocs: per(float64(after.Mallocs - before.Mallocs)),
		Bytes:  per(float64(after.TotalAlloc - before.TotalAlloc)),
	}, nil
}

// cpuTime returns the CPU time of this process, in user and kernel mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
