package mcp

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"weak"
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

// TestHandledProgressLeavesMemory: the message of a report is not kept until the
// next one.
func TestHandledProgressLeavesMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table progressTable
		s := table.add(func(Progress) {}, nil)
		message := func() weak.Pointer[byte] {
			params := []byte(`{"progressToken":1,"progress":1,"message":"` + strings.Repeat("m", 1<<20) + `"}`)
			if err := table.deliver(params); err != nil {
				t.Fatal(err)
			}
			return weak.Make(&params[0])
		}()
		synctest.Wait()
		runtime.GC()
		if message.Value() != nil {
			t.Error("the message is kept")
		}
		table.remove(t.Context(), s)
	})
}
