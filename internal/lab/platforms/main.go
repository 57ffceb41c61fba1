// Platforms runs the tests on other systems and processors than this one and
// prints a table of what ran where. It installs what runs their programs.
//
//	platforms                  all of them
//	platforms wasip1/wasm      some
//	platforms -all wasip1/wasm with the tests that are left out
//	platforms -packages "./mcp ./mcp/jsonrpc" js/wasm
//	platforms -o docs/evidence/tables/reliability.md js/wasm
//	platforms -prepare wasip1/wasm
//
// With -resume DIR a run that was interrupted goes on where it was, a package at a
// time. Remove the file of a package to run it again.
//
// With -prepare it only installs what the platforms need, and prints its folder.
// With -o it also replaces the rows of these platforms in the section Platforms of
// the file, and keeps the others.
package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// module is the import path of the packages.
const module = "github.com/stdmcp/stdmcp/"

// leftOut lists the tests that a platform cannot run, a line each: the platform,
// the package, the test and the reason. The test * is the whole package.
//
//go:embed left_out.txt
var leftOut string

// A platform is a system and a processor.
type platform struct {
	name     string // GOOS/GOARCH
	by       string // what runs its programs
	prepare  func(*platform) error
	packages []string // ./... unless set
	env      []string
	flags    []string // of go test
	leaves   string   // matches files to remove after the tests

	// excused reports whether a test that printed output failed as the platform
	// lacks what reason names. It counts as left out.
	excused func(output string) bool
	reason  string
}

var platforms = []*platform{
	{name: "linux/386", by: "this processor"},
	{name: "linux/arm", by: "qemu-user", prepare: prepareQEMU}, // for machines that cannot run 386
	{name: "linux/arm64", by: "qemu-user", prepare: prepareQEMU},
	{name: "linux/s390x", by: "qemu-user, big-endian", prepare: prepareQEMU},
	{name: "wasip1/wasm", by: "wazero", prepare: prepareWazero, excused: startsProgram, reason: "they start programs"},
	{name: "js/wasm", by: "Node", prepare: prepareNode, excused: startsProgram, reason: "they start programs"},
	{name: "windows/amd64", by: "Wine", prepare: prepareWine},
}

func main() {
	all := flag.Bool("all", false, "run the tests that are left out, too")
	packages := flag.String("packages", "", "run the tests of these packages, separated by spaces")
	output := flag.String("o", "", "write the rows into the section Platforms of this file, too")
	resume := flag.String("resume", "", "keep the output of each package in this folder, and run only packages that have none there")
	timeout := flag.Duration("timeout", time.Hour, "limit the tests of a package") // emulators are slow
	prepare := flag.Bool("prepare", false, "only install what runs the programs of these platforms")
	flag.Parse()
	if *prepare {
		if err := install(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	fmt.Print(head)
	failed := false
	for _, p := range platforms {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), p.name) {
			continue
		}
		if *packages != "" {
			p.packages = strings.Fields(*packages)
		}
		if p.prepare != nil {
			if err := p.prepare(p); err != nil {
				fmt.Printf("| %s | %s | did not run: %v | | | | |\n", p.name, p.by, err)
				failed = true
				continue
			}
		}
		row, ok, err := p.run(*all, *resume, *timeout)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
		}
		fmt.Print(row)
		if *output != "" && row != "" {
			if err := insert(*output, row); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", *output, err)
				ok = false
			}
		}
		failed = failed || !ok
	}
	if failed {
		os.Exit(1)
	}
}

// An omission is a line of leftOut.
type omission struct{ pkg, test, reason string }

func (p *platform) omissions() (list []omission) {
	for line := range strings.Lines(leftOut) {
		if f := strings.Fields(line); len(f) >= 4 && f[0] == p.name {
			list = append(list, omission{f[1], f[2], strings.Join(f[3:], " ")})
		}
	}
	return list
}

