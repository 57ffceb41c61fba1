package dialers_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// shell returns a program that runs a shell script.
func shell(t *testing.T, script string) *host.Server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("did not run: there is no shell")
	}
	return &host.Server{Name: "x", Type: config.Stdio, Command: "/bin/sh", Args: []string{"-c", script}}
}

// TestConnectErrorsNameTheCause has the same causes with the host and, for
// programs, with a client of its own.
func TestConnectErrorsNameTheCause(t *testing.T) {
	newServer := func(o *testserver.HTTPOptions) *testserver.HTTPServer {
		s, err := testserver.StartHTTP(testserver.New(nil), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	stream := newServer(nil)
	usage := strings.Repeat("echo '  --option  explains itself' >&2;", 40)
	missing := &host.Server{Name: "x", Type: config.Stdio, Command: "no-such-program", Env: []string{"PATH=" + filepath.Join("/opt", "a") + string(filepath.ListSeparator) + filepath.Join("/opt", "b")}}
	for name, tt := range map[string]struct {
		server   *host.Server
		category host.Category
		want     []string
	}{
		"neither at the URL":         {&host.Server{Name: "x", URL: stream.URL + "/nothing"}, host.CategoryConfiguration, []string{"over http, then sse (check that this is the URL of an MCP server, path included): "}},
		"program not in its PATH":    {missing, host.CategoryConfiguration, []string{"searched " + filepath.Join("/opt", "a") + ", " + filepath.Join("/opt", "b") + ";"}},
		"reason before a usage text": {shell(t, "echo starting >&2; echo 'Error: unknown flag' >&2;"+usage+"exit 1"), host.CategoryConnection, []string{"status 1: Error: unknown flag", "explains itself"}},
		"no response":                {shell(t, "echo 'npm error network: use'' a proxy' >&2; exec cat >/dev/null"), host.CategoryConnection, []string{"npm error network: use a proxy"}},
	} {
		t.Run(name, func(t *testing.T) {
			names := func(err error) bool {
				return err != nil && !slices.ContainsFunc(tt.want, func(want string) bool {
					n := strings.Count(err.Error(), want)
					return n == 0 || n > 1 && want != "explains itself"
				})
			}
			timeout := testutil.Timeout
			if name == "no response" {
				timeout = time.Second
			}
			for ; ; timeout *= 4 { // a busy machine may not start the program in time
				errs := connectErrors(t, tt.server, tt.category, timeout)
				if !slices.ContainsFunc(errs, func(err error) bool { return !names(err) }) {
					return
				}
				if timeout >= testutil.Timeout {
					t.Fatalf("%v\nwant each of %q once", errs, tt.want)
				}
			}
		})
	}
}

// connectErrors returns the error of a host that connects to a server and, if the
// server is a program, that of a client.
func connectErrors(t *testing.T, s *host.Server, category host.Category, timeout time.Duration) []error {
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Max: -1}, ConnectTimeout: timeout})
	defer h.Shutdown(context.Background())
	err := h.AddServer(t.Context(), s)
	var e *host.Error
	if !errors.As(err, &e) || e.Category != category {
		t.Fatalf("%+v", err)
	}
	if s.Command == "" {
		return []error{err}
	}
	tr := stdio.Command(s.Command, s.Args...)
	tr.Env = s.Env
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	_, other := mcp.Connect(ctx, tr, nil)
	return []error{err, other}
}

// TestProgramInThePathOfItsSettings: nvm and pyenv install programs in folders
// that only the settings name.
func TestProgramInThePathOfItsSettings(t *testing.T) {
	s := program()
	dir, name := t.TempDir(), "installed-elsewhere"+filepath.Ext(s.Command)
	testutil.PutProgram(t, s.Command, filepath.Join(dir, name))
	s.Command = name
	s.Env = append(s.Env, "PATH="+dir)
	h := newHost(t, nil)
	if err := h.AddServer(t.Context(), s); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentOfPrograms(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "/ca.pem")
	t.Setenv("SSL_CERT_FILE", "/cert.pem")
	t.Setenv("HTTPS_PROXY", "http://joe:sesame@proxy.example:3128")
	t.Setenv("MY_TOKEN", "token-of-another-program")
	script := `echo "error: $NODE_EXTRA_CA_CERTS $SSL_CERT_FILE $HTTPS_PROXY <$MY_TOKEN>" >&2; exit 1`
	for _, inherit := range []bool{false, true} {
		h := host.New(&host.Options{InheritEnv: inherit, Retry: host.Retry{Max: -1}})
		err := h.AddServer(t.Context(), shell(t, script))
		want := "error: /ca.pem /cert.pem http://***@proxy.example:3128 <>"
		if inherit {
			want = strings.Replace(want, "<>", "<***>", 1) // it is set, and a secret
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
		h.Shutdown(context.Background())
	}
}

func TestErrorsNameVariablesThatWereNotPassed(t *testing.T) {
	t.Setenv("MCP_TEST_KEY", "token-of-another-program")
	s := shell(t, `[ -n "$MCP_TEST_KEY" ] || { echo "Error: MCP_TEST_KEY is missing" >&2; exit 1; }; echo "Error: MCP_TEST_KEY is wrong" >&2; exit 1`)
	for _, env := range [][]string{nil, {"MCP_TEST_KEY"}} {
		s.Env = env
		h := host.New(&host.Options{Retry: host.Retry{Max: -1}})
		err := h.AddServer(t.Context(), s)
		advice := `; MCP_TEST_KEY is set here but not passed to servers; add it to "env" of the server`
		if err == nil || strings.HasSuffix(err.Error(), advice) != (env == nil) || strings.Contains(err.Error(), "Env") || strings.Contains(err.Error(), "another") {
			t.Errorf("env %q: %v", env, err)
		}
		h.Shutdown(context.Background())
	}
}
