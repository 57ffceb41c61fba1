package config

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// projectFolder returns the folder of the project that a file belongs to: the
// file's folder, or the one above if that is a hidden folder such as .vscode.
// It returns "" for a file without an absolute path.
func projectFolder(file string) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Dir(file)
	if filepath.Base(dir)[0] == '.' {
		dir = filepath.Dir(dir)
	}
	return dir
}

// unitOf returns the unit of timeouts in a file whose name tells the program that
// it is for, or 0.
func unitOf(file string) time.Duration {
	file = "/" + filepath.ToSlash(file)
	switch {
	case strings.HasSuffix(file, "/.claude.json"), strings.Contains(file, "/.claude/"), strings.Contains(file, "/.gemini/"):
		return time.Millisecond
	case strings.Contains(file, "/.nanobot/"), strings.Contains(file, "/nanobot."):
		return time.Second
	}
	return 0
}

// absolute returns a path of the settings, relative to base.
func (s *Server) absolute(path string) string {
	if s.base != "" && path != "" && !filepath.IsAbs(path) {
		return filepath.Join(s.base, path)
	}
	return path
}

// resolve makes the paths absolute that are relative to the file: in the file that they
// are copied to, they would name other programs. It leaves those that begin with a
// variable or ~.
func (s *Server) resolve() {
	paths := []*string{&s.Dir}
	if wire.IndexAny(s.Command, slashes) >= 0 {
		paths = append(paths, &s.Command)
	}
	for i := range s.EnvFiles {
		paths = append(paths, &s.EnvFiles[i])
	}
	for _, path := range paths {
		if !strings.HasPrefix(*path, "~") && !strings.HasPrefix(*path, "$") {
			*path = s.absolute(*path)
		}
	}
}
