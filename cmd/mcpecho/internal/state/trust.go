package state

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// maxTrusted limits how many entries mcpecho remembers, and maxTrustedSize the length
// of the file in bytes.
const maxTrusted, maxTrustedSize = 1000, 1 << 20

// TrustFile returns the path of the file with the entries that the user trusts:
// lines of a hash, the quoted path of the file that has the entry, and its name.
func TrustFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "mcpecho", "trusted"), err
}

// readTrusted returns the lines of the file, or none if others could write it.
func readTrusted() (lines []string) {
	if path, err := TrustFile(); err == nil {
		data, _ := statefile.Read(path, maxTrustedSize, true)
		lines = strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	return lines
}

func IsTrusted(e *config.Server) bool {
	hash, entry, err := trustLine(e)
	return err == nil && slices.Contains(readTrusted(), hash+" "+entry)
}

// Trust remembers an entry.
func Trust(e *config.Server) error {
	hash, entry, err := trustLine(e)
	if err != nil {
		return err
	}
	return changeTrusted(func(lines []string) []string {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" || strings.HasSuffix(line, " "+entry) })
		return append(lines, hash+" "+entry)
	})
}

// Revoke forgets entries.
func Revoke(all []Trusted) error {
	return changeTrusted(func(lines []string) []string {
		return slices.DeleteFunc(lines, func(line string) bool {
			return slices.ContainsFunc(all, func(t Trusted) bool { return t.line == line })
		})
	})
}

// changeTrusted replaces the lines of the file, of which it keeps as many of the last as
// it may have. Without the lock, another command could write back what this one revokes.
func changeTrusted(change func(lines []string) []string) error {
	path, err := TrustFile()
	if err == nil {
		err = statefile.MakeDir(path)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	unlock, err := statefile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	lines := change(readTrusted())
	text := strings.Join(lines[max(0, len(lines)-maxTrusted):], "\n") + "\n"
	for len(text) > maxTrustedSize {
		_, text, _ = strings.Cut(text, "\n")
	}
	return statefile.Replace(path, []byte(text))
}

// A Trusted describes a line of the file of entries that the user trusts.
type Trusted struct {
	Path, Name string
	line       string
}

// TrustedEntries returns the entries that the user trusts, oldest first.
func TrustedEntries() (all []Trusted) {
	for _, line := range readTrusted() {
		_, rest, _ := strings.Cut(line, " ")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			continue
		}
		path, err1 := strconv.Unquote(quoted)
		name, err2 := strconv.Unquote(strings.TrimPrefix(rest[len(quoted):], " "))
		if err1 == nil && err2 == nil {
			all = append(all, Trusted{path, name, line})
		}
	}
	return all
}
