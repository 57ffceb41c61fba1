package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

// The libraries: the floors, stdmcp and the peers.
const (
	bare   = "bare"
	handed = "handed" // the floor of a small call over stdio with a goroutine that reads
	ours   = "stdmcp"
)

var (
	peers     = []string{"go-sdk", "mcp-go"}
	libraries = []string{bare, "json", ours, "go-sdk", "mcp-go"}
	eras      = []string{"legacy", "modern"}
)

// A transport is one of the ways to a server.
type transport struct {
	name, title string
	modern      bool     // whether 2026-07-28 has it
	works       []string // empty means all
}

var transports = []transport{
	{name: "stdio", title: "stdio", modern: true},
	{name: "json", title: "Streamable HTTP, responses as JSON", modern: true},
	{name: "events", title: "Streamable HTTP, responses as event streams", modern: true},
	{name: "sse", title: "HTTP+SSE"},
	{name: "tls", title: "Streamable HTTP over TLS", modern: true, works: overTLS},
	{name: "http2", title: "Streamable HTTP over HTTP/2", modern: true, works: overTLS},
}

// overTLS is the work that encryption and HTTP/2 change.
var overTLS = []string{"small", "text-1048576", "calls-32", "connect", "beside"}

// does reports whether the work is measured over the transport.
func (tr *transport) does(w work) bool {
	switch {
	case tr.name == "stdio":
		return w.name != "beside"
	case w.growth || w.text || w.name == "beside" && tr.name == "sse":
		return false
	}
	return tr.works == nil || slices.Contains(tr.works, w.name)
}

// A work is an operation of a library.
type work struct {
	name, title string
	short       []string // transports that -short measures
	growth      bool     // only of stdmcp over stdio, to measure growth
	text        bool     // only over stdio in the legacy era, to compare texts
}

var works = []work{
	{name: "small", title: "a small call", short: []string{"stdio", "json"}},
	{name: "text-65536", title: "64 KB text", short: []string{"stdio"}},
	{name: "text-1048576", title: "1 MB text", short: []string{"stdio", "json", "events"}},
	{name: "text-16777216", title: "16 MB text", short: []string{"stdio"}, growth: true},
	{name: "esc20-65536", title: "64 KB, an escape every 20 bytes", short: []string{"stdio"}, text: true},
	{name: "esc20-1048576", title: "1 MB, an escape every 20 bytes", short: []string{"stdio"}, text: true},
	{name: "esc5-65536", title: "64 KB, an escape every 5 bytes", text: true},
	{name: "esc5-1048576", title: "1 MB, an escape every 5 bytes", text: true},
	{name: "utf2-65536", title: "64 KB of Russian", text: true},
	{name: "utf2-1048576", title: "1 MB of Russian", text: true},
	{name: "utf3-65536", title: "64 KB of Chinese", text: true},
	{name: "utf3-1048576", title: "1 MB of Chinese", text: true},
	{name: "utf4-65536", title: "64 KB of emoji", text: true},
	{name: "utf4-1048576", title: "1 MB of emoji", text: true},
	{name: "hex-65536", title: "64 KB, `\\uXXXX` alone", text: true},
	{name: "hex-1048576", title: "1 MB, `\\uXXXX` alone", text: true},
	{name: "args-65536", title: "arguments of 64 KB, an escape every 20 bytes", text: true},
	{name: "args-1048576", title: "arguments of 1 MB, an escape every 20 bytes", short: []string{"stdio"}, text: true},
	{name: "image-1048576", title: "1 MB image in base64"},
	{name: "tools-50", title: "50 tools listed", short: []string{"stdio"}},
	{name: "tools-1000", title: "1,000 tools listed", short: []string{"stdio"}},
	{name: "tools-20000", title: "20,000 tools listed", short: []string{"stdio"}, growth: true},
	{name: "calls-32", title: "32 calls at once, each", short: []string{"stdio"}},
	{name: "calls-1000", title: "1,000 calls at once, each", short: []string{"stdio"}},
	{name: "calls-10000", title: "10,000 calls at once, each", short: []string{"stdio"}, growth: true},
	{name: "connect", title: "connect and close"},
	{name: "beside", title: "connect and close, another client connected"},
}

