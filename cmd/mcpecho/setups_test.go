package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestBrokenSetups has what goes wrong when people set up a server. The error
// alone has to name the cause.
func TestBrokenSetups(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("did not run: the programs are shell scripts")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	usage := strings.Repeat("echo '  --an-option   explains itself' >&2\n", 30)
	stack := strings.Repeat("echo '    at Module._load (node:internal/modules/cjs/loader:1091:12)' >&2\n", 8)
	badFlag := script("badflag", "echo \"Error: unknown flag: $1\" >&2\necho Usage: >&2\n"+usage+"exit 1\n")
	noConfig := script("noconfig", "echo starting >&2\necho 'panic: cannot open config.toml: no such file or directory' >&2\necho >&2\n"+
		"echo 'goroutine 1 [running]:' >&2\n"+usage+"exit 2\n")
	missingModule := script("missing", "echo 'node:internal/modules/cjs/loader:1228' >&2\necho '  throw err;' >&2\n"+
		"echo \"Error: Cannot find module 'express'\" >&2\n"+stack+"echo 'Node.js v20.20.2' >&2\nexit 1\n")
	oldNode := script("oldnode", "echo 'npm WARN EBADENGINE Unsupported engine {' >&2\necho \"  required: { node: '>=24' },\" >&2\n"+
		"echo '}' >&2\necho 'TypeError: Array.fromAsync is not a function' >&2\n"+stack+"echo 'Node.js v20.20.2' >&2\nexit 1\n")
	offline := script("offline", "echo 'npm error network request to https://registry.example/x failed, reason: getaddrinfo ENOTFOUND registry.example' >&2\n"+
		"echo 'npm error network you are behind a proxy, or have bad network settings: http://joe:sesame@proxy.example' >&2\nexec sleep 60\n")
	stream, onlySSE := anyServer(t, nil), anyServer(t, &testserver.HTTPOptions{SSEOnly: true})
	closed := "http://" + testutil.FreeAddress(t) + "/mcp"
	expired := expiredServer(t)
	config := func(entry string) string {
		file := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(file, []byte(`{"mcpServers":{"x":`+entry+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, tt := range map[string]struct {
		args []string
		want []string // in this order
	}{
		"wrong path":            {[]string{"--", filepath.Join(dir, "servr")}, []string{filepath.Join(dir, "servr"), "no such file"}},
		"missing module":        {[]string{"--", missingModule}, []string{"status 1: Error: Cannot find module 'express'", "Node.js v20"}},
		"bad flag":              {[]string{"--", badFlag, "--colour"}, []string{"status 1: Error: unknown flag: --colour", "-v prints everything"}},
		"no config":             {[]string{"--", noConfig}, []string{"status 2: panic: cannot open config.toml"}},
		"wrong transport":       {[]string{"-t", "sse", stream.URL}, []string{"speaks Streamable HTTP, not HTTP+SSE", "to try both transports, type: mcpecho tools http"}},
		"wrong transport too":   {[]string{"-t", "http", onlySSE.SSE}, []string{"speaks HTTP+SSE, not Streamable HTTP", "to try both transports, type: mcpecho tools http"}},
		"wrong configured type": {[]string{"-c", config(`{"type":"sse","url":"` + stream.URL + `"}`), "x"}, []string{"speaks Streamable HTTP, not HTTP+SSE", "type in the configuration"}},
		"no proxy": {[]string{"--connect-timeout", "400ms", "--", offline},
			[]string{"within 400ms", "ENOTFOUND registry.example", "behind a proxy", "http://***@proxy.example"}},
		"expired certificate":    {[]string{expired}, []string{"certificate has expired", "clock of this machine"}},
		"TLS for a plain server": {[]string{strings.Replace(stream.URL, "http:", "https:", 1)}, []string{"plain HTTP", "type: mcpecho tools http://"}},
		"missing program":        {[]string{"--", "no-such-program"}, []string{"the program was not found; install it"}},
		"program elsewhere": {[]string{"-c", config(`{"command":"no-such-program","env":{"PATH":"/opt/a:/opt/b"}}`), "x"},
			[]string{"not found; searched /opt/a, /opt/b;"}},
		"port closed":        {[]string{closed}, []string{"connection refused", "no server listens on port", "start the server, or correct the port"}},
		"wrong Node version": {[]string{"--", oldNode}, []string{"status 1: npm WARN EBADENGINE Unsupported engine", "required: { node: '>=24' }"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := runCommand(t, append([]string{"tools"}, tt.args...)...)
			rest := o.stderr
			for _, want := range tt.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("no %q in its place in:\n%s", want, o.stderr)
					break
				}
				rest = after
			}
			if o.status != failure.Unreachable || strings.Contains(o.stderr, "sesame") {
				t.Errorf("status %d:\n%s", o.status, o.stderr)
			}
			if _, server := cutServer(tt.args); len(server) > 0 && strings.Count(o.stderr, strings.Join(server, " ")) > 1 {
				t.Errorf("the command is shown twice:\n%s", o.stderr)
			}
		})
	}
}

// TestProxyIsUnreachable runs the command in a process of its own, as net/http
// reads the environment once.
func TestProxyIsUnreachable(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(mcpechoPath(t), "ping", "https://mcp.example/mcp")
	cmd.Env = append(os.Environ(), "HTTPS_PROXY=http://joe:sesame@"+testutil.FreeAddress(t))
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err == nil || !strings.Contains(text, "check HTTP_PROXY, HTTPS_PROXY and NO_PROXY") || strings.Contains(text, "sesame") {
		t.Errorf("%v: %s", err, text)
	}
}

// anyServer starts a server that requests of the wrong transport reach.
func anyServer(t *testing.T, o *testserver.HTTPOptions) *testserver.HTTPServer {
	t.Helper()
	s, err := testserver.StartHTTP(testserver.New(nil), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// expiredServer returns the URL of a server with an expired certificate.
func expiredServer(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(-time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}
