package terminal

import (
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Progress shows on a terminal the progress of a call, or how long it has taken
// if the server does not report progress.
type Progress struct {
	console *Console
	what    string
	waits   func() []string // the servers that are still starting; may be nil
	width   int             // of the terminal; 0 means that nothing is shown, negative that each report is a line
	began   time.Time
	stop    chan struct{} // closed by End
	stopped chan struct{} // closed when tick has returned

	mu       lock.Mutex
	reported bool   // whether the server has said how far it is; guarded by mu
	note     string // what the task says that the call has become; guarded by mu
}

// barDelay is the delay before a bar is shown, so that it does not flash.
const barDelay = 200 * time.Millisecond

const maxProgressLine = 1000 // columns, where there is no terminal

func StartProgress(con *Console, what string, waits func() []string, width int) *Progress {
	p := &Progress{console: con, what: EscapeName(what), waits: waits, width: width, began: time.Now(),
		stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.tick() // ends with End
	return p
}

// tick shows the elapsed seconds until the server reports progress.
func (p *Progress) tick() {
	defer close(p.stopped)
	if p.width <= 0 {
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
				p.console.Show(Cut(p.line(took), p.width-1))
			}
			p.mu.Unlock()
		}
	}
}

// line returns "echo, 3s" or "3 of 16 servers are starting, 12s: a, b, c".
func (p *Progress) line(took time.Duration) string {
	if p.waits == nil {
		return p.what + ", " + took.String() + p.note
	}
	names := p.waits()
	for i := range names {
		names[i] = EscapeName(names[i])
	}
	verb := " are starting, "
	if len(names) == 1 {
		verb = " is starting, "
	}
	return strconv.Itoa(len(names)) + " of " + p.what + verb + took.String() + ": " + strings.Join(names, ", ")
}

func (p *Progress) Update(r mcp.Progress) {
	if p.width < 0 {
		p.console.Line(progressLine(p.what, r, maxProgressLine))
	}
	if p.width <= 0 || time.Since(p.began) < barDelay {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reported = true
	p.console.Show(progressLine(p.what, r, p.width))
}

// Task shows the status message of a task until the server reports progress.
func (p *Progress) Task(t *mcp.Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.note = ""; t.StatusMessage != "" {
		p.note = ", " + EscapeLine(t.StatusMessage)
	}
}

func (p *Progress) End() {
	close(p.stop)
	<-p.stopped
	p.console.Show("")
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
		line += " " + EscapeLine(r.Message)
	}
	return Cut(line, width-1)
}
