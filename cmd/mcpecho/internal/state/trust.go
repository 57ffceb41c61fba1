package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
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
	lines := readTrusted()
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, " "+wire.Quote(e.Name)) }) {
		return false // its files, which may be large, are not read
	}
	hash, entry, err := trustLine(e)
	return err == nil && slices.Contains(lines, hash+" "+entry)
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
	if err != nil {
		return err
	}
	unlock, err := lockFile(context.Background(), path+".lock", lockTime)
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

// LockServers waits until no other command changes a file of servers. Without the lock,
// of two commands that read the same content the second would write back what the first has
// changed. Without a folder that mcpecho can write to, there is no lock.
func LockServers(ctx context.Context) (unlock func(), err error) {
	path, err := TrustFile()
	if err != nil {
		return func() {}, nil
	}
	path = filepath.Join(filepath.Dir(path), "servers.lock")
	unlock, err = lockFile(ctx, path, lockServersTime)
	switch {
	case err == nil:
		return unlock, nil
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
		return nil, errors.New("another mcpecho changes a file of servers, and holds the lock " + path + " for " + lockServersTime.String())
	}
	return func() {}, nil
}

// lockFile waits for the lock of a file, whose folder it makes, for at most limit.
func lockFile(ctx context.Context, path string, limit time.Duration) (unlock func(), err error) {
	if err := statefile.MakeDir(path); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return statefile.Lock(ctx, path)
}

// lockServersTime limits how long a command waits for others that change a file of servers.
const lockServersTime = 10 * time.Second
