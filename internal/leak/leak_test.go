package leak

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

func TestSettled(t *testing.T) {
	before := Held()
	stop := make(chan struct{})
	go func() { <-stop }()
	if now := Held(); !now.exceed(before) || before.exceed(now) {
		t.Errorf("a goroutine more: %+v, then %+v", before, now)
	}
	close(stop)
	if err := Settled(before); err != nil {
		t.Error(err)
	}
	if before.Descriptors == 0 {
		t.Skip("this system doesn't tell of descriptors")
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if now := Held(); !now.exceed(before) {
		t.Errorf("a descriptor more: %+v, then %+v", before, now)
	}
	f.Close()
}
