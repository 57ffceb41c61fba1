package stdio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/stdmcp/stdmcp/internal/batch"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// The variables that programs need and that hold no secrets other than the user
// and password of a proxy, which errors do not quote. XDG_* and LC_* are passed,
// too.
var (
	commonEnv = []string{
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "LANG", "LANGUAGE", "TZ",
	}
	posixEnv   = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"}
	windowsEnv = []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME",
		"USERPROFILE", "WINDIR",
	}
)

func (t *Transport) command() (*exec.Cmd, error) {
	if !canStart {
		return nil, diag.Op("no processes on "+runtime.GOOS, errors.ErrUnsupported)
	}
	env, err := t.environ()
	if err != nil {
		return nil, err
	}
	if t.Dir != "" {
		// The error of Start would name the program.
		if f, err := os.Stat(t.Dir); err != nil {
			return nil, diag.Op("working directory", err)
		} else if !f.IsDir() {
			return nil, &os.PathError{Op: "chdir", Path: t.Dir, Err: syscall.ENOTDIR}
		}
	}
	cmd := &exec.Cmd{Path: t.Name, Args: append([]string{t.Name}, t.Args...)}
	if filepath.Base(t.Name) == t.Name {
		path, _ := lookup(env, "PATH")
		cmd.Path, cmd.Err = lookPath(t.Name, path)
	}
	cmd.Dir, cmd.Env, cmd.SysProcAttr = t.Dir, env, attributes()
	return cmd, batch.Prepare(cmd)
}

func lookup(env []string, name string) (value string, found bool) {
	for _, entry := range env {
		key, v, _ := strings.Cut(entry, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			value, found = v, true // the last one takes effect
		}
	}
	return value, found
}

// notPassed returns the variables that reason, a text of the server, names, that are
// set in this process, and that the server did not get: up to 5, in the first 8 KiB.
// It ignores variables with names that look like ordinary words.
func (p *process) notPassed(reason string) (names []string) {
	if p.env == nil {
		return nil
	}
	before, after, _ := strings.Cut(reason, p.server)
	reason = before + after
	for reason = reason[:min(len(reason), 8<<10)]; reason != "" && len(names) < 5; {
		n := 0
		for n < len(reason) && isNameByte(reason[n]) {
			n++
		}
		name := reason[:n]
		reason = reason[min(n+1, len(reason)):]
		if looksLikeVariable(name) && os.Getenv(name) != "" && !slices.Contains(names, name) {
			if _, passed := lookup(p.env, name); !passed {
				names = append(names, name)
			}
		}
	}
	return names
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func looksLikeVariable(name string) bool {
	return len(name) > 2 && (wire.IndexAny(name, "_0123456789") >= 0 || wire.IndexAny(name, "abcdefghijklmnopqrstuvwxyz") < 0)
}

// lookPath does what [exec.LookPath] does, but in a given path.
func lookPath(name, path string) (string, error) {
	dirs := filepath.SplitList(path)
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if !filepath.IsAbs(file) {
			file = "." + string(filepath.Separator) + file // or it would be looked up
		}
		found, err := exec.LookPath(file)
		if err != nil {
			continue
		}
		if !filepath.IsAbs(found) {
			err = diag.Op(found, exec.ErrDot)
		}
		return found, err
	}
	if len(dirs) == 0 {
		return name, diag.Error("the program was not found: its PATH is empty", exec.ErrNotFound, nil)
	}
	text := "the program was not found; searched"
	for i, dir := range dirs {
		if !slices.Contains(dirs[:i], dir) {
			text += " " + dir + ","
		}
	}
	text = text[:len(text)-1] + "; install it, add its folder to PATH, or use its full path"
	return name, diag.Error(text, exec.ErrNotFound, nil)
}

func isPassed(name string) bool {
	names := posixEnv
	if runtime.GOOS == "windows" {
		name, names = strings.ToUpper(name), windowsEnv
	}
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") || slices.Contains(commonEnv, name) || slices.Contains(names, name)
}

// environ returns the child's environment. It is never nil, as that would mean
// the whole environment of this process.
func (t *Transport) environ() ([]string, error) {
	env := []string{}
	if t.InheritEnv {
		env = os.Environ()
	} else {
		for _, entry := range os.Environ() {
			name, value, _ := strings.Cut(entry, "=")
			// Old versions of bash export functions with such values.
			if isPassed(name) && !strings.HasPrefix(value, "()") {
				env = append(env, entry)
			}
		}
	}
	for i, entry := range t.Env {
		// The error must not show a value, and an entry without a key may be
		// one as a whole.
		key, _, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			return nil, errors.New("Env[" + strconv.Itoa(i) + "] is not of the form KEY=value")
		}
		if strings.IndexByte(entry, 0) >= 0 {
			return nil, errors.New("environment variable " + wire.Quote(key) + " contains a NUL byte")
		}
	}
	return append(env, t.Env...), nil
}
