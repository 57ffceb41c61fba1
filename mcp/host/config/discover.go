package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Found is what one file of another program configures.
type Found struct {
	Program string // claude-desktop, claude-code, cursor, vscode, windsurf, zed, gemini or codex
	Title   string // the program's name for people
	File    string

	// Project is the folder of the project that the servers are for; empty if
	// they are for all of the user's.
	Project string

	// Config holds the servers and the problems of the file. The scope of a
	// server is "user", "project", or "local" if the user's own file lists it
	// for a project.
	Config
}

// Places tell Discover where programs keep their files. An empty field has the
// value of this machine and process.
type Places struct {
	OS     string // as runtime.GOOS
	Home   string // the user's home directory
	Data   string // %APPDATA% on Windows
	Config string // $XDG_CONFIG_HOME on other systems than Windows and macOS
	Codex  string // $CODEX_HOME
	Dir    string // the folder of the project; none if the working directory is unknown
}

func (p *Places) withDefaults() Places {
	var d Places
	if p != nil {
		d = *p
	}
	own := d == Places{Dir: d.Dir} // variables are about this machine
	if d.OS == "" {
		d.OS = runtime.GOOS
	}
	if d.Home == "" {
		d.Home, _ = os.UserHomeDir()
	}
	if d.Dir == "" {
		d.Dir, _ = os.Getwd()
	}
	if own {
		d.Data, d.Config, d.Codex = os.Getenv("APPDATA"), os.Getenv("XDG_CONFIG_HOME"), os.Getenv("CODEX_HOME")
	}
	if d.Data == "" {
		d.Data = filepath.Join(d.Home, "AppData", "Roaming")
	}
	if d.Config == "" {
		d.Config = filepath.Join(d.Home, ".config")
	}
	if d.Codex == "" {
		d.Codex = filepath.Join(d.Home, ".codex")
	}
	return d
}

// application returns the folder in which desktop applications keep their
// settings.
func (p *Places) application() string {
	switch p.OS {
	case "windows":
		return p.Data
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support")
	}
	return p.Config
}

// A location is a file of a program.
type location struct {
	program, title, scope, file string
}

// list returns all files that may exist, in the order in which Discover returns
// them.
func (p *Places) list() []location {
	zed := filepath.Join(p.Config, "zed", "settings.json")
	if p.OS == "windows" {
		zed = filepath.Join(p.Data, "Zed", "settings.json")
	} else if p.OS == "darwin" {
		zed = filepath.Join(p.Home, ".config", "zed", "settings.json")
	}
	code := filepath.Join(p.application(), "Code", "User")
	list := []location{
		{"claude-desktop", "Claude Desktop", "user", filepath.Join(p.application(), "Claude", "claude_desktop_config.json")},
		{"claude-code", "Claude Code", "user", filepath.Join(p.Home, ".claude.json")},
		{"claude-code", "Claude Code", "project", filepath.Join(p.Dir, ".mcp.json")},
		{"cursor", "Cursor", "user", filepath.Join(p.Home, ".cursor", "mcp.json")},
		{"cursor", "Cursor", "project", filepath.Join(p.Dir, ".cursor", "mcp.json")},
		{"vscode", "VS Code", "user", filepath.Join(code, "mcp.json")},
		{"vscode", "VS Code", "user", filepath.Join(code, "settings.json")},
		{"vscode", "VS Code", "project", filepath.Join(p.Dir, ".vscode", "mcp.json")},
		{"windsurf", "Windsurf", "user", filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json")},
		{"zed", "Zed", "user", zed},
		{"zed", "Zed", "project", filepath.Join(p.Dir, ".zed", "settings.json")},
		{"gemini", "Gemini CLI", "user", filepath.Join(p.Home, ".gemini", "settings.json")},
		{"gemini", "Gemini CLI", "project", filepath.Join(p.Dir, ".gemini", "settings.json")},
		{"codex", "Codex", "user", filepath.Join(p.Codex, "config.toml")},
		{"codex", "Codex", "project", filepath.Join(p.Dir, ".codex", "config.toml")},
	}
	used := list[:0]
	for _, l := range list {
		if (l.scope != "user" || p.Home != "") && (l.scope != "project" || p.Dir != "") {
			used = append(used, l)
		}
	}
	return used
}

// Discover returns the servers that other programs on this machine have in their
// files: Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Zed, Gemini CLI
// and Codex. It returns the files that exist and either define servers or have
// problems, ordered by program, then the user's before the project's. Relative paths
// become absolute. It starts
// nothing, and [Load] does not use it: which of these servers to use is the
// user's choice. p may be nil.
//
// Files may be up to 4 MiB. A file that is larger or cannot be read is a
// Problem.
func Discover(p *Places) []*Found {
	places := p.withDefaults()
	var list []*Found
	var seen []string
	for _, l := range places.list() {
		if !l.isNew(seen) {
			continue // the project is the home directory
		}
		seen = append(seen, l.file)
		for _, f := range l.read(&places) {
			for _, s := range f.Servers {
				s.resolve()
			}
			if len(f.Servers)+len(f.Problems) > 0 {
				list = append(list, f)
			}
		}
	}
	return list
}

func (l *location) isNew(seen []string) bool {
	for _, file := range seen {
		if sameFile(file, l.file) {
			return false
		}
	}
	return true
}

// read returns what a file configures: for all projects, and for single ones.
func (l *location) read(p *Places) []*Found {
	f := &Found{Program: l.program, Title: l.title, File: l.file}
	if l.scope == "project" {
		f.Project = p.Dir
	}
	text, err := readFile(l.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		f.Problems = []*Problem{{File: l.file, Warning: true, Err: err}}
		return []*Found{f}
	case l.program == "codex":
		f.Config = *ParseTOML(text, l.file, l.scope)
	default:
		f.Config = *Parse(text, l.file, l.scope)
	}
	list := []*Found{f}
	if l.program == "claude-code" && l.scope == "user" {
		list = append(list, l.projects(text)...)
	}
	return list
}

// projects returns the servers that the user has for single projects in the file
// of Claude Code.
func (l *location) projects(text []byte) (list []*Found) {
	projects := at(&member{value: stripComments(text)}, "projects")
	folders := make(map[string]*member)
	all, _ := members(projects.value, projects.at)
	lines := &Config{}
	lines.line(text, 0)
	for _, m := range all {
		folders[m.key] = m
	}
	for _, folder := range wire.SortedKeys(folders) {
		servers := at(folders[folder], "mcpServers")
		entries, _ := members(servers.value, servers.at)
		f := &Found{Program: l.program, Title: l.title, File: l.file, Project: folder}
		f.ends = lines.ends // those of the file, which has many projects
		f.add(text, entries, &Server{Source: l.file, Scope: "local", base: folder})
		f.ends = nil
		for _, s := range f.Servers {
			s.project = folder
		}
		list = append(list, f)
	}
	return list
}
