package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// ErrUntrusted is the error of [Server.Expand], and thus of a host, for an entry of a
// project's file that the program has not trusted.
var ErrUntrusted error = diag.Message("the file of the project is not trusted: show Server.Effects to the user, then use Config.Trust or Server.Trust")

// Trust asks about each server that needs an answer, and trusts those for which ask
// returns true: an entry of a project's file can run any program, or send the user's
// secrets to any URL. It replaces them in c.Servers; a host does not start the others.
// ask shows the lines of [Server.Effects] to the user and returns the answer. It is not
// called for a disabled server. Without ask, Trust trusts none.
//
// A program that remembers an answer remembers it for the Effects, and asks again when
// they change.
func (c *Config) Trust(ask func(s *Server) bool) {
	for i, s := range c.Servers {
		if ask != nil && !s.Trusted() && !s.Disabled && ask(s) {
			c.Servers[i] = s.Trust()
		}
	}
}

// Trusted reports whether a host may start the server. An entry with the scope
// "project" of [Load], [Parse] or [Discover] is not trusted before Trust.
func (s *Server) Trusted() bool { return !s.untrusted }

// Trust returns a copy of s that a host may start. The EnvFiles of the copy are what the
// user saw, or what they contain now.
func (s *Server) Trust() *Server {
	c := *s
	c.untrusted = false
	if c.files != nil {
		s.readFiles()
	}
	return &c
}

// A fileEnv holds what the EnvFiles of a Server and its copies contained when Effects or
// Trust read them. Expand uses that, and not what others may have written since.
type fileEnv struct {
	mu    lock.Mutex
	files []envFile             // nil before; guarded by mu
	refs  map[string]*reference // by the paths in ${file:PATH}; guarded by mu
	size  int                   // of the files of refs in bytes; guarded by mu
}

// A reference is a file that an entry refers to, as Effects read it.
type reference struct {
	text, leads string // see readReference; no text unless it is code
	code        bool   // the content is not only a secret: it may decide what runs, and where the server is
	outside     bool   // see isOutside
	unread      bool   // there is none, or the files before it have more than Expand takes
}

type envFile struct {
	path  string
	lines []string
	err   error
}

// readFiles returns the contents of EnvFiles, and reads them unless that was done.
func (s *Server) readFiles() []envFile {
	if read := s.files.read(); read != nil || len(s.EnvFiles) == 0 {
		return read
	}
	files := make([]envFile, len(s.EnvFiles))
	for i, name := range s.EnvFiles {
		x := newExpansion(context.Background(), s, nil)
		f := &files[i]
		f.path = s.absolute(x.path("envFile", name))
		if f.err = x.err; f.err == nil {
			f.lines, f.err = readEnvFile(f.path)
		}
	}
	f := s.files
	if f == nil { // a program made the Server
		return files
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = files
	}
	return f.files
}

func (f *fileEnv) read() []envFile {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files
}

func (f *fileEnv) reference(path string) *reference {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refs[path]
}

// showFile returns what the user sees of a file that an entry of a project's file refers
// to: where it leads, and the content if it is code. Expand accepts no other.
func (s *Server) showFile(path string, code bool) (line string) {
	if s.files == nil {
		return ""
	}
	r := s.files.reference(path)
	if r == nil {
		s.files.mu.Lock()
		r = &reference{code: code, unread: s.files.size > maxFile}
		s.files.mu.Unlock()
		size := 0
		if !r.unread {
			at := ""
			var err error
			r.text, r.leads, at, err = (&expansion{out: s}).readReference(path)
			r.unread = code && err != nil
			r.outside = s.isOutside(at)
			size = len(r.text)
		}
		if !code {
			r.text = "" // may change
		}
		s.files.mu.Lock()
		s.files.size += size
		if s.files.refs == nil {
			s.files.refs = make(map[string]*reference)
		}
		s.files.refs[path] = r
		s.files.mu.Unlock()
	}
	if r.leads != "" {
		line = ", a link to " + r.leads
	}
	switch {
	case r.unread:
		line += ", which is not read"
	case r.code && r.outside:
		line += ", which is outside of the project"
	case r.code:
		line += ", which is " + strconv.Quote(r.text)
	}
	return line
}

