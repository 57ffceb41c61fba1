package buffers

import "testing"

func TestGet(t *testing.T) {
	for _, c := range []struct{ size, max, want int }{
		{4 << 10, 64 << 20, Min},
		{Min, 64 << 20, 2 * Min},
		{20 << 20, 64 << 20, 64 << 20},
		{4 << 10, 100_000, 100_000},
		{100, 101, 101},
	} {
		if got := len(Get(c.size, c.max)); got != c.want {
			t.Errorf("Get(%d, %d): %d bytes, want %d", c.size, c.max, got, c.want)
		}
	}
}

func TestPool(t *testing.T) {
	for _, n := range []int{1, Min - 1, Min, Min + 1, 1 << 20, maxPooled, maxPooled + 1} {
		Put(make([]byte, n))
		for _, c := range []struct{ size, max int }{{100, Min}, {Min, 1 << 20}, {1 << 20, 64 << 20}} {
			b := Get(c.size, c.max)
			if len(b) <= c.size || len(b) > c.max {
				t.Errorf("after Put of %d, Get(%d, %d): %d bytes", n, c.size, c.max, len(b))
			}
			Put(b)
		}
	}
}
