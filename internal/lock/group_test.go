package lock

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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
