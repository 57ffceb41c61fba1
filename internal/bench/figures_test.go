package bench

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// A figure is what a benchmark must not exceed. Times are ratios to the floor
// that is measured beside it; an absolute time says nothing on a machine that
// others use as well.
type figure struct {
	name   string
	bench  func(*testing.B)
	floor  func(*testing.B)
	ratio  float64 // of the times
	allocs int64
	bytes  int64 // allocated
}

var figures = []figure{
	{"small tool call over stdio, legacy", BenchmarkCallLegacy, BenchmarkFloorSmall, 0, 12, 1500},
	{"small tool call over stdio, modern", BenchmarkCallModern, BenchmarkFloorSmall, 0, 12, 1500},
	{"1 MB text over stdio", BenchmarkCallBig, BenchmarkFloorBig, 4, 0, bigSize * 22 / 10},
	{"50 tools listed over stdio", BenchmarkListTools, nil, 0, 400, 0},
}

// goalHTTP is how much longer than the floor a small call over HTTP should take
// at most, in the best of some attempts. It is met with nothing to spare, so
// that only more than maxHTTP is a failure.
const goalHTTP, maxHTTP, attempts = 1.1, 1.2, 5

// TestFiguresHTTP does what TestFigures does, for calls over HTTP.
func TestFiguresHTTP(t *testing.T) {
	skipUnlessAsked(t)
	for _, era := range []string{"legacy", "modern"} {
		best := ratioHTTP(t, era)
		for i := 1; i < attempts && best > goalHTTP; i++ {
			best = min(best, ratioHTTP(t, era))
		}
		fmt.Printf("small tool call over HTTP, %s  %.2f × the floor, wanted %.2f\n", era, best, goalHTTP)
		if best > maxHTTP {
			t.Errorf("%s: %.2f times the floor, at most %.2f", era, best, maxHTTP)
		}
	}
}

func skipUnlessAsked(t *testing.T) {
	if os.Getenv("STDMCP_FIGURES") == "" {
		t.Skip("did not run: measuring takes a while; scripts/figures sets STDMCP_FIGURES")
	}
}

// TestFigures prints the figures and fails when one is over its budget. Others
// using the machine only ever make a run slower, so the ratio is that of the
// best runs.
func TestFigures(t *testing.T) {
	skipUnlessAsked(t)
	for _, f := range figures {
		var times, floors []int64
		var r testing.BenchmarkResult
		for range 5 {
			if f.floor != nil {
				floors = append(floors, testing.Benchmark(f.floor).NsPerOp())
			}
			r = testing.Benchmark(f.bench)
			times = append(times, r.NsPerOp())
		}
		line := fmt.Sprintf("%-36s %8d ns %4d allocs %8d B", f.name, slices.Min(times), r.AllocsPerOp(), r.AllocedBytesPerOp())
		if f.floor != nil {
			ratio := float64(slices.Min(times)) / float64(slices.Min(floors))
			line += fmt.Sprintf("  %.2f × the floor", ratio)
			if f.ratio > 0 && ratio > f.ratio {
				t.Errorf("%s: %.2f times the floor, at most %.2f", f.name, ratio, f.ratio)
			}
		}
		fmt.Println(line)
		if f.allocs > 0 && r.AllocsPerOp() > f.allocs {
			t.Errorf("%s: %d allocations, at most %d", f.name, r.AllocsPerOp(), f.allocs)
		}
		if f.bytes > 0 && r.AllocedBytesPerOp() > f.bytes {
			t.Errorf("%s: %d bytes allocated, at most %d", f.name, r.AllocedBytesPerOp(), f.bytes)
		}
	}
}
