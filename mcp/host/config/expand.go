package config

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// Vars provides the values of variables. The zero value and nil use the
// environment and have no inputs.
type Vars struct {
	// Lookup returns the value of a variable. The default is os.LookupEnv.
	Lookup func(name string) (value string, ok bool)

	// Input returns the value of ${input:id}, for example by asking the user.
	// If it is nil, an input is an error.
	Input func(ctx context.Context, id string) (string, error)

	// Home replaces a leading ~. The default is os.UserHomeDir.
	Home string
}

// Expand returns a copy of s that is ready to be started: variables and a leading ~
// are replaced once, environment files are read, and the token is in its header.
// For an entry of a project's file that was not trusted, the error matches [ErrUntrusted].
// Relative paths are relative to the folder of the project, as [Load] describes, or,
// if a program made the Server, to the working directory of the process. v may be
// nil. The values of all variables together have at most 4 MiB. Errors name a field and
// contain no values.
func (s *Server) Expand(ctx context.Context, v *Vars) (*Server, error) {
	if s.untrusted {
		return nil, ErrUntrusted
	}
	x := newExpansion(ctx, s, v)
	x.server()
	if x.err != nil {
		return nil, x.err
	}
	x.out.hidden = &display.Cache{}
	return x.out, nil
}

// An expansion is the state of one Expand. It keeps the first error.
type expansion struct {
	Vars
	ctx  context.Context // for Input
	out  *Server
	err  error
	own  map[string]string // the variables that the entry sets, for its other fields
	size int               // of the values of variables so far, in bytes

	files *fileEnv // of the Server
}

func newExpansion(ctx context.Context, s *Server, v *Vars) *expansion {
	x := &expansion{ctx: ctx, out: s.copy(), files: s.files}
	if v != nil {
		x.Vars = *v
	}
	if x.Lookup == nil {
		x.Lookup = os.LookupEnv
	}
	return x
}

//go:noinline
func (x *expansion) fail(field string, err error) {
	if x.err == nil && err != nil {
		x.err = newFieldError(field, err)
	}
}

// slashes separates the parts of a path.
const slashes = "/" + string(os.PathSeparator)

func (x *expansion) server() {
	s := x.out
	x.env()
	s.secretArgs(s.Args) // as they are written
	s.texts(func(field, _, text string) string {
		switch field {
		case "command", "args", "cwd":
			return x.path(field, text)
		}
		return x.text(field, text)
	})
	s.secretArgs(s.Args)
	if wire.IndexAny(s.Command, slashes) >= 0 {
		s.Command = s.absolute(s.Command)
	}
	if s.Dir = s.absolute(s.Dir); s.Dir == "" {
		s.Dir = s.project
	}
	for _, v := range s.Env {
		if key, value, _ := cut(v, "="); !isLocation(key) {
			s.secrets = append(s.secrets, value)
			s.secretArgs([]string{value}) // the password in the URL of a database
		}
	}
	if s.InheritEnv {
		for _, v := range os.Environ() {
			if key, value, _ := cut(v, "="); diag.IsSecretName(key) && !isLocation(key) && !exists(value) {
				s.secrets = append(s.secrets, value)
			}
		}
	}
	s.secretURL(s.URL)
	s.secrets = append(s.secrets, s.Auth.Token, s.Auth.OAuth.ClientSecret)
	for _, name := range wire.SortedKeys(s.Headers) {
		_, token, _ := cut(s.Headers[name], " ")
		s.secrets = append(s.secrets, s.Headers[name], token)
	}
	x.fail("headers", checkHeaders(s.Headers))
	if name := s.authHeader(); s.Auth.Token != "" && !s.hasHeader(name) {
		s.Headers[name] = s.Auth.Token
		if s.Auth.Type == AuthBearer {
			s.Headers[name] = "Bearer " + s.Auth.Token
		}
		x.fail("auth", checkHeaders(s.Headers))
	}
}

// env reads the files of variables and expands Env.
func (x *expansion) env() {
	s := x.out
	var env []string
	for i, name := range s.EnvFiles {
		if name = s.absolute(x.path("envFile", name)); x.err != nil {
			return
		}
		lines, err := s.fileLines(i, name)
		x.fail("envFile", err)
		for _, line := range lines {
			x.count("envFile", line)
		}
		env = append(env, lines...)
	}
	for _, v := range s.Env {
		key, value, ok := cut(v, "=")
		if ok {
			value = x.text("env", value)
		} else if _, ok = x.Lookup(key); ok {
			value = x.variable("env", key)
		} else {
			continue // a variable that is not set is not passed on
		}
		if strings.IndexByte(value, 0) >= 0 {
			x.fail("env", diag.Message("must have no NUL in the value of "+wire.Quote(key)))
		}
		env = append(env, key+"="+value)
	}
	s.Env, s.EnvFiles, s.files = env, nil, nil
	x.own = make(map[string]string, len(env))
	for _, v := range env {
		key, value, _ := cut(v, "=")
		x.own[key] = value
	}
}

