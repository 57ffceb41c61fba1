package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// checkFiles returns a failure if a file of -c cannot be read: without it, another
// server of the same name could be used.
func (c *invocation) checkFiles() error {
	files, _ := splitPrograms(c.flags.Config)
	for _, name := range files {
		if err := c.checkFile(name); err != nil {
			return err
		}
	}
	return nil
}

// checkFile returns a failure if a file of servers that the user names cannot be read.
func (c *invocation) checkFile(name string) error {
	cfg := config.LoadFile(name)
	at := slices.IndexFunc(cfg.Problems, func(p *config.Problem) bool { return p.Server == "" })
	if at < 0 || len(cfg.All()) > 0 {
		return nil
	}
	wrong := cfg.Problems[at]
	f := &failure.Error{Status: failure.Usage, Kind: "configuration", Message: wrong.Error(), Hint: "correct the file", Err: wrong}
	if errors.Is(wrong, fs.ErrNotExist) {
		f.Message = "the configuration file " + wire.Quote(name) + " does not exist"
		f.Hint = c.toType("for the configured servers, ", cmdline.Words("servers"))
		if near := nearest.Typo(filepath.Base(name), filesBeside(name)); near != "" {
			better := filepath.Join(filepath.Dir(name), near)
			f.Message += " (did you mean " + wire.Quote(better) + "?)"
			f.Hint = c.toType("", c.replaced(name, better))
		}
	}
	return f
}

// replaced returns the user's command line with better in place of a file, which may
// be a part of a word.
func (c *invocation) replaced(file, better string) cmdline.Line {
	line := cmdline.Own(c.typed...)
	for i, word := range c.typed {
		if rest, ok := strings.CutPrefix(word, file); ok && (rest == "" || rest[0] == ':') {
			line[i] = cmdline.Word{Text: better + rest}
			break
		}
		if before, ok := strings.CutSuffix(word, "="+file); ok && flags.IsFlag(word) {
			line[i] = cmdline.Argument(better, "")
			line[i].Text = before + "=" + better
			break
		}
	}
	return line
}

// filesBeside returns the names of the files that may hold servers in the folder of
// name.
func filesBeside(name string) (names []string) {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil
	}
	defer dir.Close()
	const most = 1000
	all, _ := dir.Readdirnames(most)
	return slices.DeleteFunc(all, func(name string) bool { return filepath.Ext(name) != ".json" })
}

// maxHead is how much of a file is read to find out what it is.
const maxHead = 64 << 10

// head returns the beginning of a regular file.
func head(name string) string {
	f, err := statefile.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, maxHead)
	n, _ := f.Read(b)
	return string(b[:n])
}

// explainKey returns the failure for a file of -c or of FILE:NAME that has its servers
// under a misspelled key, or nil.
func (c *invocation) explainKey(files ...string) error {
	for _, name := range files {
		cfg := config.LoadFile(name)
		if len(cfg.All()) > 0 {
			continue
		}
		for i, part := range strings.Split(head(name), `"`) {
			if i%2 == 1 && nearest.Plain(part) == nearest.Plain("mcpServers") && part != "mcpServers" {
				return &failure.Error{Status: failure.Usage, Kind: "configuration",
					Message: name + " has no servers: its key " + wire.Quote(part) + ` must be "mcpServers"`, Hint: "correct the file"}
			}
		}
	}
	return nil
}
