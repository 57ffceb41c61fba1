// Faults has each library meet the same hostile servers, those of the fault
// matrix, and prints what becomes of it as a table of docs/reliability.md:
//
//	go run ./faults             all of them, in a few minutes
//	go run ./faults NAME...     some
//
// Each meeting is a process of its own, as some of them end in a panic, never,
// or with much memory.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// trialTimeout is how long a meeting may take before it counts as a hang. Every
// call in it has a deadline long before.
const trialTimeout = 40 * time.Second

func main() {
	testserver.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parts := map[string]func([]string) error{"subject": runSubject, "web": runWeb}
	err := error(nil)
	if part := parts[os.Getenv(partEnv)]; part != nil {
		err = part(os.Args[1:])
	} else {
		err = run(ctx, os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// compared are the libraries, with their versions.
var compared = []struct{ name, title string }{
	{"stdmcp", "stdmcp"}, {"go-sdk", "go-sdk 1.8.0"}, {"mcp-go", "mcp-go 1.2.1"},
}

// partEnv says which part a process plays; without it, it is the one that
// starts the others.
const partEnv = "STDMCP_PEERS_PART"

// run prints the table.
func run(ctx context.Context, names []string) error {
	fmt.Print("| # | the server | on | a client should |")
	for _, l := range compared {
		fmt.Printf(" %s |", l.title)
	}
	fmt.Print("\n|---|---|---|---|", strings.Repeat("---|", len(compared)), "\n")
	for _, tr := range trials() {
		if len(names) > 0 && !slices.Contains(names, tr.Name) {
			continue
		}
		fmt.Printf("| %d | %s | %c | %s |", tr.Row, tr.Does, tr.transport, tr.want)
		for _, l := range compared {
			verdict, err := tr.meet(ctx, l.name)
			if err == nil && verdict != fine {
				verdict, err = tr.meet(ctx, l.name) // it may have been the machine
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", l.name, tr.Name, err)
			}
			fmt.Printf(" %s |", verdict)
		}
		fmt.Println()
	}
	return nil
}

// meet has a library meet a fault.
func (tr *trial) meet(ctx context.Context, library string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	url, strangers := "-", func() (int, error) { return 0, nil }
	if tr.transport != 'S' {
		var err error
		if url, strangers, err = tr.serve(); err != nil {
			return "", err
		}
	}
	cmd := command(ctx, "subject", library, tr.Name, string(tr.transport), url)
	complaint := &tail{}
	cmd.Stderr = complaint
	out, _ := cmd.Output() // how it ended, the last line tells
	var o outcome
	for line := range strings.Lines(string(out)) {
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return "", fmt.Errorf("%q: %w", line, err)
		}
	}
	asked, err := strangers()
	if err != nil {
		return "", err
	}
	switch {
	case o.Step == "":
		return "", fmt.Errorf("did not begin: %s", complaint.text)
	case strings.Contains(complaint.text, "\npanic: ") || strings.HasPrefix(complaint.text, "panic: "):
		return "**panics**", nil
	case ctx.Err() != nil:
		return "**hangs** in " + o.Step, nil
	case o.Step != "end":
		return "", fmt.Errorf("ended in %s: %s", o.Step, complaint.text)
	}
	return tr.verdict(&o, asked), nil
}

// serve starts a server of HTTP. The function that it returns ends it and tells
// how often another origin was asked.
func (tr *trial) serve() (url string, end func() (int, error), err error) {
	cmd := command(context.Background(), "web", tr.Name, string(tr.transport))
	cmd.Stderr = os.Stderr
	p, err := process.Start(cmd)
	if err != nil {
		return "", nil, err
	}
	end = func() (int, error) {
		_ = p.In.Close()
		text, _ := p.Line()
		_ = p.Close()
		return strconv.Atoi(text)
	}
	url, err = p.Line()
	return url, end, err
}

// command returns how to start this program for a part.
func command(ctx context.Context, part string, args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), partEnv+"="+part)
	cmd.WaitDelay = time.Second // for what a server has left behind
	return cmd
}

// A tail keeps the begin of what is written, which is where a panic says why.
type tail struct{ text string }

func (t *tail) Write(p []byte) (int, error) {
	if len(t.text) < 4096 {
		t.text += string(p)
	}
	return len(p), nil
}

// runWeb is a server of HTTP: FAULT TRANSPORT. It says its URL and, when its
// standard input ends, how often another origin was asked.
func runWeb(args []string) error {
	engine := testserver.Options{Fault: args[0], Size: size(args[0]), ProtocolVersions: []string{versions[args[1][0]]}}
	running, err := testserver.StartHTTP(testserver.New(&engine), nil)
	if err != nil {
		return err
	}
	defer running.Close()
	if args[1] == "E" {
		fmt.Println(running.SSE)
	} else {
		fmt.Println(running.URL)
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	fmt.Println(len(running.Elsewhere()))
	return err
}
