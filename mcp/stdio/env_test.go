package stdio

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// seenBy returns the environment and the working directory that a child sees.
func seenBy(t *testing.T, tr *Transport) []string {
	t.Helper()
	tr.Env = append(tr.Env, child("env").Env...)
	p := open(t, tr)
	var got []string
	for {
		msg, err := p.Read()
		if err != nil {
			return got
		}
		got = append(got, strings.Trim(string(msg), `{}"`))
	}
}

func TestDefaultEnvironment(t *testing.T) {
	t.Setenv("STDIO_TEST_SECRET", "secret")
	t.Setenv("TERM", "() { evil; }")
	t.Setenv("USER", "somebody")
	tr := child("env")
	tr.Env = []string{"EXTRA=1=2", "USER=nobody"}
	got := seenBy(t, tr)
	for _, want := range []string{"EXTRA=1=2", "USER=nobody", "PATH=" + os.Getenv("PATH")} {
		if !slices.Contains(got, want) && runtime.GOOS != "windows" {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, v := range got {
		key, _, _ := strings.Cut(v, "=")
		if strings.Contains(v, "secret") || v == "USER=somebody" || key == "TERM" {
			t.Errorf("the child was given %s", v)
		}
	}
}

// TestProxyAndCertificatesArePassed: behind a company proxy npx needs them.
func TestProxyAndCertificatesArePassed(t *testing.T) {
	names := []string{"HTTP_PROXY", "https_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"LANG", "LC_MESSAGES", "TMPDIR", "XDG_CACHE_HOME"}
	for _, name := range names {
		t.Setenv(name, "value-of-"+name)
	}
	t.Setenv("HTTPX_PROXY", "other")
	t.Setenv("MY_XDG_TOKEN", "other")
	env, err := new(Transport).environ()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains(env, name+"=value-of-"+name) && runtime.GOOS != "windows" {
			t.Errorf("%s is not passed", name)
		}
	}
	if strings.Contains(strings.Join(env, "\n"), "other") {
		t.Errorf("passed: %q", env)
	}
}

func TestInheritEnv(t *testing.T) {
	t.Setenv("STDIO_TEST_SECRET", "secret")
	tr := child("env")
	tr.InheritEnv = true
	if got := seenBy(t, tr); !slices.Contains(got, "STDIO_TEST_SECRET=secret") {
		t.Errorf("not inherited: %q", got)
	}
}

func TestEnvironmentIsNeverNil(t *testing.T) {
	for _, entry := range os.Environ() {
		key, value, _ := strings.Cut(entry, "=")
		if isPassed(key) {
			t.Setenv(key, value) // has it restored
			os.Unsetenv(key)
		}
	}
	if env, err := new(Transport).environ(); env == nil || len(env) > 0 || err != nil {
		t.Errorf("%#v, %v", env, err)
	}
}

// TestNotPassed: only variables that are set here and were not passed, as whole words
// that can only be variables.
func TestNotPassed(t *testing.T) {
	for _, name := range []string{"STDIO_TEST_KEY", "STDIO_TEST_GIVEN", "STDIOTOKEN", "stdio_test_lower", "StdioWord", "ST", "Stdio2"} {
		t.Setenv(name, "value-of-"+name)
	}
	t.Setenv("STDIO_TEST_EMPTY", "")
	for i := range 9 {
		t.Setenv("STDIO_TEST_"+strconv.Itoa(i), "x")
	}
	tr := child("echo")
	tr.Env = append(tr.Env, "STDIO_TEST_GIVEN=1", "STDIO_TEST_BLANK=")
	tr.Args = []string{"STDIOTOKEN"}
	t.Setenv("STDIO_TEST_BLANK", "here")
	p := open(t, tr)
	for reason, want := range map[string]string{
		"":               "",
		"STDIO_TEST_KEY": "STDIO_TEST_KEY",
		"set $STDIO_TEST_KEY, STDIO_TEST_KEY or `STDIOTOKEN`.":                          "STDIO_TEST_KEY STDIOTOKEN",
		"process.env.stdio_test_lower is not set; Stdio2=?":                             "stdio_test_lower Stdio2",
		"STDIO_TEST_GIVEN STDIO_TEST_BLANK STDIO_TEST_EMPTY":                            "",
		"STDIO_TEST_KEYS MY_STDIO_TEST_KEY xSTDIO_TEST_KEY":                             "",
		"StdioWord ST PATH NO_SUCH_VARIABLE":                                            "",
		p.server + " exited":                                                            "",
		"STDIO_TEST_0 STDIO_TEST_1 STDIO_TEST_2 STDIO_TEST_3 STDIO_TEST_4 STDIO_TEST_5": "STDIO_TEST_0 STDIO_TEST_1 STDIO_TEST_2 STDIO_TEST_3 STDIO_TEST_4",
		strings.Repeat(" ", 8<<10) + "STDIO_TEST_KEY":                                   "",
	} {
		if got := strings.Join(p.notPassed(reason), " "); got != want {
			t.Errorf("%.80s: %q, want %q", reason, got, want)
		}
	}
	all := child("echo")
	all.InheritEnv = true
	if got := open(t, all).notPassed("STDIO_TEST_KEY"); got != nil {
		t.Errorf("with InheritEnv: %q", got)
	}
	started := child("echo") // in a sandbox with variables of its own
	started.Start = func(cmd *exec.Cmd) error {
		cmd.Env = append(cmd.Env, "STDIO_TEST_KEY=other")
		return cmd.Start()
	}
	if got := open(t, started).notPassed("STDIO_TEST_KEY"); got != nil {
		t.Errorf("Start passed it: %q", got)
	}
}

func TestBadEnvironment(t *testing.T) {
	for entry, want := range map[string]string{
		"secret":           "Env[1] is not of the form KEY=value",
		"=secret":          "Env[1] is not of the form KEY=value",
		"KEY=\x00secret":   `environment variable "KEY" contains a NUL byte`,
		"KE\x00Y=secret":   `environment variable "KE\x00Y" contains a NUL byte`,
		"\x00secret":       "Env[1] is not of the form KEY=value",
		"KEY=secret\x00=x": `environment variable "KEY" contains a NUL byte`,
	} {
		tr := child("echo")
		tr.Env = []string{"A=1", entry}
		_, err := tr.Open(context.Background(), jsonrpc.Handler{})
		if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", entry, err)
		}
	}
}

func TestDir(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tr := child("env")
	tr.Dir = dir
	if got := seenBy(t, tr); runtime.GOOS != "windows" && !slices.Contains(got, "cwd "+dir) {
		t.Errorf("not in %s: %q", dir, got)
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	in := func(dir string) *Transport {
		tr := child("echo")
		tr.Dir = dir
		return tr
	}
	unknown, forbidden := fs.ErrNotExist, fs.ErrPermission
	if runtime.GOOS == "windows" { // whether a file is a program is in its name
		unknown, forbidden = exec.ErrNotFound, exec.ErrNotFound
	}
	for name, tt := range map[string]struct {
		tr   *Transport
		want error
		text string
	}{
		"unknown program": {Command("no-such-program", "-x"), exec.ErrNotFound, `start server "no-such-program -x": `},
		"unknown path":    {Command(file + "-not"), unknown, "plain-not"},
		"not executable":  {Command(file), forbidden, "plain"},
		"no program":      {new(Transport), nil, "Name"},
		"unknown Dir":     {in(file + "-not"), fs.ErrNotExist, "working directory: "},
		"Dir is a file":   {in(file), syscall.ENOTDIR, "plain"},
	} {
		_, err := tt.tr.Open(context.Background(), jsonrpc.Handler{})
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenWithEndedContext(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := Command("no-such-program").Open(ctx, jsonrpc.Handler{}); !errors.Is(err, why) {
		t.Error(err)
	}
}

// TestProgramIsFoundInItsOwnPath: the PATH of this process does not matter.
func TestProgramIsFoundInItsOwnPath(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), "stdio-test-program"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	testutil.PutProgram(t, exe, filepath.Join(dir, name))
	empty := t.TempDir()
	tr := Command("stdio-test-program")
	path := "PATH=" + empty + string(filepath.ListSeparator) + dir
	tr.Env = append(child("echo").Env, "PATH=nowhere", path)
	call(t, open(t, tr))

	t.Setenv("PATH", dir)
	tr.Env = nil
	tr.Env = child("echo").Env
	call(t, open(t, tr))

	tr.Env = []string{"PATH=" + empty + string(filepath.ListSeparator) + empty}
	_, err = tr.Open(t.Context(), jsonrpc.Handler{})
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "not found; searched "+empty+"; ") {
		t.Error(err)
	}
	sep := string(filepath.ListSeparator)
	tr.Env = []string{"PATH=" + "/x /opt/a" + sep + "/opt/a"}
	_, err = tr.Open(t.Context(), jsonrpc.Handler{})
	if err == nil || !strings.Contains(err.Error(), "searched /x /opt/a, /opt/a; ") {
		t.Error(err)
	}
	tr.Env = []string{"PATH="}
	_, err = tr.Open(t.Context(), jsonrpc.Handler{})
	if !errors.Is(err, exec.ErrNotFound) || !strings.HasSuffix(err.Error(), "its PATH is empty") {
		t.Error(err)
	}
}

func TestProgramInCurrentDirectoryIsRefused(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(exe))
	tr := Command(filepath.Base(exe))
	tr.Env = []string{"PATH=."}
	if _, err := tr.Open(t.Context(), jsonrpc.Handler{}); !errors.Is(err, exec.ErrDot) {
		t.Error(err)
	}
}