// A cell is one place in the tables.
type cell struct{ transport, work, library, era string }

// A table holds the measurements, and the errors of cells that have none.
type table struct {
	series map[cell]sample.Series
	failed map[cell]error
	best   bool // compare the best runs
}

// ratio compares a metric of two cells.
func (t *table) ratio(m sample.Metric, c, base cell) float64 {
	if t.best {
		return t.series[c].BestRatio(m, t.series[base])
	}
	return t.series[c].Ratio(m, t.series[base])
}

// floor returns the cell that c is compared with.
func (c cell) floor() cell {
	c.library = bare
	return c
}

// handed returns the cell of the floor whose responses a goroutine reads.
func (c cell) handed() cell {
	c.library = handed
	return c
}

// measuring describes a run.
type measuring struct {
	dir   string
	short bool
	only  *regexp.Regexp // of the transport and the work
	one   bool           // on one processor
}

// rounds returns how many times each worker works, and for how long.
func (m *measuring) rounds() (int, time.Duration) {
	if m.short {
		return 5, 60 * time.Millisecond
	}
	return 15, 80 * time.Millisecond
}

// calls measures all work over all transports.
func (m *measuring) calls(ctx context.Context) (*table, error) {
	t := &table{series: make(map[cell]sample.Series), failed: make(map[cell]error)}
	for _, tr := range transports {
		for _, w := range works {
			list := m.cells(tr, w)
			if len(list) == 0 || !m.only.MatchString(tr.name+" "+w.name) {
				continue
			}
			progress("%s: %s", tr.title, w.title)
			n, d := m.rounds()
			if err := m.inTurns(ctx, t, list, n, d); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", tr.name, w.name, err)
			}
		}
	}
	return t, nil
}

// cells returns the cells that are measured in turns.
func (m *measuring) cells(tr transport, w work) (list []cell) {
	for _, era := range eras {
		for _, library := range libraries {
			switch {
			case !tr.does(w), m.short && !slices.Contains(w.short, tr.name),
				era == "modern" && (!tr.modern || w.growth || w.text),
				w.growth && library != bare && library != ours,
				library == "json" && !alone(tr, w, era):
				continue
			}
			if c := (cell{tr.name, w.name, library, era}); !m.short || c.budgeted() {
				list = append(list, c)
			}
		}
		if tr.name == "stdio" && w.name == "small" {
			list = append(list, cell{tr.name, w.name, handed, era})
		}
	}
	return list
}

// budgeted reports whether a budget compares the cell, if it compares the work.
func (c cell) budgeted() bool {
	switch {
	case c.library == "json", c.era == "modern" && c.work != "small":
		return false
	case slices.Contains(peers, c.library):
		return c.work == "calls-32" || c.work == "tools-1000"
	}
	return true
}

// alone reports whether encoding/json alone can do the work. It has neither
// connections nor eras.
func alone(tr transport, w work, era string) bool {
	return tr.name == "stdio" && era == "legacy" && w.name != "connect" && w.name != "calls-32" && w.name != "calls-1000"
}

// inTurns measures each cell n times for d, in turns, so that other programs on
// the machine affect all cells alike.
func (m *measuring) inTurns(ctx context.Context, t *table, list []cell, n int, d time.Duration) error {
	workers := make(map[cell]*worker)
	defer func() {
		for _, w := range workers {
			w.stop()
		}
	}()
	for _, c := range list {
		w, err := m.startWorker(ctx, c)
		if err != nil {
			return err
		}
		workers[c] = w
	}
	for range n {
		for _, c := range list {
			if t.failed[c] != nil {
				continue
			}
			s, err := workers[c].work(d)
			if err != nil && c.library == bare {
				return err
			} else if err != nil {
				t.failed[c] = err
				progress("%s, %s: %v", c.library, c.era, err)
				continue
			}
			t.series[c] = append(t.series[c], s)
		}
	}
	return nil
}
