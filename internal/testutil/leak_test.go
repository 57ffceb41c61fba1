package testutil

import (
	"os"
	"testing"
	"testing/synctest"
)

func TestMain(m *testing.M) { Main(m) }

func TestCheckLeaks(t *testing.T) {
	before := TakeSnapshot()
	stop := make(chan struct{})
	for range 100 { // of an earlier test, a few may end now
		go func() { <-stop }()
	}
	if now := TakeSnapshot(); !now.exceed(before) || before.exceed(now) {
		t.Errorf("100 more goroutines: %+v, then %+v", before, now)
	}
	close(stop)
	Check(t, CheckLeaks(before))
	if before.Descriptors == 0 {
		t.Skip("did not run: this system does not list descriptors")
	}
	f, err := os.Open(os.DevNull)
	Must(t, err)
	if now := TakeSnapshot(); !now.exceed(before) {
		t.Errorf("one more descriptor: %+v, then %+v", before, now)
	}
	f.Close()
}

func TestBubbleGoroutines(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }() // of no bubble
	synctest.Test(t, func(t *testing.T) {
		before := BubbleGoroutines()
		end := make(chan struct{})
		for range 3 {
			go func() { <-end }()
		}
		synctest.Wait()
		if n := BubbleGoroutines(); n != before+3 {
			t.Errorf("%d goroutines, then 3 more: %d", before, n)
		}
		close(end)
		synctest.Wait()
		if n := BubbleGoroutines(); n != before {
			t.Errorf("%d goroutines, and at the end %d", before, n)
		}
	})
}
