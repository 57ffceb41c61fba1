package jsonrpc

import (
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueRunsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 100}
		var ran []int
		for i := range 100 {
			if !q.Add(func() { time.Sleep(time.Duration(i%3) * time.Second); ran = append(ran, i) }) {
				t.Fatalf("function %d refused", i)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait() // which tells the race detector too
		if len(ran) != 100 || !slices.IsSorted(ran) {
			t.Errorf("ran %v", ran)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 3}
		free := make(chan struct{})
		ran := 0
		q.Add(func() { <-free })
		synctest.Wait()
		for i := range 10 {
			if ok := q.Add(func() { ran++ }); ok != (i < 3) {
				t.Errorf("function %d taken: %t", i, ok)
			}
		}
		close(free)
		synctest.Wait()
		if ran != 3 || !q.Add(func() { ran++ }) {
			t.Errorf("ran %d, then refused", ran)
		}
		synctest.Wait()
		if none := (&Queue{}); none.Add(func() {}) {
			t.Error("a queue without room took a function")
		}
	})
}

func TestIdleQueueHasNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		q := Queue{Max: 10}
		for range 3 {
			ran := false
			q.Add(func() { ran = true })
			synctest.Wait()
			if n := runtime.NumGoroutine(); n != before || !ran {
				t.Errorf("%d goroutines, %d before; ran: %t", n, before, ran)
			}
		}
	})
}

func TestQueueCloseDropsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		q.Add(func() { time.Sleep(time.Second) })
		q.Add(func() { t.Error("ran after Close") })
		synctest.Wait()
		began := time.Now()
		q.Close(time.Minute)
		if d := time.Since(began); d != time.Second {
			t.Errorf("took %v", d)
		}
		if q.Add(func() {}) {
			t.Error("a closed queue took a function")
		}
		q.Close(time.Minute)
		new(Queue).Close(time.Minute)
		if d := time.Since(began); d != time.Second {
			t.Errorf("Close of an idle queue waited until %v", d)
		}
	})
}

func TestQueueCloseWaitsNoLongerThanItWasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		free := make(chan struct{})
		q.Add(func() { <-free })
		synctest.Wait()
		began := time.Now()
		q.Close(time.Second)
		if d := time.Since(began); d != time.Second {
			t.Errorf("took %v", d)
		}
		close(free)
	})
}

func TestQueueClosedFromInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		returned := make(chan struct{})
		q.Add(func() { q.Close(time.Second); close(returned) })
		q.Add(func() { t.Error("ran after Close") })
		<-returned
	})
}

func TestQueueAddedToFromInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 1}
		n := 0
		var again func()
		again = func() {
			if n++; n < 1000 && !q.Add(again) {
				t.Error("refused")
			}
		}
		q.Add(again)
		synctest.Wait()
		if n != 1000 {
			t.Errorf("ran %d times", n)
		}
	})
}
