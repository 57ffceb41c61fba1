// Faults runs each library against the same hostile servers of the fault matrix
// and prints a table of docs/reliability.md with the outcomes:
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

// trialTimeout is how long a trial may take before it counts as a hang. Every call
// has a deadline long before.
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

// partEnv is the part of a process. The one without a part starts the others.
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
	url, otherOrigin := "-", func() (int, error) { return 0, nil }
	if tr.transport != 'S' {
		var err error
		if url, otherOrigin, err = tr.serve(); err != nil {
			return "", err
		}
	}
	cmd := command(ctx, "subject", library, tr.Name, string(tr.transport), url)
	stderr := &head{}
	cmd.Stderr = stderr
	out, _ := cmd.Output() // the last line describes how it ended
	var o outcome
	for line := range strings.Lines(string(out)) {
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return "", fmt.Errorf("%q: %w", line, err)
		}
	}
	requests, err := otherOrigin()
	if err != nil {
		return "", err
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
	return tr.verdict(&o, requests), nil
}

// serve starts an HTTP server. The returned function ends it and returns how many
// requests another origin received.
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

// command returns the command that runs a part of this program.
func command(ctx context.Context, part string, args ...string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), partEnv+"="+part)
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

// runWeb is an HTTP server: FAULT TRANSPORT. It prints its URL and, when its
// standard input ends, how many requests another origin received.
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
