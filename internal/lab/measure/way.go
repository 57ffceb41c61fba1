package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// The way of a small call of a tool over stdio, as measure/call observes it: which of
// the library's functions it runs, and which of them are frames of the stack when it
// writes the request.

// printWay prints the figures of the way of a call and their limits.
func printWay(verbose bool) error {
	folder, err := os.MkdirTemp("", "measure")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "call")
	if _, err := output("go", "build", "-C", "internal/lab", "-cover", "-covermode=atomic", "-coverpkg="+module+"mcp/...,"+module+"internal/...",
		"-o", program, "./measure/call"); err != nil {
		return err
	}
	if _, err := output(program, folder); err != nil {
		return err
	}
	functions, err := functionsOf(folder)
	if err != nil {
		return err
	}
	frames, err := framesOf(filepath.Join(folder, "trace"))
	if err != nil {
		return err
	}
	fmt.Printf("%-58s %8s %8s\n", "a small call over stdio", "now", "limit")
	for _, row := range []struct {
		title string
		list  []string
		limit int
	}{
		{"frames from CallTool to the system call", frames, 8},
		{"files that they stand in", files(frames), 5},
		{"functions that it runs", functions, 122},
	} {
		fmt.Printf("%-58s %8d %8d\n", row.title, len(row.list), row.limit)
		for _, text := range row.list {
			if verbose {
				fmt.Println("\t" + text)
			}
		}
		if len(row.list) > row.limit {
			err = errors.Join(err, fmt.Errorf("%s: %d, more than %d", row.title, len(row.list), row.limit))
		}
	}
	return err
}

// functionsOf returns the functions of the library that ran, according to the
// coverage counters in folder.
func functionsOf(folder string) (list []string, err error) {
	text, err := output("go", "tool", "covdata", "func", "-i", folder)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		word := strings.Fields(line)
		if len(word) == 3 && word[2] != "0.0%" && strings.HasPrefix(word[0], module) && !strings.Contains(word[0], "/lab/") {
			list = append(list, strings.TrimPrefix(word[0], module)+" "+word[1])
		}
	}
	return list, nil
}

var (
	frameLine    = regexp.MustCompile(`^\t(\S+) @ `)
	positionLine = regexp.MustCompile(`^\t\t(\S+):\d+$`)
)

// framesOf returns the frames of the library in the first stack of an execution trace
// that is in CallTool and writes, from CallTool on.
func framesOf(trace string) ([]string, error) {
	text, err := output("go", "tool", "trace", "-d=parsed", trace)
	if err != nil {
		return nil, err
	}
	for event := range strings.SplitSeq(text, "\n\n") {
		var frames []string
		var name string
		writes, called := false, false
		lines := bufio.NewScanner(strings.NewReader(event))
		for lines.Scan() {
			if m := frameLine.FindStringSubmatch(lines.Text()); m != nil {
				name = m[1]
				writes = writes || name == "syscall.Write"
			} else if m := positionLine.FindStringSubmatch(lines.Text()); m != nil && !called {
				called = name == module+"mcp.(*Client).CallTool"
				if short, ok := strings.CutPrefix(name, module); ok {
					folder, _, _ := strings.Cut(short, ".")
					frames = append([]string{folder + "/" + filepath.Base(m[1]) + " " + strings.TrimPrefix(short, folder+".")}, frames...)
				}
			}
		}
		if writes && called {
			return frames, nil
		}
	}
	return nil, errors.New("the trace has no write of CallTool")
}

// files returns the files of functions, each once.
func files(functions []string) (list []string) {
	seen := make(map[string]bool)
	for _, f := range functions {
		if name, _, _ := strings.Cut(f, " "); !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// output returns what a command prints.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	return string(out), nil
}
