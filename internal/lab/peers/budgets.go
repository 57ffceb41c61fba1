package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

// A budget is a limit that the project sets for a figure.
type budget struct {
	Title    string
	Limit    string
	Measured string
	Holds    bool
	Broken   bool // exceeded by more than the allowance
}

// allowance is the factor by which a time may exceed its budget before -check
// fails: other programs use the machine, and two processes share two processors.
const allowance = 2.5

// at returns a cell of stdmcp.
func at(transport, work, era string) cell { return cell{transport, work, ours, era} }

// budgets compares the measurements with their budgets.
func (p *page) budgets() (list []budget) {
	for _, era := range eras {
		small := at("stdio", "small", era)
		name := "a small call over stdio, " + era + ": "
		list = append(list,
			p.atMost(name+"time against a pipe that hands over", p.calls.ratio(sample.Time, small, small.handed()), 1.6, allowance, times),
			p.atMost(name+"allocations", p.allocs(small), 5, 1, count),
			p.atMost(name+"bytes allocated", p.calls.series[small].Median(sample.Bytes), 1024, 1, size),
		)
	}
	text := at("stdio", "text-1048576", "legacy")
	escaped := at("stdio", "esc20-1048576", "legacy")
	args := at("stdio", "args-1048576", "legacy")
	list = append(list,
		p.atMost("1 MB text over stdio: time against the bare pipe", p.slowdown(text), 2.5, allowance, times),
		p.atMost("1 MB text over stdio: bytes allocated per byte", p.calls.series[text].Median(sample.Bytes)/(1<<20), 1.1, 1, times),
		p.atMost("1 MB with an escape every 20 bytes: time against the bare pipe", p.slowdown(escaped), 3.5, 2*allowance, times),
		p.atMost("1 MB with an escape every 20 bytes: bytes allocated per byte", p.calls.series[escaped].Median(sample.Bytes)/(1<<20), 1.1, 1, times),
		p.atMost("arguments of 1 MB with an escape every 20 bytes: time against the bare pipe", p.slowdown(args), 3.5, allowance, times),
		p.atMost("arguments of 1 MB with an escape every 20 bytes: bytes allocated per byte", p.calls.series[args].Median(sample.Bytes)/(1<<20), 0.1, 1, times),
		p.atMost("64 KB with an escape every 20 bytes: time against the bare pipe", p.slowdown(at("stdio", "esc20-65536", "legacy")), 3, 2*allowance, times),
		p.atMost("a small call over HTTP, legacy: time against net/http", p.slowdown(at("json", "small", "legacy")), 1.1, allowance, times),
		p.atMost("a small call over HTTP, modern: time against net/http", p.slowdown(at("json", "small", "modern")), 1.1, allowance, times),
		p.atMost("1 MB text over HTTP as JSON: time against the same as an event stream",
			p.calls.ratio(sample.Time, at("json", "text-1048576", "legacy"), at("events", "text-1048576", "legacy")), 1.15, allowance, times),
		p.atMost("1 MB text over HTTP as JSON: bytes allocated per byte", p.calls.series[at("json", "text-1048576", "legacy")].Median(sample.Bytes)/(1<<20), 1.2, 1, times),
		p.atMost("50 tools over stdio: allocations", p.allocs(at("stdio", "tools-50", "legacy")), 400, 1, count),
		p.atLeast("32 callers on one pipe: calls per CPU second against the better peer", p.lead(sample.CPU, at("stdio", "calls-32", "legacy")), 3),
		p.atLeast("1,000 tools over stdio: how much faster than the better peer", p.lead(sample.Time, at("stdio", "tools-1000", "legacy")), 12),
	)
	for _, tr := range transports[:2] {
		list = append(list, p.atMost("a small call over "+tr.title+": time in the modern era against the legacy one",
			p.calls.ratio(sample.Time, at(tr.name, "small", "modern"), at(tr.name, "small", "legacy")), 1.1, allowance, times))
	}
	for _, g := range growths {
		list = append(list, p.atMost("growth of "+g.title+": CPU time of each, the largest size against the middle one", p.growth(g), 1.5, allowance, times))
	}
	// scripts/size checks the sizes of programs.
	return append(list, p.atMost("a program of one call over stdio: peak memory", p.programs.starts[budgeted].peak, 8e6, 1.25, size))
}

