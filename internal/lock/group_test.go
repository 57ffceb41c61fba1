package lock

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/retry"
)

func TestGroupWaitsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group
		g.Wait() // there are none
		var ended atomic.Int32
		for i := range 3 {
			g.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				if ended.Add(1); i == 1 {
					runtime.Goexit()
				}
			})
		}
		waiting := make(chan int32, 2)
		for range 2 {
			go func() { // ends with the group
				g.Wait()
				waiting <- ended.Load()
			}()
		}
		for range 2 {
			if n := <-waiting; n != 3 {
				t.Errorf("Wait returned after %d goroutines", n)
			}
		}
		g.Add(1) // it can be used again
		time.AfterFunc(time.Second, g.Done)
		start := time.Now()
		if g.Wait(); time.Since(start) != time.Second {
			t.Error("Wait did not wait")
		}
	})
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group
		if !retry.Await(g.Idle(), time.Second) {
			t.Error("a group without goroutines is not idle")
		}
		g.Go(func() { time.Sleep(2 * time.Second) })
		start := time.Now()
		if retry.Await(g.Idle(), time.Second) || time.Since(start) != time.Second {
			t.Errorf("returned after %v", time.Since(start))
		}
		if !retry.Await(g.Idle(), time.Minute) || time.Since(start) != 2*time.Second {
			t.Errorf("returned after %v", time.Since(start))
		}
	})
}
