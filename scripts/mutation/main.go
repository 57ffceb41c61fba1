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
	"strings"
	"time"
)

// A mutation replaces a piece of text that the code of a folder has exactly once.
type mutation struct{ folder, old, new string }

func main() {
	list := flag.String("list", "scripts/mutation/mutations.txt", "the `file` with the mutations")
	only := flag.String("only", "", "only mutations that contain this `text`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: scripts/mutate [flags] [package...]\n\nWithout packages: that of the mutation, then the fault matrix.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*list, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(list, only string, packages []string) error {
	mutations, err := read(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(dir); err != nil {
		return err
	}
	killed, survived, failed := 0, 0, 0
	for _, m := range mutations {
		if !strings.Contains(m.folder+m.old, only) {
			continue
		}
		began := time.Now()
		result := m.try(dir, packages)
		switch {
		case strings.HasPrefix(result, "killed"):
			killed++
		case result == "survived":
			survived++
		default:
			failed++
		}
		text := strings.Join(strings.Fields(m.old), " ") + " → " + strings.Join(strings.Fields(m.new), " ")
		fmt.Printf("%-20s %4ds  %-44s %s\n", m.folder, int(time.Since(began).Seconds()), result, text)
	}
	fmt.Printf("%d killed, %d survived, %d could not be tried\n", killed, survived, failed)
	if survived+failed > 0 {
		return errors.New("not all mutations are killed")
	}
	return nil
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
