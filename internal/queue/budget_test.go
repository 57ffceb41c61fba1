package queue

import (
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/buffers"
)

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Budget
		if b.Max() != buffers.MaxMessage {
			t.Errorf("the default is %d", b.Max())
		}
		b.SetMax(1000)
		q := Queue{Max: 10, Budget: &b}
		block := make(chan struct{})
		if !q.AddSize(300, func() { <-block }) || !q.AddSize(300, func() {}) || q.AddSize(300, func() {}) {
			t.Error("a budget of 1000 bytes does not take exactly two functions of 300 bytes")
		}
		if !q.Add(func() {}) {
			t.Error("a function without a message is refused")
		}
		close(block)
		synctest.Wait()
		if n := b.used.Load(); n != 0 {
			t.Errorf("%d bytes are in use after all functions have run", n)
		}
		block = make(chan struct{})
		q.AddSize(300, func() { <-block })
		q.AddSize(300, func() {})
		q.Close(0)
		close(block)
		synctest.Wait()
		if n := b.used.Load(); n != 0 {
			t.Errorf("%d bytes are in use after Close", n)
		}
	})
}