// path expands a text that may begin with ~.
func (x *expansion) path(field, text string) string {
	rest, ok := strings.CutPrefix(text, "~")
	if !ok || rest != "" && rest[0] != '/' && rest[0] != os.PathSeparator {
		return x.text(field, text)
	}
	home, err := x.home()
	x.fail(field, err)
	return home + x.text(field, rest)
}

// text replaces the variables in a text. It does not expand their values, and
// treats them as secrets.
func (x *expansion) text(field, text string) string {
	if x.out.Literal {
		return text
	}
	var done []byte
	rest := eachReference(text, func(before, ref, name string) {
		done = append(done, before...)
		if x.err != nil {
			done = append(done, ref...)
			return
		}
		done = append(done, x.variable(field, name)...)
	})
	return string(append(done, rest...))
}

// variable returns the value of a variable, which is a secret. It fails if the values are
// too long in all.
func (x *expansion) variable(field, name string) string {
	value, err := x.value(name)
	x.fail(field, err)
	x.count(field, value)
	if !isLocation(name) {
		x.out.secrets = append(x.out.secrets, value)
	}
	return value
}

// count fails if the values of variables are too long in all.
func (x *expansion) count(field, value string) {
	if x.size += len(value); x.size > maxFile {
		x.fail(field, diag.Message("has variables whose values are longer than 4 MiB, together with those of other fields"))
	}
}

// isLocation reports whether a variable contains a path, or describes the session of a
// desktop, which error messages may show.
func isLocation(name string) bool {
	switch name = strings.TrimPrefix(name, "env:"); name {
	case "HOME", "USERPROFILE", "PWD", "OLDPWD", "PATH", "TMPDIR", "TEMP", "TMP", "userHome", "workspaceFolder",
		"workspaceFolderBasename", "pathSeparator", "/", escape, "$",
		"DESKTOP_SESSION", "GDMSESSION", "SESSION_MANAGER", "SESSIONNAME", "DBUS_SESSION_BUS_ADDRESS":
		return true
	}
	return strings.HasPrefix(name, "XDG_")
}

// exists reports whether text is the path of a file, such as the socket of an agent
// for SSH keys.
func exists(text string) bool {
	if !filepath.IsAbs(text) {
		return false
	}
	_, err := os.Lstat(text)
	return err == nil
}

// eachReference calls f for each reference to a variable in text, with the text between
// the last one and this one. It returns the text after all of them.
func eachReference(text string, f func(before, ref, name string)) (rest string) {
	last := strings.LastIndexByte(text, '}') // after it, each ${ would be sought to the end of a long text
	done, at := 0, 0
	for {
		i := strings.IndexByte(text[at:], '$')
		if i < 0 {
			return text[done:]
		}
		at += i
		name, size := "", 0
		if strings.HasPrefix(text[at:], "$${") {
			name, size = escape, len("$${")
		} else if at < last || !strings.HasPrefix(text[at:], "${") {
			name, size = settings.Reference(text[at:])
		}
		if size == 0 {
			at++
			continue
		}
		f(text[done:at], text[at:at+size], name)
		at += size
		done = at
	}
}

// escape is the name of $${, which stands for a literal ${: no other reference has it. The
// reference ${$} stands for a $ before another one.
const escape = "}"

// parseReference returns the variable that V, V:-default, env:V or env:V | value:x
// names, and the value in place of one that is not set.
func parseReference(ref string) (name, fallback string, ok bool) {
	name, fallback, ok = cut(ref, ":-")
	if rest, isEnv := strings.CutPrefix(name, "env:"); isEnv {
		name = rest
		if first, second, more := cut(rest, "|"); more && !ok {
			name = first
			fallback, ok = strings.CutPrefix(wire.Trim(second), "value:")
		}
	}
	return wire.Trim(name), fallback, ok
}

