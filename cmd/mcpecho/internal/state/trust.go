package state

import (
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

// Trust remembers an entry. It replaces the file: if two commands do so at once, one of the
// answers may be lost, and the user is asked again.
func Trust(e *config.Server) error {
	hash, entry, err := trustLine(e)
	if err != nil {
		return err
	}
	path, err := TrustFile()
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(readTrusted(), func(line string) bool { return line == "" || strings.HasSuffix(line, " "+entry) })
	lines = append(lines, hash+" "+entry)
	return WriteTrusted(path, lines[max(0, len(lines)-maxTrusted):])
}

// WriteTrusted replaces the file by as many of the last lines as it may have.
func WriteTrusted(path string, lines []string) error {
	text := strings.Join(lines, "\n") + "\n"
	for len(text) > maxTrustedSize {
		_, text, _ = strings.Cut(text, "\n")
	}
	return statefile.Replace(path, []byte(text))
}

// A Trusted describes a line of the file of entries that the user trusts.
type Trusted struct {
	hash, Path, Name string
	Line             string
}

// TrustedEntries returns the entries that the user trusts, oldest first.
func TrustedEntries() (all []Trusted) {
	for _, line := range readTrusted() {
		hash, rest, _ := strings.Cut(line, " ")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			continue
		}
		path, err1 := strconv.Unquote(quoted)
		name, err2 := strconv.Unquote(strings.TrimPrefix(rest[len(quoted):], " "))
		if err1 == nil && err2 == nil {
			all = append(all, Trusted{hash, path, name, line})
		}
	}
	return all
}