// slowdown returns how much longer stdmcp takes than the floor.
func (p *page) slowdown(c cell) float64 { return p.calls.ratio(sample.Time, c, c.floor()) }

// allocs returns the number of allocations. The measurement itself adds a small
// fraction.
func (p *page) allocs(c cell) float64 { return math.Floor(p.calls.series[c].Median(sample.Allocs)) }

// lead returns by which factor the metric is lower than that of the better peer.
func (p *page) lead(m sample.Metric, c cell) float64 {
	_, ratio := p.betterPeer(m, c)
	return ratio
}

// betterPeer returns the peer with the lower metric, relative to that of stdmcp. It
// returns "" and 0 if no peer was measured.
func (p *page) betterPeer(m sample.Metric, c cell) (peer string, ratio float64) {
	for _, name := range peers {
		other := c
		other.library = name
		if p.calls.series[other] == nil || p.calls.series[c] == nil {
			continue
		}
		if r := p.calls.ratio(m, other, c); peer == "" || r < ratio {
			peer, ratio = name, r
		}
	}
	return peer, ratio
}

func (p *page) atMost(title string, v, limit, slack float64, show func(float64) string) budget {
	return budget{title, "≤ " + show(limit), show(v), v <= limit, v > limit*slack}
}

func (p *page) atLeast(title string, v, limit float64) budget {
	return budget{title, "≥ " + times(limit), times(v), v >= limit, v < limit/allowance}
}

// A strictLimit is a budget of time without an allowance: the library and its floor
// take turns so short that the machine is idle in some of them, and the best turns
// are compared.
type strictLimit struct {
	title string
	cell  cell
	turn  time.Duration
	limit float64
}

var strictLimits = []strictLimit{
	{"a small call over HTTP, legacy: best turns against net/http", at("json", "small", "legacy"), time.Millisecond, 1.2},
	{"a small call over HTTP, modern: best turns against net/http", at("json", "small", "modern"), time.Millisecond, 1.2},
	{"1 MB text over stdio: best turns against the bare pipe", at("stdio", "text-1048576", "legacy"), 5 * time.Millisecond, 3},
}

// checkStrict measures the strict limits, each up to five times.
func (m *measuring) checkStrict(ctx context.Context) error {
	const rounds, attempts = 500, 5
	var errs []error
	for _, l := range strictLimits {
		best := math.Inf(1)
		for range attempts {
			t := &table{series: make(map[cell]sample.Series), failed: make(map[cell]error)}
			if err := m.inTurns(ctx, t, []cell{l.cell.floor(), l.cell}, rounds, l.turn); err != nil {
				return err
			}
			best = min(best, t.series[l.cell].Percentile(sample.Time, 5)/t.series[l.cell.floor()].Percentile(sample.Time, 5))
			if best <= l.limit {
				break
			}
		}
		fmt.Printf("%s: %s, at most %s\n", l.title, times(best), times(l.limit))
		if !(best <= l.limit) {
			errs = append(errs, fmt.Errorf("%s: %s, want %s", l.title, times(best), times(l.limit)))
		}
	}
	return errors.Join(errs...)
}

// broken returns an error that names the broken budgets.
func (p *page) broken() error {
	var errs []error
	for _, b := range p.budgets() {
		if b.Broken {
			errs = append(errs, fmt.Errorf("%s: %s, want %s", b.Title, b.Measured, b.Limit))
		}
	}
	return errors.Join(errs...)
}

// A growth is work of three sizes.
type growth struct {
	title, unit string
	works       [3]string
	sizes       [3]float64
}

var growths = []growth{
	{"payload", "MB", [3]string{"text-65536", "text-1048576", "text-16777216"}, [3]float64{1. / 16, 1, 16}},
	{"tools", "tool", [3]string{"tools-50", "tools-1000", "tools-20000"}, [3]float64{50, 1000, 20000}},
	{"calls at once", "call", [3]string{"calls-32", "calls-1000", "calls-10000"}, [3]float64{1, 1, 1}}, // the figure of calls is that of each
}

// each returns the CPU time of one unit at one of the sizes.
func (p *page) each(g growth, i int) float64 {
	return p.calls.series[at("stdio", g.works[i], "legacy")].Median(sample.CPU) / g.sizes[i]
}

// growth returns the ratio of a unit's CPU time at the last size to that at the
// second. Constant costs dominate the first size.
func (p *page) growth(g growth) float64 { return p.each(g, 2) / p.each(g, 1) }
