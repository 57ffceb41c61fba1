package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// progress shows how far a call is, if standard error is a terminal.
type progress struct {
	console *console
	tool    string
	width   int // of the terminal; 0 shows nothing
	began   time.Time
}

// quick is how long a call may take without a bar, which would only flash.
const quick = 200 * time.Millisecond

func (c *invocation) newProgress(con *console, tool string) *progress {
	p := &progress{console: con, tool: escapeLine(tool), began: time.Now()}
	if !c.flags.quiet && c.obeys(c.stderr) {
		p.width = c.terminalWidth(c.stderr)
	}
	return p
}

func (p *progress) update(r mcp.Progress) {
	if p.width > 0 && time.Since(p.began) >= quick {
		p.console.show(progressLine(p.tool, r, p.width))
	}
}

func (p *progress) end() {
	if p.width > 0 {
		p.console.show("")
	}
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
