package config

import (
	"os"
	"path/filepath"
	"strings"

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

// setBase sets the folder for relative paths. In a file of a project, it is also what
// ${workspaceFolder} stands for; in one of the user's, that is where the host works.
func (s *Server) setBase(folder string) {
	if s.base = folder; s.Scope != "user" {
		s.folder = folder
	}
}

// workspace returns the folder of the project.
func (s *Server) workspace() (string, error) {
	switch {
	case s.folder != "":
		return s.folder, nil
	case s.project != "":
		return s.project, nil
	}
	return os.Getwd()
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
