// Faults runs each library against the same hostile servers of the fault matrix
// and prints a table of docs/evidence/tables/reliability.md with the outcomes:
//
//	go run ./faults             all of them, in a few minutes
//	go run ./faults NAME...     some
//
// Each trial has a process of its own, as a library may panic, hang or exhaust
// memory.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
)

// trialTimeout is how long a trial may take before it counts as a hang. Every call
// has a deadline long before.
const trialTimeout = 40 * time.Second

func main() {
	childserver.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	act := func(names []string) error { return run(ctx, names) }
	if os.Getenv(subjectEnv) != "" {
		act = runSubject
	}
	if err := act(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// compared are the libraries, with their versions.
var compared = []struct{ name, title string }{
	{"stdmcp", "stdmcp"}, {"go-sdk", "go-sdk 1.8.0"}, {"mcp-go", "mcp-go 1.2.1"},
}

// subjectEnv is set in the processes that run a trial.
const subjectEnv = "STDMCP_PEERS_SUBJECT"

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
				verdict, err = tr.meet(ctx, l.name) // the machine may have been too busy
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

// meet runs a library against the fault and returns the verdict.
func (tr *trial) meet(ctx context.Context, library string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	url, otherOrigin := "-", func() int { return 0 }
	if tr.transport != 'S' {
		engine := testserver.Options{Fault: tr.Name, Size: size(tr.Name), ProtocolVersions: []string{versions[tr.transport]}}
		web, err := testserver.StartHTTP(testserver.New(&engine), nil)
		if err != nil {
			return "", err
		}
		defer web.Close()
		otherOrigin = func() int { return len(web.Elsewhere()) }
		if url = web.URL; tr.transport == 'E' {
			url = web.SSE
		}
	}
	cmd := command(ctx, library, tr.Name, string(tr.transport), url)
	stderr := &head{}
	cmd.Stderr = stderr
	out, _ := cmd.Output() // the last line describes how it ended
	var o outcome
	for line := range strings.Lines(string(out)) {
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return "", fmt.Errorf("%q: %w", line, err)
		}
	}
	switch {
	case o.Step == "":
		return "", fmt.Errorf("the client did not start: %s", stderr.text)
	case strings.Contains(stderr.text, "\npanic: ") || strings.HasPrefix(stderr.text, "panic: "):
		return "**panics**", nil
	case ctx.Err() != nil:
		return "**hangs** in " + o.Step, nil
	case o.Step != "end":
		return "", fmt.Errorf("the client exited during %s: %s", o.Step, stderr.text)
	}
	return tr.verdict(&o, otherOrigin()), nil
}

// command returns the command that runs a trial.
func command(ctx context.Context, args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), subjectEnv+"=1")
	cmd.WaitDelay = time.Second // a server's child may still hold the pipes
	return cmd
}

// A head keeps the beginning of what is written, where a panic states its reason.
type head struct{ text string }

func (h *head) Write(p []byte) (int, error) {
	if len(h.text) < 4096 {
		h.text += string(p)
	}
	return len(p), nil
}
