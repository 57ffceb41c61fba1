package stdio

import (
	"os/exec"
	"testing"
)

// TestOnlyTheSameProcessIsKilled: another process may have got the pid of a descendant.
func TestOnlyTheSameProcessIsKilled(t *testing.T) {
	for name, same := range map[string]bool{"another": false, "none": false, "the same": true} {
		cmd := exec.Command("cat")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d := descendant{pid: cmd.Process.Pid, start: startOf(cmd.Process.Pid)}
		switch {
		case d.start == "":
			t.Error("the start of a process that runs is unknown")
		case name == "another":
			d.start = "1" + d.start
		case name == "none":
			d.start = ""
		}
		killDescendants([]descendant{d})
		_ = in.Close() // ends what still runs
		if err := cmd.Wait(); (err != nil) != same {
			t.Errorf("%s: %v", name, err)
		}
		if start := startOf(cmd.Process.Pid); start != "" && start == d.start {
			t.Errorf("%s: a process that has ended has a start", name)
		}
	}
}
