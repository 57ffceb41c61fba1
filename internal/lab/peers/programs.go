package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// A program is a folder programs/KIND/LIBRARY. Any program there is measured.
type program struct{ kind, library string }

// kinds are the kinds of programs in the order of the tables.
var kinds = []struct{ name, title string }{
	{"stdio", "stdio"},
	{"http", "Streamable HTTP"},
	{"auth", "Streamable HTTP with authorization"},
	{"host", "several servers of a configuration, over stdio"},
	{"web-host", "several servers of a configuration, over any transport"},
}

// run reports whether the program runs without a user or a configuration, so that
// its memory and time can be measured.
func (p program) run() bool { return p.kind == "stdio" || p.kind == "http" }

// budgeted is the program whose memory has a budget.
var budgeted = program{"stdio", ours}

// A platform is a toolchain and a target.
type platform struct{ toolchain, arch string }

// newestGo returns the newest released Go, such as "go1.27.3", which is measured
// beside the installed one. As CI does, it asks the module proxy.
func newestGo(ctx context.Context) (newest string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-versions", "go").Output()
	if err != nil {
		return "", fmt.Errorf("list the versions of Go: %w", err)
	}
	return newestOf(strings.Fields(string(out))), nil
}

// newestOf returns the newest of versions without "go" that is neither a beta
// version nor a release candidate, with "go"; empty if there is none.
func newestOf(versions []string) (newest string) {
	for _, v := range versions {
		if v = "go" + v; version.IsValid(v) && !strings.ContainsAny(v[2:], "rb") && version.Compare(v, newest) > 0 {
			newest = v
		}
	}
	return newest
}

// A start is the time and the memory until the first result.
type start struct{ time, peak float64 } // in seconds and bytes

// A programTable holds the measurements of programs.
type programTable struct {
	newest    string // see newestGo; empty in a short run
	platforms []platform
	programs  []program
	sizes     map[program]map[platform]int64
	starts    map[program]start
}

func measurePrograms(ctx context.Context, dir string, short bool) (*programTable, error) {
	t := &programTable{sizes: make(map[program]map[platform]int64), starts: make(map[program]start)}
	for _, kind := range kinds {
		for _, library := range libraries {
			p := program{kind.name, library}
			if _, err := os.Stat(p.source()); err == nil && (!short || p == budgeted) {
				t.programs = append(t.programs, p)
			}
		}
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, err
	}
	local := strings.TrimSpace(string(out))
	toolchains, archs := []string{local}, []string{"amd64"}
	if !short {
		if t.newest, err = newestGo(ctx); err != nil {
			return nil, err
		}
		toolchains, archs = append(toolchains, t.newest), append(archs, "arm64", "mipsle")
	}
	for _, toolchain := range slices.Compact(toolchains) {
		for _, arch := range archs {
			pf := platform{toolchain, arch}
			t.platforms = append(t.platforms, pf)
			progress("programs: %s, %s", toolchain, arch)
			if err := t.measureSizes(ctx, dir, pf); err != nil {
				return nil, err
			}
		}
	}
	return t, t.measureStarts(ctx, dir, local, short)
}

func (p program) source() string { return filepath.Join("programs", p.kind, p.library) }

// binary returns the path of the program for a platform.
func (p program) binary(dir string, pf platform) string {
	return filepath.Join(dir, p.kind+"-"+p.library+"-"+pf.toolchain+"-"+pf.arch)
}

// measureSizes builds all programs for a platform.
func (t *programTable) measureSizes(ctx context.Context, dir string, pf platform) error {
	for _, p := range t.programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.binary(dir, pf), "./"+p.source())
		cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOTOOLCHAIN="+pf.toolchain, "GOARCH="+pf.arch)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
		info, err := os.Stat(p.binary(dir, pf))
		if err != nil {
			return err
		}
		if t.sizes[p] == nil {
			t.sizes[p] = make(map[platform]int64)
		}
		t.sizes[p][pf] = info.Size()
	}
	return nil
}

// measureStarts runs the programs in turns against a legacy server, which takes a
// client longest.
func (t *programTable) measureStarts(ctx context.Context, dir, toolchain string, short bool) error {
	server := filepath.Join(dir, "server")
	url, stop, err := startServer(ctx, server)
	if err != nil {
		return err
	}
	defer stop()
	progress("programs: memory and time to the first result")
	rounds := 21
	if short {
		rounds = 7
	}
	times, peaks := make(map[program]sample.Series), make(map[program]sample.Series)
	for range rounds {
		for _, p := range t.programs {
			if !p.run() {
				continue
			}
			args := []string{url}
			if p.kind == "stdio" {
				args = []string{server, "stdio", "legacy", "0"}
			}
			s, err := runOnce(ctx, p.binary(dir, platform{toolchain, "amd64"}), args)
			if err != nil {
				return errors.Join(errors.New(p.source()), err)
			}
			times[p] = append(times[p], sample.Sample{Time: s.time})
			peaks[p] = append(peaks[p], sample.Sample{Bytes: s.peak})
		}
	}
	for p := range times {
		t.starts[p] = start{times[p].Median(sample.Time), peaks[p].Median(sample.Bytes)}
	}
	return nil
}

// startServer starts a server of Streamable HTTP and returns its URL.
func startServer(ctx context.Context, server string) (url string, stop func() error, err error) {
	p, err := process.Start(exec.CommandContext(ctx, server, "json", "legacy", "0"))
	if err != nil {
		return "", nil, err
	}
	url, err = p.Line()
	return url, p.Close, err
}

// runOnce measures a program until it has printed its result, and ends it.
func runOnce(ctx context.Context, name string, args []string) (s start, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	p, err := process.Start(cmd)
	if err != nil {
		return s, err
	}
	line, err := p.Line()
	s.time = time.Since(began).Seconds()
	// The peak that getrusage returns includes this process's when it forked.
	s.peak = float64(process.Memory(p.Process.Pid, "VmHWM"))
	if err = errors.Join(err, p.Close()); err == nil && !strings.Contains(line, "hello") {
		err = fmt.Errorf("the program printed %q", line)
	}
	return s, err
}
