package stdio

import (
	"encoding/json"
	"syscall"
	"testing"
)

// TestGrandchildIsInTheJob: the launcher starts it at once. Both end with Close, and
// with the launcher.
func TestGrandchildIsInTheJob(t *testing.T) {
	for _, when := range []string{"stay", "exit"} {
		p := open(t, child("launcher", when))
		line, err := p.Read()
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Pid uint32 }
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		h, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, v.Pid)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.CloseHandle(h)
		if when == "exit" {
			if _, err := p.Write([]byte("{}\n")); err != nil {
				t.Error(err)
			}
		} else if err := p.Close(); err != nil {
			t.Error(err)
		}
		if event, err := syscall.WaitForSingleObject(h, 10_000); event != syscall.WAIT_OBJECT_0 || err != nil {
			t.Errorf("launcher that %ss: the grandchild still runs: %v", when, err)
		}
	}
}
