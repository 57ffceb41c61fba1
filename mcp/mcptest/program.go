package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The environment variables of a test binary that is a server.
const (
	envProgram = "MCPTEST_PROGRAM" // its name
	envReport  = "MCPTEST_REPORT"  // the file that it reports to
)

// A Program is a command line that starts the test binary as a server.
type Program struct {
	Path string   // of the test binary
	Args []string // none
	Env  []string // variables to add to the environment, as "KEY=value"

	t      testing.TB
	report string
}

// Main runs one of programs on standard input and output and exits, if a [Program]
// has started the process. Otherwise it returns. Call it first in TestMain. Each
// function adds the features of the server to it.
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
	c := &child{out: json.NewEncoder(file)}
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
// What the process reports fails the test when it ends.
func Command(t testing.TB, name string) *Program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatalf("mcptest: %v", err)
	}
	p := &Program{Path: path, t: t, report: filepath.Join(t.TempDir(), "report")}
	p.Env = []string{envProgram + "=" + name, envReport + "=" + p.report,
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