// value returns the value of a reference to a variable, or of input:x.
func (x *expansion) value(ref string) (string, error) {
	if id, ok := strings.CutPrefix(ref, "input:"); ok {
		if x.Input == nil {
			return "", diag.Message("asks for the input " + quoteCut(id) + ", but Vars.Input is nil")
		}
		v, err := x.Input(x.ctx, id)
		if err != nil {
			return "", diag.Op("asks for the input "+quoteCut(id), err)
		}
		return v, nil
	}
	switch ref {
	case escape:
		return "${", nil
	case "$":
		return ref, nil
	}
	if path, ok := strings.CutPrefix(ref, "file:"); ok {
		return x.file(path)
	}
	name, fallback, ok := parseReference(ref)
	if v, set := x.lookup(name); set && (v != "" || !ok) {
		return v, nil
	}
	if ok {
		return fallback, nil
	}
	return "", diag.Message("needs the variable " + quoteName(name) + ", which is not set")
}

// lookup returns a variable of the entry, of the program, or of the dialects of editors.
func (x *expansion) lookup(name string) (value string, ok bool) {
	if value, ok = x.own[name]; ok {
		return value, true
	}
	if value, ok = x.Lookup(name); ok {
		return value, true
	}
	var err error
	switch name {
	case "userHome":
		value, err = x.home()
	case "workspaceFolder", "workspaceFolderBasename":
		value, err = x.out.workspace()
		if name != "workspaceFolder" {
			value = filepath.Base(value)
		}
	case "pathSeparator", "/":
		value = string(os.PathSeparator)
	default:
		return "", false
	}
	return value, err == nil
}

func (x *expansion) home() (string, error) {
	if x.Home != "" {
		return x.Home, nil
	}
	return os.UserHomeDir()
}

// maxReferenced is the maximum size in bytes of a file whose content is a value.
const maxReferenced = 64 << 10

// file returns the content of a file, without blanks around it. It fails if the user was
// asked about another content or another file.
func (x *expansion) file(path string) (string, error) {
	text, leads, _, err := x.readReference(path)
	if shown := x.files.reference(path); err == nil && shown != nil && (shown.unread || shown.text != text && shown.code || shown.leads != leads) {
		err = errOtherFile
	}
	return text, err
}

// readReference returns the content of a file, where a link in the project leads, and where
// the file is.
func (x *expansion) readReference(path string) (text, leads, at string, err error) {
	relative := !filepath.IsAbs(path) && !strings.HasPrefix(path, "~")
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		home, err := x.home()
		if err != nil {
			return "", "", "", err
		}
		path = home + rest
	}
	if relative {
		folder, _ := filepath.EvalSymlinks(x.out.absolute("."))
		if real, err := filepath.EvalSymlinks(x.out.absolute(path)); err == nil && real != filepath.Join(folder, path) {
			leads, path = real, real
		}
	}
	at = x.out.absolute(path)
	data, err := readFile(at)
	if err == nil && len(data) > maxReferenced {
		err = diag.Message("the file is larger than 64 KiB")
	}
	return wire.Trim(string(data)), leads, at, err
}

// readEnvFile reads lines of KEY=value. It ignores blank lines, lines that
// begin with #, a leading "export", quotes around values, and comments after values. In
// double quotes, \n is a line break.
func readEnvFile(name string) (env []string, err error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	text := string(data)
	for n := 1; text != ""; n++ {
		var line string
		line, text, _ = cut(text, "\n")
		line = wire.Trim(strings.TrimPrefix(line, "\uFEFF"))
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := cut(strings.TrimPrefix(line, "export "), "=")
		if key = wire.Trim(key); !ok || !isName(key) || strings.IndexByte(value, 0) >= 0 {
			return nil, diag.Message("line " + strconv.Itoa(n) + " of " + name + " is not KEY=value")
		}
		env = append(env, key+"="+unquoteEnv(wire.Trim(value)))
	}
	return env, nil
}

// unquoteEnv returns a value of a file of variables without quotes, and without the comment
// after it.
func unquoteEnv(value string) string {
	if value == "" {
		return ""
	}
	if quote := value[:1]; quote == `"` || quote == "'" {
		for end := 1; end < len(value); end++ {
			if value[end] != quote[0] {
				continue
			}
			if rest := wire.Trim(value[end+1:]); rest != "" && rest[0] != '#' {
				continue
			}
			if value = value[1:end]; quote == `"` {
				value = strings.ReplaceAll(value, `\n`, "\n")
			}
			return value
		}
	}
	for i := 1; i < len(value); i++ {
		if value[i] == '#' && (value[i-1] == ' ' || value[i-1] == '\t') {
			return wire.Trim(value[:i])
		}
	}
	return value
}
