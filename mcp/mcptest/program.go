package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The environment variables of a test binary that is a server.
const (
	envProgram = "MCPTEST_PROGRAM" // its name
	envReport  = "MCPTEST_REPORT"  // the file that it reports to
	envFaults  = "MCPTEST_FAULTS"  // the file with faults to inject
)

// A Program is a command line that starts the test binary as a server.
type Program struct {
	Path string   // of the test binary
	Args []string // empty: Env selects the program
	Env  []string // variables to add to the environment, as "KEY=value"

	t      testing.TB
	report string
	faults string
}

// If a [Program] has started the process, Main runs that program on standard input
// and output, and exits. Otherwise it returns. Call it first in TestMain. programs
// holds a function for each name, which adds the features to the server.
func Main(programs map[string]func(*Server)) {
	name, ok := os.LookupEnv(envProgram)
	if !ok {
		return
	}
	setup := programs[name]
	if setup == nil {
		fmt.Fprintf(os.Stderr, "mcptest: TestMain passes no program %q to mcptest.Main\n", name)
		os.Exit(2)
	}
	file, err := os.OpenFile(os.Getenv(envReport), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcptest:", err)
		os.Exit(2)
	}
	c := &child{out: json.NewEncoder(file), faults: os.Getenv(envFaults)}
	s := newServer(c)
	s.origin, s.child = "the program "+name, c
	setup(s)
	if err := s.begin().ServeProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "mcptest:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command returns the command line of a program that TestMain passes to [Main].
// Violations that the process reports fail the test when the process ends.
func Command(t testing.TB, name string) *Program {
	t.Helper()
	if this, ok := os.LookupEnv(envProgram); ok { // else it would start itself again and again
		const problem = "mcptest: this process should be the program %q, but runs tests: call mcptest.Main first in TestMain"
		fmt.Fprintf(os.Stderr, problem+"\n", this)
		t.Fatalf(problem, this)
		return nil
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("mcptest: %v", err)
	}
	dir := t.TempDir()
	p := &Program{Path: path, t: t, report: filepath.Join(dir, "report"), faults: filepath.Join(dir, "faults")}
	p.Env = []string{envProgram + "=" + name, envReport + "=" + p.report, envFaults + "=" + p.faults,
		// Otherwise a process with the race detector sleeps before it exits.
		"GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")}
	t.Cleanup(func() {
		for _, r := range p.read() {
			if r.Error != "" {
				t.Error(r.Error)
			}
		}
	})
	return p
}

// Transport returns a transport that starts the program.
func (p *Program) Transport() *stdio.Transport {
	tr := stdio.Command(p.Path, p.Args...)
	tr.Env = p.Env
	return tr
}

// Inject applies faults to the next requests, as [Server.Inject] does, whichever
// process of the program receives them: a process that is started after a Crash
// does not crash again.
func (p *Program) Inject(target string, faults ...Fault) {
	p.t.Helper()
	file, err := os.OpenFile(p.faults, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		out := json.NewEncoder(file)
		for _, f := range faults {
			err = errors.Join(err, out.Encode(plan{target, f.name, f.text, f.delay, f.n}))
		}
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		p.t.Fatalf("mcptest: %v", err)
	}
}

// A plan is a line of the file of faults. The process that injects it creates a
// file with the number of the line.
type plan struct {
	Target, Fault, Text string
	Delay               time.Duration
	N                   int
}

// take returns the next fault that wanted accepts, and which is then taken.
func (c *child) take(wanted func(injection) bool) (Fault, bool) {
	text, err := os.ReadFile(c.faults)
	if err != nil {
		return Fault{}, false // there are none
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		var p plan
		if json.Unmarshal(line, &p) != nil {
			break
		}
		in := injection{p.Target, Fault{p.Fault, p.Delay, p.N, p.Text}}
		if !wanted(in) {
			continue
		}
		taken, err := os.OpenFile(fmt.Sprint(c.faults, i), os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_ = taken.Close()
			return in.fault, true
		}
	}
	return Fault{}, false
}

// Requests returns what all processes of the program have received; see
// [Server.Requests].
func (p *Program) Requests(methods ...string) []Request {
	var all []Request
	for _, r := range p.read() {
		if request, ok := parseRequest(r.Received); ok {
			all = append(all, request)
		}
	}
	return filter(all, methods)
}

// Calls returns the calls of a tool in order.
func (p *Program) Calls(tool string) []Request { return callsOf(p.Requests("tools/call"), tool) }

// WantCall fails the test unless a tool was called with these arguments; see
// [Server.WantCall].
func (p *Program) WantCall(tool string, arguments any) {
	p.t.Helper()
	wantCall(p.t, p.Calls(tool), tool, arguments)
}

// WantCalls fails the test unless a tool was called n times.
func (p *Program) WantCalls(tool string, n int) {
	p.t.Helper()
	wantCalls(p.t, p.Calls(tool), tool, n)
}

// WantMethods fails the test unless the processes have received exactly these
// requests, in this order; see [Server.WantMethods].
func (p *Program) WantMethods(methods ...string) {
	p.t.Helper()
	wantMethods(p.t, p.Requests(), methods)
}

// A report is a line of the file that a process reports to.
type report struct {
	Error    string          `json:",omitempty"`
	Received json.RawMessage `json:",omitempty"`
}

func (p *Program) read() (list []report) {
	text, err := os.ReadFile(p.report)
	if err != nil {
		return nil // it has not been started
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) == nil { // a killed process may have cut off the last line
			list = append(list, r)
		}
	}
	return list
}

// A child is the reporter of a process.
type child struct {
	faults string // the file with those to inject

	mu  sync.Mutex // guards out
	out *json.Encoder
}

func (c *child) Helper() {}

func (c *child) write(r report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.out.Encode(r) // the parent misses what cannot be written
}

func (c *child) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.write(report{Error: text})
	fmt.Fprintln(os.Stderr, text)
}

func (c *child) Fatalf(format string, args ...any) {
	c.Errorf(format, args...)
	os.Exit(2)
}
