package main

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// A progress shows on a terminal the progress of a call, or how long it has taken
// if the server does not report progress.
type progress struct {
	console *console
	what    string
	waits   func() []string // the servers that are still starting; may be nil
	width   int             // of the terminal; 0 means that nothing is shown
	began   time.Time
	stop    chan struct{} // closed by end
	stopped chan struct{} // closed when tick has returned

	mu       sync.Mutex
	reported bool   // whether the server has said how far it is; guarded by mu
	note     string // what the task says that the call has become; guarded by mu
}

// barDelay is the delay before a bar is shown, so that it does not flash.
const barDelay = 200 * time.Millisecond

// newProgress starts to show the progress of what, until end is called.
func (c *invocation) newProgress(con *console, what string) *progress {
	return startProgress(con, what, nil, c.progressWidth())
}

// newWaiting starts to show which of so many servers are still starting.
func (c *invocation) newWaiting(con *console, servers int, waits func() []string) *progress {
	return startProgress(con, count(servers, "server"), waits, c.progressWidth())
}

// progressWidth returns the width of a progress, or 0 to show none.
func (c *invocation) progressWidth() int {
	width := 0
	if !c.flags.quiet && c.supportsStyles(c.stderr) {
		width = c.terminalWidth(c.stderr)
	}
	return width
}

func startProgress(con *console, what string, waits func() []string, width int) *progress {
	p := &progress{console: con, what: escapeName(what), waits: waits, width: width, began: time.Now(),
		stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.tick() // ends with end
	return p
}

// tick shows the elapsed seconds until the server reports progress.
func (p *progress) tick() {
	defer close(p.stopped)
	if p.width == 0 {
		return
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-second.C:
			p.mu.Lock()
			if took := time.Since(p.began).Truncate(time.Second); !p.reported {
				p.console.show(cut(p.line(took), p.width-1))
			}
			p.mu.Unlock()
		}
	}
}

// line returns "echo, 3s" or "3 of 16 servers are starting, 12s: a, b, c".
func (p *progress) line(took time.Duration) string {
	if p.waits == nil {
		return p.what + ", " + took.String() + p.note
	}
	names := p.waits()
	for i := range names {
		names[i] = escapeName(names[i])
	}
	verb := " are starting, "
	if len(names) == 1 {
		verb = " is starting, "
	}
	return strconv.Itoa(len(names)) + " of " + p.what + verb + took.String() + ": " + strings.Join(names, ", ")
}

func (p *progress) update(r mcp.Progress) {
	if p.width == 0 || time.Since(p.began) < barDelay {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reported = true
	p.console.show(progressLine(p.what, r, p.width))
}

// task shows the status message of a task until the server reports progress.
func (p *progress) task(t *mcp.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note = ""; t.StatusMessage != "" {
		p.note = ", " + escapeLine(t.StatusMessage)
	}
}

func (p *progress) end() {
	close(p.stop)
	<-p.stopped
	p.console.show("")
}

// progressLine returns a line such as "slow [####------] 40% step 4 of 10",
// shorter than width.
func progressLine(tool string, r mcp.Progress, width int) string {
	const cells = 20
	line := tool + " "
	if r.Total != nil && *r.Total > 0 {
		done := min(max(r.Progress / *r.Total, 0), 1)
		full := int(done * cells)
		line += "[" + strings.Repeat("#", full) + strings.Repeat("-", cells-full) + "] " + strconv.Itoa(int(done*100)) + "%"
	} else {
		line += strconv.FormatFloat(r.Progress, 'g', -1, 64)
	}
	if r.Message != "" {
		line += " " + escapeLine(r.Message)
	}
	return cut(line, width-1)
}
