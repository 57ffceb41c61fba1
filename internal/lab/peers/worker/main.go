// Worker is the process that is measured: it does one kind of work with one
// library, for the duration in each line of its standard input, and prints the
// cost.
//
//	worker LIBRARY WORK stdio|json|events|sse|tls|http2 legacy|modern SERVER
//
// It is a process of its own, so that it counts only the goroutines, garbage and
// CPU time of the library.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/library"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A target is the server that a library connects to.
type target struct {
	library.Target
	transport string // stdio, json, events, sse, tls or http2
	modern    bool   // whether the server supports 2026-07-28
	tools     int    // how many tools the server lists
	shared    bool   // whether floors share their connections
}

func run(ctx context.Context, args []string) error {
	if len(args) != 5 {
		return errors.New("usage: worker LIBRARY WORK stdio|json|events|sse|tls|http2 legacy|modern SERVER")
	}
	connect := connectorOf(args[0])
	if connect == nil {
		return errors.New("unknown library " + args[0])
	}
	w, err := parseWork(args[1])
	if err != nil {
		return err
	}
	t := &target{transport: args[2], modern: args[3] == "modern", tools: w.tools}
	t.SSE, t.shared = t.transport == "sse", w.beside
	t.Command = []string{args[4], args[2], args[3], strconv.Itoa(w.tools)}
	if t.transport != "stdio" {
		stop, err := t.start()
		if err != nil {
			return err
		}
		defer stop()
	}
	do, end, err := w.prepare(ctx, connect, t)
	if err != nil {
		return err
	}
	defer end()
	if _, err := do(warmUp); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		d, err := time.ParseDuration(lines.Text())
		if err != nil {
			return err
		}
		cost, err := measure(func() (int, error) { return do(d) })
		if err != nil {
			return err
		}
		if err := out.Encode(cost); err != nil {
			return err
		}
	}
	return nil
}

// warmUp is how long the worker works before the first measurement.
const warmUp = 20 * time.Millisecond

// start starts an HTTP server and sets URL.
func (t *target) start() (stop func() error, err error) {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	cmd.Stderr = os.Stderr
	p, err := process.Start(cmd)
	if err != nil {
		return nil, err
	}
	if t.URL, err = p.Line(); err != nil || !strings.HasPrefix(t.URL, "https:") {
		return p.Close, err
	}
	// The certificate of the server is the only one that this process trusts.
	file, err := p.Line()
	if err == nil {
		err = os.Setenv("SSL_CERT_FILE", file)
	}
	return p.Close, err
}
