package state

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	// maxEras limits how many servers the file of eras holds, and maxErasSize
	// its length in bytes, maxKey that of a key, and maxIdentity the name and version
	// of a server.
	maxEras, maxErasSize, maxKey, maxIdentity = 500, 256 << 10, 4 << 10, 200
)

// erasFile returns the path of the file with the protocol versions of servers: a
// line for each, of the version and the quoted name that identifies the server. A
// line of a legacy server has between them its ServerInfo.Probed, in seconds since
// 1970 or 0 for never, after a slash StreamLate if it is set, and its own quoted name and
// version.
func erasFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mcpecho", "eras"), err
}

// readEras returns the lines of the file, oldest first.
func readEras() []string {
	path, err := erasFile()
	if err != nil {
		return nil
	}
	data, err := statefile.Read(path, maxErasSize, true)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// knownEra returns what the last command learned about the target, or "".
func knownEra(key string) string {
	for _, line := range readEras() {
		if era, ok := strings.CutSuffix(line, " "+key); ok {
			return era
		}
	}
	return ""
}

// formatEra returns what a line says about a server.
func formatEra(s *mcp.ServerInfo) string {
	if s.Modern() {
		return s.ProtocolVersion
	}
	probed := int64(0)
	if !s.Probed.IsZero() {
		probed = s.Probed.Unix()
	}
	name, version := s.Name, s.Version
	if len(name)+len(version) > maxIdentity {
		name, version = "", "" // then only time counts
	}
	late := ""
	if !s.StreamLate.IsZero() {
		late = fmt.Sprintf("/%d", s.StreamLate.Unix())
	}
	return fmt.Sprintf("%s %d%s %q %q", s.ProtocolVersion, probed, late, name, version)
}

// parseEra returns the server that formatEra has described, or nil.
func parseEra(era string) *mcp.ServerInfo {
	version, rest, _ := strings.Cut(era, " ")
	s := &mcp.ServerInfo{ProtocolVersion: version}
	if !slices.Contains(mcp.ProtocolVersions(), version) {
		return nil
	} else if s.Modern() {
		return s
	}
	seconds, identity, _ := strings.Cut(rest, " ")
	seconds, late, _ := strings.Cut(seconds, "/")
	probed, errProbed := strconv.ParseInt(seconds, 10, 64)
	if n, err := strconv.ParseInt(late, 10, 64); err == nil {
		s.StreamLate = time.Unix(n, 0)
	}
	quoted, _ := strconv.QuotedPrefix(identity)
	var errName, errVersion error
	s.Name, errName = strconv.Unquote(quoted)
	s.Version, errVersion = strconv.Unquote(strings.TrimPrefix(identity[len(quoted):], " "))
	if cmp.Or(errProbed, errName, errVersion) != nil {
		return nil
	}
	if probed != 0 {
		s.Probed = time.Unix(probed, 0)
	}
	return s
}

// rememberEra replaces the entry of a key; an empty era removes it. The file is a
// cache, so failures have no effect.
func rememberEra(key, era string) {
	path, err := erasFile()
	if err != nil || len(key) > maxKey || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	unlock, err := statefile.Lock(ctx, path+".lock")
	if err != nil {
		return
	}
	defer unlock()
	lines := slices.DeleteFunc(readEras(), func(line string) bool { return line == "" || strings.HasSuffix(line, " "+key) })
	if era != "" {
		lines = append(lines, era+" "+key)
	}
	lines = lines[max(0, len(lines)-maxEras):]
	text := strings.Join(lines, "\n") + "\n"
	for len(text) > maxErasSize {
		_, text, _ = strings.Cut(text, "\n")
	}
	_ = statefile.Replace(path, []byte(text))
}

// An Era keeps the era of one target.
type Era struct {
	key   string // what identifies it, without secrets; empty if nothing is kept
	known string // what the file says; empty if nothing
	web   bool   // the server is at a URL
}

// FindEra looks up the target by its key, and returns what the last command learned
// about it, or nil. Without a key nothing is known or remembered. web says that the
// server is at a URL.
func FindEra(key string, web bool) (*Era, *mcp.ServerInfo) {
	e := &Era{key: key, web: web}
	if key == "" {
		return e, nil
	}
	e.known = knownEra(key)
	s := parseEra(e.known)
	if web && s != nil && s.Modern() {
		s = nil // Remember writes none: a line without capabilities would hide the tools
	}
	return e, s
}

// ended is the era of a server that has ended on server/discover once.
const ended = "ended"

// Ended records that the server has ended on server/discover. When it does so again, it is
// not asked for a day.
func (e *Era) Ended() {
	era := ended
	if e.known == ended {
		era = formatEra(&mcp.ServerInfo{ProtocolVersion: mcp.ProtocolVersion20251125, Probed: time.Now()})
	}
	if e.key != "" {
		rememberEra(e.key, era)
	}
}

// Remember keeps the era of the server if it is another one than before. A modern
// server at a URL is asked each time, as its response describes it.
func (e *Era) Remember(server *mcp.ServerInfo) {
	era := ""
	if server != nil && !(e.web && server.Modern()) {
		era = formatEra(server)
	}
	if e.key != "" && era != e.known {
		rememberEra(e.key, era)
	}
}
