package stdio

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// What programs need of the environment and what holds no secrets.
var (
	posixEnv   = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
	windowsEnv = []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME",
		"USERPROFILE", "WINDIR",
	}
)

// command returns what is to be started, still without its standard streams.
func (t *Transport) command() (*exec.Cmd, error) {
	if !canStart {
		return nil, diag.Op("no processes on "+runtime.GOOS, errors.ErrUnsupported)
	}
	env, err := t.environ()
	if err != nil {
		return nil, err
	}
	if t.Dir != "" {
		// Otherwise the error would blame the program.
		if f, err := os.Stat(t.Dir); err != nil {
			return nil, err
		} else if !f.IsDir() {
			return nil, &os.PathError{Op: "chdir", Path: t.Dir, Err: errNotDir}
		}
	}
	cmd := exec.Command(t.Name, t.Args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = t.Dir, env, attributes()
	return cmd, nil
}

var errNotDir = errors.New("not a directory")

// environ returns the child's environment, which is never nil: that would mean
// all of ours.
func (t *Transport) environ() ([]string, error) {
	env := []string{}
	if t.InheritEnv {
		env = os.Environ()
	} else {
		names := posixEnv
		if runtime.GOOS == "windows" {
			names = windowsEnv
		}
		for _, name := range names {
			// A value that starts like this is a function that bash exported.
			if v, ok := os.LookupEnv(name); ok && !strings.HasPrefix(v, "()") {
				env = append(env, name+"="+v)
			}
		}
	}
	for i, entry := range t.Env {
		// The message must not show a value, and without a key all of the
		// entry may be one.
		key, _, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			return nil, errors.New("Env[" + strconv.Itoa(i) + "] is not of the form KEY=value")
		}
		if strings.IndexByte(entry, 0) >= 0 {
			return nil, errors.New("environment variable " + wire.Quote(key) + " holds a NUL")
		}
	}
	return append(env, t.Env...), nil
}