// run runs the tests of the platform and returns its row, and whether all that
// ran passed.
func (p *platform) run(all bool, resume string, timeout time.Duration) (row string, ok bool, err error) {
	omitted := p.omissions()
	if all {
		omitted = nil
	}
	pkgs, err := p.list(omitted)
	if err != nil {
		return "", false, err
	}
	args := []string{"test", "-json", "-vet=off", "-timeout", timeout.String()} // scripts/test systems vets
	if skip := pattern(omitted); skip != "" {
		args = append(args, "-skip", skip)
	}
	results, err := p.test(append(args, p.flags...), pkgs, resume)
	if err != nil {
		return "", false, err
	}
	good, passed, left := 0, 0, 0
	var failed []string
	for _, r := range results {
		passed += r.passed
		tests := p.failures(r)
		for _, test := range tests {
			failed = append(failed, "`"+r.name+"."+test+"`")
		}
		left += len(r.failed) - len(tests)
		if p.passes(r) {
			good++
		} else {
			fmt.Fprintf(os.Stderr, "%s %s fails\n%s", p.name, r.name, r.output)
			if len(r.failed) == 0 {
				failed = append(failed, "`"+r.name+"`")
			}
		}
	}
	var names []string
	for _, pkg := range pkgs {
		name := strings.TrimPrefix(pkg, module)
		names = append(names, "`"+name+"`")
		if r := results[pkg]; r == nil || !r.ended {
			failed = append(failed, "`"+name+"` did not end")
		}
	}
	packages := fmt.Sprint(len(pkgs))
	if p.packages != nil {
		packages = strings.Join(names, ", ")
	}
	slices.Sort(failed)
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s |\n", p.name, p.by, packages, passed,
		cmp.Or(strings.Join(failed, ", "), "none"), summary(omitted, left, p.reason), version()), good == len(pkgs), nil
}

// test runs the tests of packages and returns their results. If resume names a folder,
// that has the output of one package a file, and only those without one run.
func (p *platform) test(args, pkgs []string, resume string) (map[string]*result, error) {
	defer p.clean()
	if resume == "" {
		return p.goTest(append(args, pkgs...), io.Discard)
	}
	results := map[string]*result{}
	for _, pkg := range pkgs {
		file := filepath.Join(resume, strings.ReplaceAll(p.name+"/"+strings.TrimPrefix(pkg, module), "/", "-")+".json")
		if out, err := os.ReadFile(file); err == nil {
			maps.Copy(results, read(bytes.NewReader(out), func(*result) {}))
			continue
		}
		var out bytes.Buffer
		r, err := p.goTest(append(slices.Clone(args), pkg), &out)
		if err == nil {
			err = os.WriteFile(file, out.Bytes(), 0o644)
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(results, r)
	}
	return results, nil
}

// goTest runs go test -json, and writes its output to out, too.
func (p *platform) goTest(args []string, out io.Writer) (map[string]*result, error) {
	c := p.command("go", args...)
	c.Stderr = os.Stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	results := read(io.TeeReader(stdout, out), func(r *result) {
		verdict, tests := "fail", p.failures(r)
		if p.passes(r) {
			verdict = "pass"
		}
		if left := len(r.failed) - len(tests); left > 0 {
			verdict += fmt.Sprintf(", %d left out: %s", left, p.reason)
		}
		fmt.Fprintf(os.Stderr, "%s %s %s: %s\n", time.Now().Format(time.TimeOnly), p.name, r.name, verdict)
		for _, test := range tests {
			fmt.Fprintf(os.Stderr, "%s %s: %s fails\n%s", p.name, r.name, test, r.failed[test])
		}
	})
	_ = c.Wait() // results have every failure
	return results, nil
}

// failures returns the tests that failed and are not excused.
func (p *platform) failures(r *result) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.failed)), func(test string) bool {
		return p.excused != nil && p.excused(r.failed[test])
	})
}

// passes reports whether each test of a package passed or is excused. A package that
// fails without a failed test does not pass.
func (p *platform) passes(r *result) bool {
	return r.ok || len(r.failed) > 0 && len(p.failures(r)) == 0
}

func (p *platform) clean() {
	files, _ := filepath.Glob(p.leaves)
	for _, file := range files {
		_ = os.RemoveAll(file)
	}
}

