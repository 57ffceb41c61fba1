package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// head is the head of the table.
const head = "| platform | run by | packages | tests that pass | that fail | left out | when |\n|---|---|---|---|---|---|---|\n"

// insert puts row into the table of the section Platforms of a file, in the order
// of platforms.
func insert(file, row string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), "\n## Platforms\n")
	if !ok {
		return errors.New("no section Platforms")
	}
	section, after, more := strings.Cut(rest, "\n## ")
	if more {
		after = "\n## " + after
	}
	rows := map[string]string{}
	text, below := strings.TrimRight(section, "\n")+"\n\n", ""
	if i := strings.Index(section, "\n| "); i >= 0 {
		text, below = section[:i+1], section[i+1:]
		for strings.HasPrefix(below, "|") {
			var line string
			line, below, _ = strings.Cut(below, "\n")
			rows[name(line)] = line + "\n"
		}
	}
	rows[name(row)] = row
	table := head
	for _, p := range platforms {
		table += rows[p.name]
	}
	return os.WriteFile(file, []byte(before+"\n## Platforms\n"+text+table+below+after), 0o644)
}

// name returns the platform of a row.
func name(row string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
	return name
}

// version describes what ran when.
func version() string {
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	return time.Now().UTC().Format("2 January 2006") + ", " + runtime.Version() + ", commit " + strings.TrimSpace(string(commit))
}
