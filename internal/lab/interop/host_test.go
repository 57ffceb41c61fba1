package interop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestHost configures a host with all of the servers, with a program that does
// not exist and with one that crashes at its start.
func TestHost(t *testing.T) {
	everything, files, memory := script(t, "server-everything"), script(t, "server-filesystem"), script(t, "server-memory")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testutil.Must(t, err)
	note := filepath.Join(dir, "note.txt")
	testutil.Must(t, os.WriteFile(note, []byte("from a file"), 0o600))
	servers := load(t, map[string]any{
		"everything": map[string]any{"command": "node", "args": []string{everything, "stdio"}},
		"files":      map[string]any{"command": []string{"node", files, dir}},
		"memory":     map[string]any{"command": "node", "args": []string{memory}, "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}},
		"web":        map[string]any{"type": "streamable-http", "url": serveEverything(t, "http /mcp").url},
		"old":        map[string]any{"url": serveEverything(t, "sse /sse").url}, // the host detects HTTP+SSE
		"absent":     map[string]any{"command": "no-such-mcp-server", "args": []string{"-y"}},
		"crashes":    map[string]any{"command": "node", "args": []string{"-e", `console.error("FATAL: no DATABASE_URL"); process.exit(7)`}},
	})
	before := process.Children()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a hang fails the test
	defer cancel()
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Initial: 50 * time.Millisecond}})
	defer h.Shutdown(context.Background())
	events := h.Events(ctx)
	d := h.SetServers(ctx, servers)
	if d.Err() != nil || len(d.Errors) != 2 || d.Pending != nil {
		t.Fatalf("%+v, %v\n%s", d, d.Err(), h.Overview())
	}
	for name, want := range map[string]struct {
		category host.Category
		text     string
	}{
		"absent":  {host.CategoryConfiguration, `"no-such-mcp-server -y": the program was not found`},
		"crashes": {host.CategoryConnection, "exited with status 7: FATAL: no DATABASE_URL"},
	} {
		var e *host.Error
		if err := d.Errors[name]; !errors.As(err, &e) || e.Category != want.category || !strings.Contains(e.Error(), want.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	awaitEvent(t, ctx, events, "the server that crashes has failed", func(e host.Event) bool { return e.Server == "crashes" && e.State == host.Failed })

	for name, call := range map[string]struct{ tool, input, want string }{
		"everything": {"echo", `{"message":"hi"}`, "Echo: hi"},
		"files":      {"read_text_file", `{"path":` + quoted(note) + `}`, "from a file"},
		"memory":     {"read_graph", `{}`, "entities"},
		"web":        {"get-sum", `{"a":2,"b":40}`, "42"},
		"old":        {"get-sum", `{"a":2,"b":40}`, "42"},
	} {
		s, err := h.ServerStatus(name)
		if err != nil || s.State != host.Connected || s.Err != nil || len(s.Tools) < 8 {
			t.Errorf("%s: %v, %d tools, %v", name, s, len(s.Tools), err)
		}
		tool := h.Tool("mcp__" + name + "__" + call.tool)
		if tool == nil {
			t.Errorf("%s has no tool %s", name, call.tool)
			continue
		}
		if text, err := tool.Execute(ctx, json.RawMessage(call.input)); err != nil || !strings.Contains(text, call.want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	forModels(t, h)
	crashAndComeBack(t, ctx, h, events, everything)

	testutil.Check(t, h.Shutdown(ctx))
	// On a busy machine the last process may take a moment to exit.
	if !testutil.Eventually(func() bool { return len(process.Children()) <= len(before) }) {
		t.Fatalf("children %q before, %q after", commands(before), commands(process.Children()))
	}
}

// forModels checks the names and the definitions of tools that models receive.
func forModels(t *testing.T, h *host.Host) {
	t.Helper()
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := make(map[string]bool)
	for _, tool := range h.Tools() {
		if !name.MatchString(tool.Name()) || seen[tool.Name()] || h.Tool(tool.Name()) != tool {
			t.Errorf("%q is not a valid name of one tool", tool.Name())
		}
		seen[tool.Name()] = true
	}
	for provider, define := range map[string]schema.Definer{
		"Anthropic": schema.Anthropic, "OpenAI": schema.OpenAI, "OpenAI responses": schema.OpenAIResponses, "Gemini": schema.Gemini,
	} {
		list, err := schema.List(define, h.Tools())
		var all []any
		if err == nil {
			err = json.Unmarshal(list, &all)
		}
		if err != nil || len(all) != len(seen) {
			t.Errorf("%s: %d definitions of %d tools, %v", provider, len(all), len(seen), err)
		}
	}
}

// crashAndComeBack kills a server that has a subscription. The host removes its
// tools, restarts it, adds them again and renews the subscription.
func crashAndComeBack(t *testing.T, ctx context.Context, h *host.Host, events <-chan host.Event, script string) {
	t.Helper()
	list, err := h.ListResources(ctx, "everything")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d resources, %v", len(list), err)
	}
	uri := list[0].URI
	subscribe := h.ResourceTools()[2]
	if text, err := subscribe.Execute(ctx, json.RawMessage(`{"server":"everything","uri":`+quoted(uri)+`}`)); err != nil {
		t.Fatal(text, err)
	}
	killed := false
	for _, pid := range process.Children() {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if strings.Contains(string(line), script+"\x00stdio") {
			p, err := os.FindProcess(pid)
			killed = err == nil && p.Kill() == nil
		}
	}
	if !killed {
		t.Log("did not kill the server: this system does not list the children of a process")
		return
	}
	awaitEvent(t, ctx, events, "tools are removed", func(e host.Event) bool { return e.Server == "everything" && len(e.Removed) > 0 })
	awaitEvent(t, ctx, events, "tools are added", func(e host.Event) bool { return e.Server == "everything" && len(e.Added) > 0 })
	changed := func(e host.Event) bool { return e.Kind == host.ResourceChanged && e.URI == uri }
	awaitEvent(t, ctx, events, "the subscription is renewed", changed)
	if _, err := h.CallTool(ctx, "everything", "toggle-subscriber-updates", nil); err != nil {
		t.Error(err)
	}
	awaitEvent(t, ctx, events, "the resource changes", changed)
}

// load writes a configuration to a file and loads it.
func load(t *testing.T, servers map[string]any) []*config.Server {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "servers.json")
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	testutil.Must(t, err)
	testutil.Must(t, os.WriteFile(file, text, 0o600))
	c := config.Load(t.TempDir(), file)
	if len(c.Problems) > 0 || len(c.Servers) != len(servers) {
		t.Fatal(c.Problems)
	}
	return c.Servers
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// commands returns the command lines of processes. That of a zombie is empty.
func commands(pids []int) (lines []string) {
	for _, pid := range pids {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return lines
}

func awaitEvent(t *testing.T, ctx context.Context, events <-chan host.Event, what string, want func(host.Event) bool) {
	t.Helper()
	for e := range events { // closed when ctx ends
		if want(e) {
			return
		}
	}
	t.Fatalf("no event %q: %v", what, context.Cause(ctx))
}

// TestHostOfManyServers has a host with the servers of the catalog over all of
// their transports. Three are killed and come back.
func TestHostOfManyServers(t *testing.T) {
	t.Setenv("STDMCP_ZOO", "") // the quick ones are enough
	before, file, all := testutil.TakeSnapshot().Descriptors, make(map[string]any), make(map[string]*instance)
	for _, s := range zoo(t) {
		for transport := range s.Run {
			i := newInstance(t, s, transport)
			i.start(t)
			name := strings.ReplaceAll(s.Name, " ", "-") + "-" + i.kind
			all[name] = i
			file[name] = map[string]any{"command": i.argv[0], "args": i.argv[1:], "env": i.env, "cwd": i.dir}
			if i.kind != "stdio" {
				file[name] = map[string]any{"url": i.url} // the host finds out which transport it is
			}
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d servers", len(all))
	}
	servers := load(t, file)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a hang shows
	defer cancel()
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Initial: 50 * time.Millisecond}})
	defer h.Shutdown(context.Background())
	if d := h.SetServers(ctx, servers); d.Err() != nil || len(d.Errors) > 0 || len(d.Added) != len(all) {
		t.Fatalf("%+v\n%s", d, h.Overview())
	}
	call := func(name string) error {
		tool, args := all[name].call(t, 0)
		_, err := h.CallTool(ctx, name, tool, args)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) {
			return nil // as in TestZoo, where a call works only with an account
		}
		return err
	}
	tools := make(map[string]int)
	for _, s := range h.Status() {
		tools[s.Name] = len(s.Tools)
		if s.State != host.Connected || len(s.Tools) == 0 {
			t.Errorf("%s: %v, %d tools", s.Name, s.State, len(s.Tools))
		}
		if err := call(s.Name); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	t.Logf("%d servers, %d tools", len(all), len(h.Tools()))

	for _, name := range []string{"memory-stdio", "everything-http", "go-sdk-sse"} {
		all[name].kill()
		all[name].start(t)
		// A call that was written to the connection that is gone may fail, the
		// next ones wait for the server.
		if !testutil.Eventually(func() bool {
			err := call(name)
			s, _ := h.ServerStatus(name)
			return err == nil && s.State == host.Connected && len(s.Tools) == tools[name]
		}) {
			t.Errorf("%s does not come back, or with other tools than %d: %s", name, tools[name], h.Overview())
		}
	}
	testutil.Check(t, h.Shutdown(ctx))
	for _, i := range all {
		if i.kind != "stdio" {
			i.kill()
		}
	}
	for _, i := range all {
		nothingLeft(t, i, before)
	}
}
