package buffers

import (
	"math"
	"sync"
	"testing"
)

func TestGet(t *testing.T) {
	pool = sync.Pool{} // without the buffers of other tests
	for _, c := range []struct{ size, hint, max, want int }{
		{4 << 10, 0, 64 << 20, Min},
		{Min, 0, 64 << 20, 2 * Min},
		{Min, Min, 64 << 20, 2 * Min},
		{Min, 5 << 10, 64 << 20, 2 * Min},
		{4 << 10, 5 << 10, 64 << 20, 5 << 10},
		{4 << 10, 1 << 20, 64 << 20, 1 << 20},
		{4 << 10, 1 << 20, 1 << 20, 1 << 20},
		{1 << 20, 1<<20 + 1, math.MaxInt, 1<<20 + 1},
		{20 << 20, 0, 64 << 20, 64 << 20},
		{4 << 10, 0, 100_000, 100_000},
		{100, 0, 101, 101},
	} {
		if got := len(Get(c.size, c.hint, c.max)); got != c.want {
			t.Errorf("Get(%d, %d, %d): %d bytes, want %d", c.size, c.hint, c.max, got, c.want)
		}
	}
}

func TestPool(t *testing.T) {
	for _, n := range []int{1, Min - 1, Min, Min + 1, 1 << 20, maxPooled, maxPooled + 1} {
		Put(make([]byte, n))
		for _, c := range []struct{ size, max int }{{100, Min}, {Min, 1 << 20}, {1 << 20, 64 << 20}} {
			b := Get(c.size, 0, c.max)
			if len(b) <= c.size || len(b) > c.max {
				t.Errorf("after Put of %d, Get(%d, %d): %d bytes", n, c.size, c.max, len(b))
			}
			Put(b)
		}
	}
}

func TestGrow(t *testing.T) {
	for _, n := range []int{100, Min, 1 << 20} {
		p := Grow([]byte("abc"), n)
		if string(p) != "abc" || n >= Min && cap(p) < 3+n {
			t.Errorf("Grow by %d: %q with room for %d", n, p, cap(p))
		}
	}
	p := make([]byte, 3, 2*Min)
	if q := Grow(p, Min); &q[0] != &p[0] {
		t.Error("Grow moved a slice that has the room")
	}
}
