package retry

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Backoff{First: time.Second, Max: 10 * time.Second, Limit: 6}
		var waits []time.Duration
		wait := func(hint time.Duration) bool {
			start := time.Now()
			ok := b.Wait(t.Context(), hint)
			waits = append(waits, time.Since(start))
			return ok
		}
		for _, hint := range []time.Duration{0, 0, time.Minute, 0, 0, 0} {
			if !wait(hint) {
				t.Error("limit reached")
			}
		}
		if wait(0) || wait(time.Second) {
			t.Error("no limit")
		}
		b.Reset()
		if !wait(0) {
			t.Error("limit reached after Reset")
		}
		want := []time.Duration{1, 2, 60, 8, 10, 10, 0, 0, 1}
		for i := range want {
			want[i] *= time.Second
		}
		if !slices.Equal(waits, want) {
			t.Errorf("waits %v, want %v", waits, want)
		}
	})
}

func TestWaitManyTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := Backoff{First: time.Second, Max: time.Minute}
		for range 1000 {
			start := time.Now()
			if !b.Wait(t.Context(), 0) || time.Since(start) > b.Max {
				t.Fatal(time.Since(start))
			}
		}
	})
}

func TestContextEndsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		b := Backoff{First: time.Minute, Max: time.Minute}
		if start := time.Now(); b.Wait(ctx, 0) || time.Since(start) != time.Second {
			t.Errorf("returned after %v", time.Since(start))
		}
	})
}

// TestNext: a caller that waits by itself gets the waits of Wait.
func TestNext(t *testing.T) {
	b := Backoff{First: 3 * time.Second, Max: 10 * time.Second}
	var waits []time.Duration
	for range 4 {
		waits = append(waits, b.Next()/time.Second)
	}
	b.Reset()
	if waits = append(waits, b.Next()/time.Second); !slices.Equal(waits, []time.Duration{3, 6, 10, 10, 3}) {
		t.Error(waits)
	}
}
