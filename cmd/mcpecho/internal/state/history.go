package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxHistorySize limits the file of a history, in bytes.
const maxHistorySize = 256 << 10

// stateDir returns the directory of the files that remember what the user did.
func stateDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mcpecho"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		dir, err := os.UserCacheDir() // has no separate directory for state
		return filepath.Join(dir, "mcpecho"), err
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) {
		err = errors.New("the home directory is not absolute")
	}
	return filepath.Join(home, ".local", "state", "mcpecho"), err
}

// A History keeps the commands of one server.
type History struct {
	Path string // empty if nothing is kept
	lineedit.History
}

// NewHistory reads the history of the server with this name. A file that cannot be
// read is an empty history.
func NewHistory(server string, getenv func(string) string) *History {
	h := new(History)
	dir, err := stateDir(getenv)
	if err != nil {
		return h
	}
	sum := sha256.Sum256([]byte(server))
	h.Path = filepath.Join(dir, "history", hex.EncodeToString(sum[:8]))
	for _, line := range h.read() {
		h.Add(line)
	}
	return h
}

var (
	escapeHistory   = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	unescapeHistory = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// read returns the lines of the file, or none if the file is not the user's own.
func (h *History) read() (lines []string) {
	if h.Path == "" {
		return nil
	}
	data, err := statefile.Read(h.Path, 2*maxHistorySize, true)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			lines = append(lines, unescapeHistory.Replace(line))
		}
	}
	return lines
}

// lockTime limits how long a shell waits for another one that writes the file.
const lockTime = time.Second

// Save adds a line and writes the file, which other shells may have changed
// meanwhile. The file is a convenience, so failures have no effect.
func (h *History) Save(ctx context.Context, line string) {
	h.Add(line)
	if h.Path == "" {
		return
	}
	unlock, err := lockFile(ctx, h.Path+".lock", lockTime)
	if err != nil {
		return
	}
	defer unlock()
	all := new(lineedit.History)
	for _, old := range append(h.read(), line) {
		all.Add(old)
	}
	lines := all.Lines()
	size, first := 0, len(lines)
	for first > 0 {
		lines[first-1] = escapeHistory.Replace(lines[first-1]) + "\n"
		if size += len(lines[first-1]); size > maxHistorySize {
			break
		}
		first--
	}
	_ = statefile.Replace(h.Path, []byte(strings.Join(lines[first:], "")))
}

// HasSecret reports whether a command may contain a secret, so that it must not be
// written to a file.
func HasSecret(line string, known secrets.Set) bool {
	if known.Hide(line) != line {
		return true
	}
	hides := func(json []byte) bool {
		masked, err := known.Mask(json)
		return err != nil || strings.Contains(string(masked), diag.Mask)
	}
	commands, open := shellwords.Split(line)
	for _, words := range commands {
		for _, w := range words {
			key, value, ok := strings.Cut(w.Text, "=")
			if !ok {
				key, value = "", w.Text
			}
			member := wire.AppendString(wire.AppendKey([]byte("{"), strings.TrimSuffix(key, ":")), value)
			if hides(append(member, '}')) {
				return true
			}
			if json := strings.TrimSpace(value); (strings.HasPrefix(json, "{") || strings.HasPrefix(json, "[")) && hides([]byte(json)) {
				return true
			}
		}
	}
	return open
}
