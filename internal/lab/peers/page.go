package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

//go:embed page.md
var pageText string

// A page holds the content of docs/evidence/tables/performance.md. page.md uses its exported
// methods and fields.
type page struct {
	Short, Best bool
	Machine     string

	calls    *table
	programs *programTable
}

func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func (p *page) Date() string { return time.Now().Format("2 January 2006") }

// describeMachine describes the machine, the commit and the load.
func describeMachine() string {
	cpu := field("/proc/cpuinfo", "model name")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	load, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(load), " ")
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	return fmt.Sprintf("%s/%s, %d cores of %s, Linux %s, %s, commit %s, load at the start %s",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpu, strings.TrimSpace(string(kernel)), runtime.Version(), strings.TrimSpace(string(commit)), first)
}

// field returns the value of the first line of a file that begins with name.
func field(file, name string) string {
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			_, value, _ := strings.Cut(rest, ":")
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func (p *page) Budgets() string {
	rows := [][]string{{"figure", "budget", "measured", "holds"}}
	for _, b := range p.budgets() {
		holds := "yes"
		if !b.Holds {
			holds = "**no**"
		}
		rows = append(rows, []string{b.Title, b.Limit, b.Measured, holds})
	}
	return markdown(rows)
}

// Handed compares a small call over stdio with the floor in which one goroutine
// reads and another waits.
func (p *page) Handed(era string) string {
	c := at("stdio", "small", era)
	return times(p.calls.ratio(sample.Time, c.handed(), c.floor())) + " the bare pipe's time, and stdmcp " +
		times(p.calls.ratio(sample.Time, c, c.handed())) + " that"
}

func (p *page) Calls() string {
	var b strings.Builder
	for _, tr := range transports {
		for _, era := range eras {
			if rows := p.callRows(tr, era); len(rows) > 1 {
				fmt.Fprintf(&b, "### %s, %s\n\n%s\n", tr.title, era, markdown(rows))
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// Ahead lists the rows in which a peer takes less time than stdmcp.
func (p *page) Ahead() string {
	var b strings.Builder
	for _, tr := range transports {
		for _, era := range eras {
			for _, w := range works {
				c := cell{tr.name, w.name, ours, era}
				if peer, ratio := p.betterPeer(sample.Time, c); peer != "" && ratio < 0.995 { // and not 1.00 ×
					fmt.Fprintf(&b, "- %s, %s, %s: %s takes %s the time.\n", tr.title, era, w.title, peer, times(ratio))
				}
			}
		}
	}
	if b.Len() == 0 {
		return "None.\n"
	}
	return b.String()
}

func (p *page) callRows(tr transport, era string) [][]string {
	rows := [][]string{append([]string{""}, libraries...)}
	for _, w := range works {
		if w.growth || p.calls.series[cell{tr.name, w.name, bare, era}] == nil {
			continue
		}
		row := []string{w.title}
		for _, library := range libraries {
			row = append(row, p.cell(cell{tr.name, w.name, library, era}))
		}
		rows = append(rows, row)
	}
	return rows
}

// cell returns the four figures of a cell.
func (p *page) cell(c cell) string {
	s := p.calls.series[c]
	switch {
	case p.calls.failed[c] != nil:
		return "failed: " + p.calls.failed[c].Error()
	case s == nil:
		return "–"
	}
	memory := count(s.Median(sample.Allocs)) + " · " + size(s.Median(sample.Bytes))
	if c.library == bare {
		return duration(s.Median(sample.Time)) + " · " + duration(s.Median(sample.CPU)) + " · " + memory
	}
	return times(p.calls.ratio(sample.Time, c, c.floor())) + " · " + times(p.calls.ratio(sample.CPU, c, c.floor())) + " · " + memory
}

func (p *page) Growth() string {
	rows := [][]string{{"CPU time", "", "", ""}}
	for _, g := range growths {
		row := []string{"for each " + g.unit}
		for i, name := range g.works {
			row = append(row, workTitle(name)+": "+duration(p.each(g, i)))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

func workTitle(name string) string {
	for _, w := range works {
		if w.name == name {
			return w.title
		}
	}
	return name
}

func (p *page) Sizes() string {
	head := []string{"", ""}
	for _, pf := range p.programs.platforms {
		head = append(head, pf.toolchain+" "+pf.arch)
	}
	rows := [][]string{head}
	for _, kind := range kinds {
		for _, pr := range p.programs.programs {
			if pr.kind != kind.name {
				continue
			}
			row := []string{kind.title, pr.library}
			for _, pf := range p.programs.platforms {
				row = append(row, size(float64(p.programs.sizes[pr][pf])))
			}
			rows = append(rows, row)
		}
	}
	return markdown(rows)
}

func (p *page) Starts() string {
	rows := [][]string{{"", "", "time to the first result", "peak memory"}}
	for _, kind := range kinds {
		for _, pr := range p.programs.programs {
			if s, ok := p.programs.starts[pr]; ok && pr.kind == kind.name {
				rows = append(rows, []string{kind.title, pr.library, duration(s.time), size(s.peak)})
			}
		}
	}
	return markdown(rows)
}

// markdown returns a table, whose first row is its head.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return b.String()
}
