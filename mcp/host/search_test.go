package host_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// hostOf returns a host that is connected to servers in this process.
func hostOf(t testing.TB, o host.Options, servers map[string]*mcptest.Server) *host.Host {
	t.Helper()
	transports := make(map[string]mcp.Transport)
	var list []*host.Server
	for name, s := range servers {
		transports[name] = s
		list = append(list, &host.Server{Name: name, Type: config.SDK})
	}
	o.Dialers = host.Dialers{config.SDK: host.InProcess(transports)}
	h := newHost(t, &o)
	if err := h.SetServers(t.Context(), list).Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// answer returns a Func that responds with a text.
func answer(text string) mcptest.Func {
	return func(*mcptest.Call) (any, error) { return text, nil }
}

// realTools returns a host with the tools of testdata/search/tools.json, which are
// those of servers that people use.
func realTools(t testing.TB) *host.Host {
	t.Helper()
	text, err := os.ReadFile("testdata/search/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	var tools []struct {
		Server, Name, Description string
		Arguments                 []string
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	servers := make(map[string]*mcptest.Server)
	for _, tool := range tools {
		s := servers[tool.Server]
		if s == nil {
			s = mcptest.New(t)
			servers[tool.Server] = s
		}
		properties := map[string]any{}
		for _, a := range tool.Arguments {
			properties[a] = map[string]any{"type": "string"}
		}
		s.Tool(tool.Name, map[string]any{"type": "object", "properties": properties}, answer("")).Description = tool.Description
	}
	return hostOf(t, host.Options{}, servers)
}

func TestSearchFindsTheRightToolAmongTheFirstFive(t *testing.T) {
	h := realTools(t)
	text, err := os.ReadFile("testdata/search/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var found, asked [2]int // of the questions for the ranking, and of those set aside
	n := 0
	for line := range strings.Lines(string(text)) {
		question, answers, ok := strings.Cut(line, "|")
		if !ok {
			continue
		}
		n++
		set := 0
		if n%3 == 0 {
			set = 1
		}
		asked[set]++
		var have []string
		for _, tool := range h.Search(question, 5) {
			have = append(have, tool.Server()+"/"+tool.Definition().Name)
		}
		right := strings.Fields(answers)
		if slices.ContainsFunc(have, func(name string) bool { return slices.Contains(right, name) }) {
			found[set]++
		} else {
			t.Logf("%q finds %v, not %v", strings.TrimSpace(question), have, right)
		}
	}
	for set, what := range []string{"questions", "questions set aside"} {
		figure(t, "%d tools: the right one is among the first five for %d of %d %s", len(h.Tools()), found[set], asked[set], what)
		if float64(found[set]) < 0.95*float64(asked[set]) {
			t.Errorf("fewer than 95 %% of the %s", what)
		}
	}
}
