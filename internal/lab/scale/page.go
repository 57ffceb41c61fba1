package main

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/template"
	"time"
)

//go:embed page.md
var text string

// page writes the page.
func page(w io.Writer) error {
	t, err := template.New("").Funcs(template.FuncMap{"table": table, "exhausted": exhaustion}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]string{"Machine": machine(), "Ports": ports(), "Files": files()})
}

// of returns the figures of a kind of work that were measured.
func of(work string) (list []*figure) {
	for _, f := range figures {
		if f.work == work && (len(f.points) > 1 || f.exhausted.Limit > 0) {
			list = append(list, f)
		}
	}
	return list
}

// table returns the table of a kind of work: the last point of each figure.
func table(work string) string {
	one := map[string]string{"idle": "client", "calls": "call", "hosts": "server"}[work]
	var b strings.Builder
	fmt.Fprintf(&b, "| | %ss | memory for each | resident | goroutines | descriptors | to begin | a small call | to end |\n|---|---|---|---|---|---|---|---|---|\n", one)
	for _, f := range of(work) {
		first, p := f.points[0], f.points[len(f.points)-1]
		n := float64(p.N)
		var took time.Duration
		for _, p := range f.points {
			took += p.Took
		}
		if work == "calls" {
			took = p.Took // each step begins all of its calls
		}
		call := "–"
		if p.Call > 0 {
			call = round(p.Call)
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f KB | %.0f MB | %.2f | %.2f | %s | %s | %s |\n", f.title, number(n),
			float64(p.Memory-first.Memory)/n/1000, float64(p.Resident)/1e6,
			float64(p.Goroutines-first.Goroutines)/n, float64(p.Descriptors-first.Descriptors)/n,
			round(took), call, round(p.Ended))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// round returns a time with two digits.
func round(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 100 {
		unit *= 10
	}
	return strings.Replace(d.Round(unit).String(), "µ", " µ", 1)
}

// exhaustion returns what happens when descriptors run out.
func exhaustion() string {
	var b strings.Builder
	b.WriteString("| | clients with 100 descriptors | the next one | clients that still work |\n|---|---|---|---|\n")
	for _, f := range of("descriptors") {
		e := f.exhausted
		fmt.Fprintf(&b, "| %s | %d | `%s` | %d |\n", f.title, e.Connected, strings.ReplaceAll(e.Err, "|", "\\|"), e.Working)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// machine describes where and when this runs.
func machine() string {
	model := "unknown processors"
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(info), "model name"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		model = strings.Trim(line, "\t :")
	}
	load, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	return fmt.Sprintf("%s; %s/%s, %d cores of %s, Linux %s, %s, commit %s, load at the end %s", time.Now().UTC().Format("2 January 2006"),
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), model, read("/proc/sys/kernel/osrelease"), runtime.Version(),
		strings.TrimSpace(string(commit)), load)
}

// ports returns how many ports a program has for connections to one address.
func ports() string {
	var from, to int
	if n, _ := fmt.Sscan(read("/proc/sys/net/ipv4/ip_local_port_range"), &from, &to); n != 2 {
		return "28,232"
	}
	return number(float64(to - from + 1))
}

// files returns how many files a process may have open.
func files() string {
	_, rest, _ := strings.Cut(read("/proc/self/limits"), "Max open files")
	var soft float64
	if n, _ := fmt.Sscan(rest, &soft); n != 1 {
		return "a limit"
	}
	return number(soft)
}

func read(file string) string {
	b, _ := os.ReadFile(file)
	return strings.TrimSpace(string(b))
}

// number writes a number with commas.
func number(v float64) string {
	s := fmt.Sprintf("%g", math.Round(v*100)/100)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}
