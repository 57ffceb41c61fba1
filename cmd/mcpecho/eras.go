package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

const (
	// maxEras limits how many servers the file of eras holds, and maxErasSize
	// its length in bytes.
	maxEras, maxErasSize = 500, 256 << 10
)

// erasFile returns the path of the file with the protocol versions of servers: a
// line for each, of the version and the quoted name of the server.
func erasFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mcpecho", "eras"), err
}

// eraKey returns what identifies the target, without secrets: the transport's
// name for it. Servers with the same name share an entry, which is only a hint.
func (c *invocation) eraKey(t mcp.Transport) string {
	name := diag.NameOf(t)
	if c.entry != nil {
		name = c.entry.Name + " " + name
	}
	return strconv.Quote(diag.HideUserinfo(c.hide(name)))
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

// cachedServer returns what the last command learned about the target, or nil.
func cachedServer(key string) *mcp.ServerInfo {
	for _, line := range readEras() {
		if version, ok := strings.CutSuffix(line, " "+key); ok && slices.Contains(mcp.ProtocolVersions(), version) {
			return &mcp.ServerInfo{ProtocolVersion: version}
		}
	}
	return nil
}

// rememberEra replaces the entry of a key; an empty version removes it. The file
// is a cache, so failures have no effect.
func rememberEra(key, version string) {
	path, err := erasFile()
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
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
	if version != "" {
		lines = append(lines, version+" "+key)
	}
	lines = lines[max(0, len(lines)-maxEras):]
	_ = statefile.Replace(path, []byte(strings.Join(lines, "\n")+"\n"))
}

// eras keeps the era of one target.
type eras struct {
	key   string // empty with --no-state
	known string // the version in the file; empty if there is none
	web   bool   // the server is at a URL
}

// findEra looks up the target, unless --no-state or --protocol is given.
func (c *invocation) findEra(t mcp.Transport, opts *mcp.Options) *eras {
	e := &eras{web: c.server == nil && (c.entry == nil || c.entry.Type != config.Stdio)}
	if c.flags.noState || c.flags.protocol != "" {
		return e
	}
	e.key = c.eraKey(t)
	if opts.CachedServer = cachedServer(e.key); opts.CachedServer != nil {
		e.known = opts.CachedServer.ProtocolVersion
	}
	return e
}

// remember keeps the version of the server if it is another one than before. A
// modern server at a URL is asked each time, as its response describes it.
func (e *eras) remember(server *mcp.ServerInfo) {
	version := ""
	if server != nil && !(e.web && server.Modern()) {
		version = server.ProtocolVersion
	}
	if e.key != "" && version != e.known {
		rememberEra(e.key, version)
	}
}
