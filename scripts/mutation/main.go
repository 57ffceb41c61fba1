// Mutate puts faults into a copy of the library, one after the other, and prints
// which of them the tests find.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A mutation replaces a piece of text that the code of a folder has exactly once.
type mutation struct{ folder, old, new string }

func main() {
	list := flag.String("list", "scripts/mutation/mutations.txt", "the `file` with the mutations")
	workers := flag.Int("j", 1, "how many mutations are tried `at once`, each in a copy of its own")
	table := flag.Bool("table", false, "print a table in Markdown")
	only := flag.String("only", "", "only mutations that contain this `text`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: scripts/mutate [flags] [package...]\n\nWithout packages: that of the mutation, then the fault matrix.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*list, *only, *workers, *table, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(list, only string, workers int, table bool, packages []string) error {
	mutations, err := read(list)
	if err != nil {
		return err
	}
	var chosen []mutation
	for _, m := range mutations {
		if strings.Contains(m.folder+m.old, only) {
			chosen = append(chosen, m)
		}
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if table {
		fmt.Print("| package | mutation | result |\n|---|---|---|\n")
	}
	var mu sync.Mutex // guards what follows, and the output
	count := make(map[string]int)
	queue := make(chan mutation)
	var all sync.WaitGroup
	for i := range max(workers, 1) {
		tree := filepath.Join(dir, strconv.Itoa(i))
		if err := copyTree(tree); err != nil {
			return err
		}
		all.Go(func() { // ends with the queue
			for m := range queue {
				began := time.Now()
				result := m.try(tree, packages)
				mu.Lock()
				count[outcome(result)]++
				m.print(table, result, time.Since(began))
				mu.Unlock()
			}
		})
	}
	for _, m := range chosen {
		queue <- m
	}
	close(queue)
	all.Wait()
	fmt.Printf("\n%d mutations: %d killed, %d survived, %d could not be tried\n", len(chosen), count["killed"], count["survived"], count["failed"])
	if count["survived"]+count["failed"] > 0 {
		return errors.New("not all mutations are killed")
	}
	return nil
}

func outcome(result string) string {
	switch {
	case strings.HasPrefix(result, "killed"):
		return "killed"
	case result == "survived":
		return result
	}
	return "failed"
}

func (m *mutation) print(table bool, result string, took time.Duration) {
	text := strings.Join(strings.Fields(m.old), " ") + " → " + strings.Join(strings.Fields(m.new), " ")
	if table {
		fmt.Printf("| `%s` | `%s` | %s |\n", m.folder, strings.NewReplacer("|", "\\|", "`", "'").Replace(text), result)
		return
	}
	fmt.Printf("%-20s %4ds  %-44s %s\n", m.folder, int(took.Seconds()), result, text)
}

// read reads blocks of a folder and lines that begin with "- " and "+ ".
func read(name string) (all []mutation, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		var m mutation
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if old, ok := strings.CutPrefix(line, "- "); ok {
				m.old += "\n" + old
			} else if added, ok := strings.CutPrefix(line, "+ "); ok {
				m.new += "\n" + added
			} else if line != "" && line[0] != '#' {
				m.folder = line
			}
		}
		if m.folder == "" {
			continue
		}
		if m.old == "" {
			return nil, fmt.Errorf("%s: nothing to replace in %q", name, block)
		}
		m.old, m.new = m.old[1:], strings.TrimPrefix(m.new, "\n")
		all = append(all, m)
	}
	return all, nil
}

// copyTree copies what git knows of this folder.
func copyTree(dir string) error {
	files, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet committed
		} else if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// try makes the mutation in dir, runs the tests and takes it back.
func (m *mutation) try(dir string, packages []string) string {
	file, data, err := m.find(dir)
	if err != nil {
		return err.Error()
	}
	defer os.WriteFile(file, data, 0o644)
	if err := os.WriteFile(file, bytes.Replace(data, []byte(m.old), []byte(m.new), 1), 0o644); err != nil {
		return err.Error()
	}
	if out, err := command(dir, "build", "./"+m.folder); err != nil {
		return "does not compile: " + lastLine(out)
	}
	if len(packages) == 0 {
		packages = []string{"./" + m.folder, "./internal/faulttest"}
	}
	for _, p := range packages {
		if _, err := command(dir, "test", "-failfast", "-timeout", "3m", p); err != nil {
			return "killed by " + p
		}
	}
	return "survived"
}

// find returns the one file of the folder that has the text.
func (m *mutation) find(dir string) (file string, data []byte, err error) {
	names, err := filepath.Glob(filepath.Join(dir, m.folder, "*.go"))
	n := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", nil, err
		}
		if found := bytes.Count(text, []byte(m.old)); found > 0 && !strings.HasSuffix(name, "_test.go") {
			file, data, n = name, text, n+found
		}
	}
	if n != 1 {
		return "", nil, fmt.Errorf("found %d times", n)
	}
	return file, data, err
}

// command runs go in dir, for five minutes at most.
func command(dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.WaitDelay = dir, 10*time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
