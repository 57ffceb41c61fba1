package mcp

import (
	"testing"
	"testing/synctest"
)

// TestNoProgressAfterCallReturns: a report can be queued when its call ends.
func TestNoProgressAfterCallReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table progressTable
		called := false
		s := table.add(func(Progress) { called = true }, nil)
		table.remove(t.Context(), s)
		if err := s.deliver(Progress{Progress: 1}, 0); err != errUnknownToken {
			t.Errorf("error %v, want %v", err, errUnknownToken)
		}
		synctest.Wait()
		if called {
			t.Error("the function was called after its call had ended")
		}
	})
}
