// Peers measures stdmcp, other MCP clients for Go, and the least that any client
// costs: a bare pipe, bare net/http, encoding/json alone. It prints
// docs/evidence/tables/performance.md:
//
//	scripts/bench peers              prints it
//	scripts/bench peers -o FILE      writes it
//	scripts/bench peers -short       measures less, in about a minute
//	scripts/bench peers -check       fails when a figure is far over its budget
//	scripts/bench peers -run REGEXP  measures and prints only some calls, such as "stdio esc20"
//	scripts/bench peers -one -run …  does so on one processor; after nice -n -20, a busy machine will do
//
// It is a module of its own, so that the library does not depend on the peers.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	output := flag.String("o", "", "write the page to a `file`")
	short := flag.Bool("short", false, "measure only the figures with a budget, with the installed Go, for linux/amd64")
	best := flag.Bool("best", false, "compare the best runs instead of taking medians, for a machine that others use")
	check := flag.Bool("check", false, "fail when a figure exceeds its budget; a time may exceed it by the allowance for noise")
	only := flag.String("run", "", "measure and print only the calls whose transport and work, such as \"stdio small\", match a `regexp`")
	one := flag.Bool("one", false, "use one processor for client and server, and -run: the ratios then depend less on what else runs, and less on how threads wake each other")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	p := &page{Short: *short, Best: *best, Machine: describeMachine()}
	if err := build(ctx, "-o", dir+string(filepath.Separator), "./server"); err != nil {
		return err
	}
	if err := buildWorkers(ctx, dir); err != nil {
		return err
	}
	m := measuring{dir: dir, short: *short, only: chosen, one: *one}
	if p.calls, err = m.calls(ctx); err != nil {
		return err
	}
	p.calls.best = *best
	if *only != "" {
		fmt.Printf("%s\n\nRows in which a peer takes less time:\n\n%s", p.Calls(), p.Ahead())
		for _, era := range eras {
			if p.calls.series[cell{"stdio", "small", handed, era}] != nil {
				fmt.Printf("\nA pipe that hands over, %s: %s", era, p.Handed(era))
			}
		}
		fmt.Println()
		return nil
	}
	if p.programs, err = measurePrograms(ctx, dir, *short); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		return err
	}
	if *output == "" {
		_, err = os.Stdout.Write(b.Bytes())
	} else {
		err = os.WriteFile(*output, b.Bytes(), 0o644)
	}
	if err == nil && *check {
		err = errors.Join(p.broken(), m.checkStrict(ctx))
	}
	return err
}

// build runs go build in this module.
func build(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// progress prints what is being measured.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
