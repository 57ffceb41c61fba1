package queue

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestRunsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 100}
		var ran []int
		for i := range 100 {
			if !q.Add(func() { time.Sleep(time.Duration(i%3) * time.Second); ran = append(ran, i) }) {
				t.Fatalf("function %d refused", i)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait() // orders the reads below after the writes, for the race detector
		if len(ran) != 100 || !slices.IsSorted(ran) {
			t.Errorf("ran %v", ran)
		}
	})
}

func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 3}
		release := make(chan struct{})
		ran := 0
		q.Add(func() { <-release })
		synctest.Wait()
		for i := range 10 {
			if ok := q.Add(func() { ran++ }); ok != (i < 3) {
				t.Errorf("function %d accepted: %t", i, ok)
			}
		}
		close(release)
		synctest.Wait()
		if ran != 3 || !q.Add(func() { ran++ }) {
			t.Errorf("ran %d, then refused", ran)
		}
		synctest.Wait()
		if none := (&Queue{}); none.Add(func() {}) {
			t.Error("a queue without room accepted a function")
		}
	})
}

func TestIdleQueueHasNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		for range 3 {
			ran := false
			q.Add(func() { ran = true })
			synctest.Wait()
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if !ran || bytes.Contains(stacks, []byte("(*Queue).run")) {
				t.Errorf("ran: %t; goroutines:\n%s", ran, stacks)
			}
		}
	})
}

func TestCloseRunsWaitingFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := Queue{Max: 10}
		late.Add(func() { time.Sleep(time.Minute) })
		late.Add(func() { t.Error("ran after Close") })
		late.Close(time.Second)
		time.Sleep(time.Hour)
		q, ran := Queue{Max: 10}, false
		q.Add(func() { time.Sleep(time.Second) })
		q.Add(func() { ran = true })
		synctest.Wait()
		start := time.Now()
		q.Close(time.Minute)
		if d := time.Since(start); d != time.Second || !ran {
			t.Errorf("took %v, ran: %t", d, ran)
		}
		if q.Add(func() {}) {
			t.Error("a closed queue accepted a function")
		}
		q.Close(time.Minute)
		new(Queue).Close(time.Minute)
		if d := time.Since(start); d != time.Second {
			t.Errorf("Close of an idle queue waited until %v", d)
		}
	})
}

func TestCloseWaitsUpToItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		release := make(chan struct{})
		q.Add(func() { <-release })
		synctest.Wait()
		start := time.Now()
		q.Close(time.Second)
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %v", d)
		}
		close(release)
	})
}

func TestCloseInsideAFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Max: 10}
		returned := make(chan struct{})
		q.Add(func() { q.Close(time.Second); close(returned) })
		q.Add(func() { t.Error("ran after Close") })
		<-returned
	})
}

func TestAddInsideAFunction(t *testing.T) {
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
