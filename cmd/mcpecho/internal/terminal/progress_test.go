package terminal

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

func TestElapsedTimeUntilProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		p := StartProgress(&Console{Out: &shown}, "slow\x1b", nil, 60)
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			if got := strings.ReplaceAll(shown.String(), ClearLine, "|"); got != want {
				t.Errorf("shown: %q, want %q", got, want)
			}
			shown.Reset()
		}
		time.Sleep(500 * time.Millisecond)
		expect("")
		time.Sleep(2 * time.Second)
		expect(`|slow\u001b, 1s|slow\u001b, 2s`)
		p.Task(&mcp.Task{Status: mcp.TaskWorking, StatusMessage: "reading\x1b"})
		time.Sleep(time.Second)
		expect(`|slow\u001b, 3s, reading\u001b`)
		p.Task(&mcp.Task{Status: mcp.TaskWorking})
		time.Sleep(time.Second)
		expect(`|slow\u001b, 4s`)
		total := 2.0
		p.Update(mcp.Progress{Progress: 1, Total: &total, Message: "half"})
		time.Sleep(2 * time.Second)
		expect(`|slow\u001b [##########----------] 50% half`)
		p.End()
		expect("|")
	})
}

// The line names the servers that are still starting, and is gone at the end.
func TestWaitingForServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		var mu sync.Mutex
		left := []string{"github", "slow\x1b", "memory"}
		p := StartProgress(&Console{Out: &shown}, "16 servers", func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(left)
		}, 50)
		time.Sleep(1500 * time.Millisecond)
		mu.Lock()
		left = left[1:2]
		mu.Unlock()
		time.Sleep(time.Second)
		p.End()
		want := "|3 of 16 servers are starting, 1s: github, slow\\u…|1 of 16 servers is starting, 2s: slow\\u001b|"
		if got := strings.ReplaceAll(shown.String(), ClearLine, "|"); got != want {
			t.Errorf("shown: %q, want %q", got, want)
		}
	})
}

func TestQuickCallsShowNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		p := StartProgress(&Console{Out: &shown}, "echo", nil, 80)
		time.Sleep(barDelay / 2)
		p.Update(mcp.Progress{Progress: 1})
		p.End()
		if shown.Len() > 0 {
			t.Errorf("shown: %q", shown.String())
		}
		p = StartProgress(&Console{Out: &shown}, "echo", nil, 0) // no terminal
		time.Sleep(time.Minute)
		p.Update(mcp.Progress{Progress: 1})
		p.End()
		if shown.Len() > 0 {
			t.Errorf("shown where there is no terminal: %q", shown.String())
		}
		p = StartProgress(&Console{Out: &shown}, "echo", nil, -1) // with -v
		p.Update(mcp.Progress{Progress: 1, Message: "one"})
		p.End()
		if got := shown.String(); got != "echo 1 one\n" {
			t.Errorf("shown as lines: %q", got)
		}
	})
}

func TestProgressLine(t *testing.T) {
	hundred, nothing := 100.0, 0.0
	for _, test := range []struct {
		p     mcp.Progress
		width int
		want  string
	}{
		{mcp.Progress{Progress: 40, Total: &hundred}, 80, "t [########------------] 40%"},
		{mcp.Progress{Progress: 140, Total: &hundred, Message: "too\nmuch"}, 80, `t [####################] 100% too\u000amuch`},
		{mcp.Progress{Progress: -1, Total: &hundred}, 80, "t [--------------------] 0%"},
		{mcp.Progress{Progress: 7, Total: &nothing}, 80, "t 7"},
		{mcp.Progress{Progress: 2.5, Message: "pages"}, 80, "t 2.5 pages"},
		{mcp.Progress{Progress: 1, Message: "世界世界世界"}, 10, "t 1 世界…"},
	} {
		got := progressLine("t", test.p, test.width)
		if got != test.want || TextWidth(got) >= test.width {
			t.Errorf("%+v: %q, want %q", test.p, got, test.want)
		}
	}
}
