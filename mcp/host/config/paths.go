package config

import (
	"path/filepath"
	"strings"
	"time"
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
func (x *expansion) absolute(path string) string {
	if base := x.out.base; base != "" && path != "" && !filepath.IsAbs(path) {
		return filepath.Join(base, path)
	}
	return path
}
