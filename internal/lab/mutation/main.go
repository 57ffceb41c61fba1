// Mutate puts faults into a copy of the library, one after the other, and prints
// which of them the tests find.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const listComment = `# Faults to put into the library, for scripts/test mutations: a folder, the package with
# the test if that is another one, the test that fails, the text that is replaced,
# which the folder's code has exactly once, and what it becomes.
`

// A mutation replaces a piece of text that the code of a folder has exactly once.
type mutation struct {
	comment  string // the lines above it in the list
	folder   string
	in       string // the package whose tests run
	test     string // the test that must fail, or any
	survives string // why no test can fail
	old, new string
}

func main() {
	list := flag.String("list", "internal/lab/mutation/mutations.txt", "the `file` with the mutations")
	workers := flag.Int("j", 1, "how many mutations are tried `at once`, each in a copy of its own")
	table := flag.Bool("table", false, "print tables in Markdown: the packages, and what survived")
	update := flag.String("o", "", "write the list to a `file`, with the tests that fail")
	only := flag.String("only", "", "only mutations that contain this `text`")
	check := flag.Bool("check", false, "only check that the code has the text of each mutation once")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: scripts/test mutations [flags] [package...]\n\nWithout packages: the test that the list names, or all of the package.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *check {
		if err := checkList(*list); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(*list, *only, *update, *workers, *table, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// checkList returns an error that names the mutations whose text the code does not
// have exactly once.
func checkList(list string) error {
	mutations, err := read(list)
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range mutations {
		if _, _, err := m.find("."); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %q %w", list, m.folder, m.old, err))
		}
	}
	return errors.Join(errs...)
}

func run(list, only, update string, workers int, table bool, packages []string) error {
	mutations, err := read(list)
	if err != nil {
		return err
	}
	var chosen []*mutation
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
	var variants *variantTree
	if len(packages) == 0 && len(chosen) > 1 {
		if variants, err = newVariantTree(filepath.Join(dir, "variants"), chosen); err != nil {
			return err
		}
	}
	var mu sync.Mutex // guards what follows, and the output
	count, results := make(map[string]int), make(map[*mutation]string)
	queue := make(chan *mutation)
	var all sync.WaitGroup
	for i := range max(workers, 1) {
		tree := filepath.Join(dir, strconv.Itoa(i))
		if err := copyTree(tree); err != nil {
			return err
		}
		all.Go(func() { // ends with the queue
			for m := range queue {
				began, result := time.Now(), ""
				if variants != nil {
					result = variants.try(m)
				}
				if result == "" {
					result = m.try(tree, packages)
				}
				mu.Lock()
				count[outcome(result)]++
				if table {
					results[m] = result
				} else {
					m.print(result, time.Since(began))
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range chosen {
		queue <- m
	}
	close(queue)
	all.Wait()
	if table {
		printTables(chosen, results)
	}
	fmt.Printf("\n%d mutations: %d killed, %d survived with a reason, %d survived without one, %d could not be tried.\n",
		len(chosen), count["killed"], count["explained"], count["survived"], count["failed"])
	if update != "" {
		if err := write(update, mutations); err != nil {
			return err
		}
	}
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
	case strings.HasPrefix(result, "survives: "):
		return "explained"
	}
	return "failed"
}

func (m *mutation) String() string {
	return strings.Join(strings.Fields(m.old), " ") + " → " + strings.Join(strings.Fields(m.new), " ")
}

func (m *mutation) print(result string, took time.Duration) {
	fmt.Printf("%-20s %4ds  %-44s %s\n", m.folder, int(took.Seconds()), result, m)
}

// printTables prints how many mutations of each package were killed, and what
// became of the others.
func printTables(all []*mutation, results map[*mutation]string) {
	type counts struct{ mutations, killed int }
	packages := make(map[string]counts)
	var others strings.Builder
	escape := strings.NewReplacer("|", "\\|", "`", "'")
	for _, m := range all {
		n := packages[m.folder]
		n.mutations++
		if outcome(results[m]) == "killed" {
			n.killed++
		} else {
			fmt.Fprintf(&others, "| `%s` | `%s` | %s |\n", m.folder, escape.Replace(m.String()), strings.TrimPrefix(results[m], "survives: "))
		}
		packages[m.folder] = n
	}
	fmt.Print("| package | mutations | killed |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		fmt.Printf("| `%s` | %d | %d |\n", name, packages[name].mutations, packages[name].killed)
	}
	fmt.Printf("\n| package | survives | because |\n|---|---|---|\n%s", others.String())
}

// read reads blocks of a line with a folder, perhaps a package and a test, and
// lines that begin with "- " and "+ ". A line "survives: " has the reason why no
// test fails.
func read(name string) (all []*mutation, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		m := &mutation{}
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if old, ok := strings.CutPrefix(line, "- "); ok {
				m.old += "\n" + old
			} else if added, ok := strings.CutPrefix(line, "+ "); ok {
				m.new += "\n" + added
			} else if why, ok := strings.CutPrefix(line, "survives: "); ok {
				m.survives = why
			} else if line != "" && line[0] == '#' {
				m.comment += line + "\n"
			} else if words := strings.Fields(line); len(words) > 0 {
				m.folder, m.in = words[0], words[0]
				for _, w := range words[1:] {
					if strings.HasPrefix(w, "Test") || strings.HasPrefix(w, "Fuzz") || strings.HasPrefix(w, "Example") {
						m.test = w
					} else {
						m.in = w
					}
				}
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

// write writes what read reads.
func write(name string, all []*mutation) error {
	var b strings.Builder
	b.WriteString(listComment)
	for _, m := range all {
		b.WriteString("\n" + m.comment + m.folder)
		if m.in != m.folder {
			b.WriteString(" " + m.in)
		}
		if m.test != "" {
			b.WriteString(" " + m.test)
		}
		b.WriteByte('\n')
		if m.survives != "" {
			b.WriteString("survives: " + m.survives + "\n")
		}
		for _, part := range []struct{ mark, text string }{{"- ", m.old}, {"+ ", m.new}} {
			for line := range strings.SplitSeq(part.text, "\n") {
				b.WriteString(part.mark + line + "\n")
			}
		}
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
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
	args := []string{"test", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout", "4m"}
	if len(packages) == 0 {
		packages = []string{m.in}
		if m.test != "" {
			args = append(args, "-run", "^"+m.test+"$")
		}
	}
	for _, p := range packages {
		// The package may be of the laboratory's module.
		out, err := command(filepath.Join(dir, p), args...)
		if err == nil {
			continue
		}
		return m.killed(out, path.Clean(p))
	}
	if m.survives != "" {
		return "survives: " + m.survives
	}
	return "survived"
}

// killed stores which test has failed, and returns the result. A test that the
// list names may also run without end.
func (m *mutation) killed(out, in string) string {
	if name := failed(out); name != "" && !strings.HasPrefix(m.test, name+"/") {
		m.test = name
	} else if m.test == "" && strings.Contains(out, "panic: test timed out") { // perhaps the machine is slow
		return "the tests of " + in + " take too long: name one"
	}
	return "killed by " + cmp.Or(m.test, in)
}

// failed returns the first test that failed.
func failed(out string) string {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			return strings.Fields(rest)[0]
		}
	}
	return ""
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

// command runs go in dir, for twenty minutes at most: the machine may be busy.
func command(dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
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
