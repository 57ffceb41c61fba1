package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// confirmTrust asks whether a server of the project's .mcp.json may be used,
// unless -c names the file or the user has agreed to exactly this entry before:
// the author of the project could have put any program there, or a URL that
// receives the user's secrets.
func (c *invocation) confirmTrust(ctx context.Context) error {
	if c.entry.Scope != "project" || isTrusted(c.entry) {
		return nil
	}
	text := "the server " + strconv.Quote(c.entry.Name) + " in " + c.entry.Source + " of this folder is not trusted"
	for _, effect := range c.entry.Effects() {
		text += "\n\t" + escapeName(effect)
	}
	refused := &failure{status: statusUsage, kind: "configuration", message: text,
		hint: "to use it, type: " + c.paste(append(c.without(), "-c", c.entry.Source))}
	if !c.isTerminal(c.stdin) || !c.isTerminal(c.stderr) {
		return refused
	}
	a := &asker{c: c, in: bufio.NewReader(c.stdin)}
	first, effects, _ := strings.Cut(text, "\n")
	a.print("T" + first[1:] + ".\nIt\n" + effects + "\n")
	if yes, err := a.confirm(ctx, "Do you trust it?", false); err != nil || !yes {
		return refused
	}
	if c.flags.noState {
		return nil
	}
	if err := rememberTrust(c.entry); err != nil {
		a.print("mcpecho cannot remember this: " + escapeLine(err.Error()) + "\n")
	}
	return nil
}

// maxTrusted limits how many entries mcpecho remembers.
const maxTrusted = 1000

// trustFile returns the path of the file with the entries that the user trusts:
// lines of a hash, the quoted path of the file that has the entry, and its name.
func trustFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "mcpecho", "trusted"), err
}

// trustLine returns the line for an entry. The hash covers all its settings, so
// that the user is asked again when one of them changes. The rest identifies the
// entry, so that a later line can replace this one.
func trustLine(e *config.Server) (hash, entry string, err error) {
	path, err := filepath.Abs(e.Source)
	if err != nil {
		return "", "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %#v", path, *e)) // quotes every text and sorts maps
	return hex.EncodeToString(sum[:]), strconv.Quote(path) + " " + strconv.Quote(e.Name), nil
}

func readTrusted() (lines []string) {
	if path, err := trustFile(); err == nil {
		data, _ := os.ReadFile(path)
		lines = strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	return lines
}

func isTrusted(e *config.Server) bool {
	hash, entry, err := trustLine(e)
	return err == nil && slices.Contains(readTrusted(), hash+" "+entry)
}

// rememberTrust replaces the file. If two commands do so at once, one of the
// answers may be lost, and the user is asked again.
func rememberTrust(e *config.Server) error {
	hash, entry, err := trustLine(e)
	if err != nil {
		return err
	}
	path, err := trustFile()
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(readTrusted(), func(line string) bool { return line == "" || strings.HasSuffix(line, " "+entry) })
	lines = append(lines, hash+" "+entry)
	lines = lines[max(0, len(lines)-maxTrusted):]
	return writeTrusted(path, lines)
}

func writeTrusted(path string, lines []string) error {
	return statefile.Replace(path, []byte(strings.Join(lines, "\n")+"\n"))
}