// startsProgram reports whether a test failed as it could not start a program.
func startsProgram(output string) bool {
	return !strings.Contains(output, "panic:") && slices.ContainsFunc(
		[]string{"no processes on ", "executable file not found", "xecutable not implemented", "operation not supported", "not implemented on js"},
		func(s string) bool { return strings.Contains(output, s) })
}

// list returns the packages that have tests on the platform, without those
// that are left out.
func (p *platform) list(omitted []omission) ([]string, error) {
	pkgs := p.packages
	if pkgs == nil {
		pkgs = []string{"./..."}
	}
	c := p.command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, pkgs...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(pkg string) bool {
		return slices.ContainsFunc(omitted, func(o omission) bool { return o.test == "*" && module+o.pkg == pkg })
	}), nil
}

func (p *platform) command(name string, args ...string) *exec.Cmd {
	system, processor, _ := strings.Cut(p.name, "/")
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	c.Env = append(c.Env, p.env...)
	return c
}

// pattern returns the argument of -skip. It leaves a test out in every package
// that has one of that name.
func pattern(omitted []omission) string {
	var list []string
	for _, o := range omitted {
		if o.test != "*" {
			list = append(list, "^"+strings.ReplaceAll(o.test, "/", "$/^")+"$")
		}
	}
	return strings.Join(list, "|")
}

// summary returns the reasons for what is left out, with how many tests and
// packages each concerns. reason is that of excused tests.
func summary(omitted []omission, excused int, reason string) string {
	var reasons []string
	tests, pkgs := map[string]int{}, map[string][]string{}
	if excused > 0 {
		reasons, tests[reason] = []string{reason}, excused
	}
	for _, o := range omitted {
		if !slices.Contains(reasons, o.reason) {
			reasons = append(reasons, o.reason)
		}
		if o.test == "*" {
			pkgs[o.reason] = append(pkgs[o.reason], "`"+o.pkg+"`")
		} else {
			tests[o.reason]++
		}
	}
	for i, reason := range reasons {
		var what []string
		if n := tests[reason]; n == 1 {
			what = append(what, "1 test")
		} else if n > 1 {
			what = append(what, fmt.Sprint(n, " tests"))
		}
		reasons[i] = strings.Join(append(what, pkgs[reason]...), ", ") + ": " + reason
	}
	return cmp.Or(strings.Join(reasons, "; "), "nothing")
}

// A result is what go test -json reports of a package.
type result struct {
	name   string
	ok     bool
	ended  bool
	passed int               // tests without subtests
	failed map[string]string // their output, with that of subtests
	output string            // of no test
}

// read reads the output of go test -json. It calls ended for each package that ends.
func read(r io.Reader, ended func(r *result)) map[string]*result {
	results := map[string]*result{}
	running := map[string]string{} // the output of tests
	for d := json.NewDecoder(r); ; {
		var e struct{ Action, Package, Test, Output, ImportPath string }
		if d.Decode(&e) != nil {
			return results
		}
		pkg := cmp.Or(e.Package, strings.Fields(e.ImportPath + " -")[0])
		p := results[pkg]
		if p == nil {
			p = &result{name: strings.TrimPrefix(pkg, module), failed: map[string]string{}}
			results[pkg] = p
		}
		test, _, sub := strings.Cut(e.Test, "/")
		switch e.Action {
		case "output", "build-output":
			if test == "" {
				p.output += e.Output
			} else {
				running[pkg+" "+test] += e.Output
			}
		case "pass":
			if test == "" {
				p.ok, p.ended = true, true
				ended(p)
			} else if !sub {
				p.passed++
				delete(running, pkg+" "+test)
			}
		case "fail":
			if test == "" {
				p.ended = true
				ended(p)
			} else if !sub {
				p.failed[test] = running[pkg+" "+test]
			}
		}
	}
}

// tools returns a folder for installed programs, which persists between runs.
func tools() (string, error) {
	cache := os.Getenv("STDMCP_CI_CACHE")
	if cache == "" {
		cache = filepath.Join(".ci", "cache")
	}
	dir, err := filepath.Abs(filepath.Join(cache, "platforms"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}