// codeReferences returns the references that are used for something else than a secret.
// used are the usedVariables.
func (s *Server) codeReferences(used map[string]bool) map[string]bool {
	code := make(map[string]bool)
	add := func(text string) {
		eachReference(text, func(_, _, name string) { code[name] = true })
	}
	for _, v := range s.Env {
		if name, value, _ := cut(v, "="); !isOnlySecret(name, used) {
			add(value)
		}
	}
	s.eachPublic(add)
	return code
}

// usedVariables returns the names of the variables to which something else than a secret
// refers, or that a script names: they may decide what runs, and where the server is.
func (s *Server) usedVariables() map[string]bool {
	used := make(map[string]bool)
	add := func(text, self string) {
		eachReference(text, func(_, _, name string) {
			if name, _, _ = parseReference(name); name != self {
				used[name] = true
			}
		})
		if isPlainWord(text) && wire.IndexAny(text, "$%") < 0 {
			return // no shell or interpreter replaces a part of it
		}
		for text != "" { // the names in a script
			n := nameLength(text)
			if name := text[:n]; name != self {
				used[name] = true
			}
			text = text[max(1, n):]
		}
	}
	for _, v := range s.Env {
		name, value, _ := cut(v, "=")
		add(value, name)
	}
	s.eachPublic(func(text string) { add(text, "") })
	return used
}

// isOnlySecret reports whether a variable of the server is a secret and no more.
func isOnlySecret(name string, used map[string]bool) bool {
	return endsSecret(name) && !used[name] && !strings.HasPrefix(name, "BASH_FUNC_") // which is a script
}

// eachPublic calls f for the texts of s, except for variables and what is only a secret.
func (s *Server) eachPublic(f func(text string)) {
	for _, file := range s.EnvFiles {
		f(file)
	}
	last := ""
	s.copy().texts(func(field, _, text string) string {
		switch field {
		case "headers", "auth", "oauth.clientSecret":
			return text
		case "args":
			flag, _, joined := cut(text, "=")
			if !strings.HasPrefix(flag, "-") {
				flag = last
			}
			if last = text; joined {
				last = "" // what follows is not its value
			}
			if strings.HasPrefix(flag, "--") && (endsSecret(flag) || flag == "--header") {
				return text
			}
		}
		f(text)
		return text
	})
}

// isOutside reports whether a file is not in the folder of the project. It may be a secret of
// the user, which must not be in the question: a program that cannot ask prints the question
// to a log.
func (s *Server) isOutside(path string) bool {
	folder, err := filepath.EvalSymlinks(s.absolute("."))
	real, missing := filepath.EvalSymlinks(path)
	rel, other := filepath.Rel(folder, real)
	return missing == nil && (err != nil || other != nil || !filepath.IsLocal(rel))
}

func (s *Server) takesFile() bool {
	return slices.ContainsFunc(s.taken(), func(name string) bool { return strings.HasPrefix(name, "file:") })
}

// equal reports whether both have the same contents, or one was not read.
func (f *fileEnv) equal(o *fileEnv) bool {
	a, b := f.read(), o.read()
	if a == nil || b == nil {
		return true
	}
	for i := range a {
		if i >= len(b) || !slices.Equal(a[i].lines, b[i].lines) || (a[i].err == nil) != (b[i].err == nil) {
			return false
		}
	}
	return len(a) == len(b)
}

const errOtherFile = diag.Message("is another file than the user was asked about")

// fileLines returns the variables in the file with index i of EnvFiles, whose path is name.
func (s *Server) fileLines(i int, name string) ([]string, error) {
	read := s.files.read()
	if read == nil {
		return readEnvFile(name)
	}
	switch {
	case i >= len(read) || read[i].err == nil && read[i].path != name:
		return nil, errOtherFile
	case read[i].err != nil:
		return nil, diag.Op("when it was shown to the user", read[i].err)
	}
	return read[i].lines, nil
}

// reason returns why a file could not be read, without its path.
func (f *envFile) reason() string {
	if p, ok := diag.Find[*os.PathError](f.err); ok {
		if errors.Is(p, os.ErrNotExist) {
			return "does not exist"
		}
		return "cannot be read: " + p.Err.Error()
	}
	return "cannot be read: " + f.err.Error()
}
