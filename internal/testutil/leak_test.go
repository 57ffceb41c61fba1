package testutil

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

func TestCheckLeaks(t *testing.T) {
	before := TakeSnapshot()
	stop := make(chan struct{})
	go func() { <-stop }()
	if now := TakeSnapshot(); !now.exceed(before) || before.exceed(now) {
		t.Errorf("one more goroutine: %+v, then %+v", before, now)
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
