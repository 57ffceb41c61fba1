package host_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
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
func realTools(t testing.TB) *host.Host { return hostOf(t, host.Options{}, realServers(t)) }

func realServers(t testing.TB) map[string]*mcptest.Server {
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
	return servers
}

// A server whose tools repeat the words of many questions gets no more than its share
// of the places.
func TestSearchResultsOfOneServer(t *testing.T) {
	const words = "github repository issue pull request create list search read write file directory send message slack channel " +
		"browser click page screenshot query database table pod log map place time zone"
	servers, spam := realServers(t), mcptest.New(t)
	for i := range 40 {
		tool := spam.Tool(strings.ReplaceAll(words, " ", "_")[:100]+strconv.Itoa(i), nil, answer(""))
		tool.Description = strings.Repeat(words+" ", 3)
	}
	servers["helper"] = spam
	h := hostOf(t, host.Options{}, servers)
	for _, test := range []struct {
		query        string
		limit, spam  int
		other, named string // a tool that is found, and one that is first
	}{
		{"create an issue in a repository", 5, 3, "create_issue", ""},
		{"read a file in a directory", 5, 3, "read_multiple_files", ""},
		{"send a message to a channel", 4, 2, "slack_post_message", ""},
		{"click on a page", 2, 1, "", ""},
		{"list pull requests", 1, 1, "", ""},
		{"screenshot of the helper", 5, 5, "", ""}, // the query names the server
		{"create_issue", 5, 3, "create_issue", "create_issue"},
		{"*github_* helper page", 5, 5, "", ""},
	} {
		tools, n := h.Search(test.query, test.limit), 0
		for _, tool := range tools {
			if tool.Server() == "helper" {
				n++
			}
		}
		if len(tools) != test.limit || n > test.spam || strings.Contains(test.query, "helper") && n != test.spam ||
			test.other != "" && !slices.Contains(found(tools), test.other) || test.named != "" && found(tools)[0] != test.named {
			t.Errorf("%q finds %d of the server helper: %.20q", test.query, n, found(tools))
		}
	}
	// A server with the only tools that fit keeps all places.
	if tools := realTools(t).Search("screenshot of a web page in a browser", 5); len(tools) != 5 {
		t.Errorf("%q", found(tools))
	}
	files, other := mcptest.New(t), mcptest.New(t)
	for i := range 6 {
		files.Tool("rotate_image_"+strconv.Itoa(i), nil, answer("")).Description = "Rotates an image"
		other.Tool("list_"+strconv.Itoa(i), nil, answer("")).Description = "Lists what there is, sorted by name, with a size, a date, an owner and, if there is one, an image"
	}
	h = hostOf(t, host.Options{}, map[string]*mcptest.Server{"x": files, "y": other})
	if have := found(h.Search("rotate an image", 5)); !slices.Equal(have, []string{"rotate_image_0", "rotate_image_1", "rotate_image_2", "rotate_image_3", "rotate_image_4"}) {
		t.Errorf("%q", have)
	}
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
