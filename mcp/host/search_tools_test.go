package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// found returns the names that tools have in their servers.
func found(tools []*host.Tool) (list []string) {
	for _, t := range tools {
		list = append(list, t.Definition().Name)
	}
	return list
}

// mixedTools returns a host with the servers files and mail.
func mixedTools(t testing.TB, o host.Options) *host.Host {
	files, mail := mcptest.New(t), mcptest.New(t)
	files.Tool("read_file", `{"type":"object","properties":{"path":{}}}`, answer("content")).Description = "Reads a file"
	files.Tool("delete_files", nil, answer("gone")).Description = "Deletes files"
	files.Tool("listFolders", nil, answer("")).Description = "Lists folders"
	mail.Tool("send", `{"type":"object","properties":{"recipient":{}}}`, answer("sent")).Description = "Sends a letter"
	mail.Tool("read", nil, answer("")).Description = "Reads a letter"
	return hostOf(t, o, map[string]*mcptest.Server{"files": files, "mail": mail})
}

func TestSearchUnderstandsWordForms(t *testing.T) {
	h := mixedTools(t, host.Options{})
	for query, want := range map[string]string{
		"reading a FILE":        "read_file",
		"removing a file":       "delete_files",
		"directories":           "listFolders",
		"list":                  "listFolders", // inside a name
		"recipient":             "send",        // an argument
		"mcp__mail__read":       "read",
		"delete_files":          "delete_files",
		"letter mail":           "read",
		"recip":                 "send", // a beginning
		"which? letter, sends!": "send",
	} {
		if tools := h.Search(query, 1); len(tools) != 1 || found(tools)[0] != want {
			t.Errorf("%q finds %q, want %s", query, found(tools), want)
		}
	}
}

func TestSearchWithGlobs(t *testing.T) {
	h := mixedTools(t, host.Options{})
	for query, want := range map[string][]string{
		"mcp__mail__*":         {"send", "read"},
		"*_file*":              {"read_file", "delete_files", "listFolders"},
		"*_file* delete":       {"delete_files"},
		"*_file* letter":       nil,
		"*_file* mcp__mail__*": nil,
		"*":                    {"read_file", "delete_files", "listFolders", "send", "read"},
	} {
		if have := found(h.Search(query, 10)); !slices.Equal(have, want) {
			t.Errorf("%q finds %q, want %q", query, have, want)
		}
	}
}

func TestSearchForNothingAndLimits(t *testing.T) {
	h := mixedTools(t, host.Options{})
	for _, nothing := range []string{"", "  ", "the of", "?!", "\xff\xfe", "zebra", strings.Repeat("x ", 1<<20)} {
		if tools := h.Search(nothing, 5); len(tools) > 0 {
			t.Errorf("%.20q finds %q", nothing, found(tools))
		}
	}
	if n := len(realTools(t).Search("file", 0)); n != 5 {
		t.Errorf("limit 0: %d tools", n)
	}
	if tools := newHost(t, nil).Search("file", 5); tools != nil {
		t.Errorf("a host without servers has %q", found(tools))
	}
	view := h.View("mail")
	if have := found(view.Search("read", 5)); !slices.Equal(have, []string{"read"}) {
		t.Errorf("the view finds %q", have)
	}
	if have := found(h.View().Can(host.Capabilities{"mcp_mail_send"}).Search("letter", 5)); !slices.Equal(have, []string{"send"}) {
		t.Errorf("the agent may use send only, and finds %q", have)
	}
}

func TestSearchInOtherAlphabets(t *testing.T) {
	s := mcptest.New(t)
	for name, description := range map[string]string{
		"weather": "\u67e5\u8be2\u5929\u6c14\u9884\u62a5\u3002", "calendar": "\u521b\u5efa\u65e5\u5386\u4e8b\u4ef6", "mail": "\u30e1\u30fc\u30eb\u3092\u9001\u4fe1\u3059\u308b",
		"search": "\u041f\u043e\u0438\u0441\u043a \u0444\u0430\u0439\u043b\u043e\u0432", "photo": "\u0627\u0644\u062a\u0642\u0627\u0637 \u0635\u0648\u0631\u0629", "note": "\ub178\ud2b8\ub97c \uc791\uc131\ud569\ub2c8\ub2e4",
		"umlaut": "L\u00f6scht Eintr\u00e4ge", "thai": "\u0e04\u0e49\u0e19\u0e2b\u0e32\u0e40\u0e2d\u0e01\u0e2a\u0e32\u0e23",
	} {
		s.Tool(name, nil, answer("")).Description = description
	}
	h := hostOf(t, host.Options{}, map[string]*mcptest.Server{"s": s})
	for query, want := range map[string]string{
		"\u4eca\u5929\u7684\u5929\u6c14": "weather", "\u65e5\u5386": "calendar", "\u30e1\u30fc\u30eb": "mail", "\u041f\u041e\u0418\u0421\u041a": "search",
		"\u0635\u0648\u0631\u0629": "photo", "\ub178\ud2b8": "note", "l\u00d6scht": "umlaut", "\u0e40\u0e2d\u0e01\u0e2a\u0e32\u0e23": "thai",
	} {
		if have := found(h.Search(query, 1)); !slices.Equal(have, []string{want}) {
			t.Errorf("%s finds %q, want %s", query, have, want)
		}
	}
}

func TestModelSearchesAndCalls(t *testing.T) {
	var calls []string
	h := mixedTools(t, host.Options{Approve: func(_ context.Context, c *host.Call) (host.Decision, error) {
		calls = append(calls, c.Name+" "+string(c.Arguments))
		if c.Tool == "delete_files" {
			return host.Deny, nil
		}
		return host.Allow, nil
	}})
	search := h.ToolSearch(&host.SearchOptions{Threshold: -1, Limit: 2})
	tools := search.Tools()
	if got := names(tools); !slices.Equal(got, []string{"search_tools", "call_tool"}) {
		t.Fatalf("the model gets %q", got)
	}
	text, err := tools[0].Execute(t.Context(), raw(`{"query":"read a file"}`))
	want := `{"tools":[{"name":"mcp__files__read_file","description":"[MCP:files] Reads a file","parameters":{"type":"object","properties":{"path":{}}}},`
	if err != nil || !strings.HasPrefix(text, want) || strings.Count(text, `"name"`) != 2 {
		t.Errorf("%s, %v", text, err)
	}
	inputs := []string{`"arguments":{"path":"x"}`, `"arguments":"{\"path\":\"x\"}"`, `"args":{"path":"x"}`, `"input":"{\"path\":\"x\"}"`,
		`"parameters":{"path":"x"},"arguments":{}`, `"arguments":{"path":"x"},"reason":"r"`} // models send text and other names, too
	for _, input := range inputs {
		text, err := tools[1].Execute(t.Context(), raw(`{"name":"mcp__files__read_file",`+input+`}`))
		if text != "content" || err != nil {
			t.Errorf("%s: %q, %v", input, text, err)
		}
	}
	if _, err := tools[1].Execute(t.Context(), raw(`{"name":"mcp__files__delete_files"}`)); !errors.Is(err, host.ErrDenied) {
		t.Errorf("a call that is not approved: %v", err)
	}
	if len(calls) != len(inputs)+1 || slices.ContainsFunc(calls[:len(inputs)], func(c string) bool { return c != `mcp__files__read_file {"path":"x"}` }) {
		t.Errorf("approved: %q", calls)
	}
	for _, tt := range []struct {
		tool        int
		input, says string
	}{
		{1, `{"name":"mcp__files__raed_file"}`, `did you mean "mcp__files__read_file"?`},
		{1, `{}`, `"name" is missing`},
		{1, `{"name":7}`, "call_tool"},
		{1, `{"name":"mcp__files__read_file","arguments":[1]}`, "not a JSON object"},
		{1, `{"name":"mcp__files__read_file","path":"x","name2":1}`, `path, name2 must be in "arguments": {"name":"mcp__files__read_file","arguments":{…}}`},
		{1, `{"name":"mcp__files__read_file","arguments":{},"path":"x"}`, `path must be in "arguments"`},
		{1, `{"name":"mcp__files__read_file","input":"x"}`, `input must be in "arguments"`},
		{1, `{"name":"mcp__files__read_file","args":{"path":"x"},"input":{"path":"y"}}`, `put all of them into "arguments"`},
		{0, `{"query":[]}`, "search_tools"},
	} {
		if _, err := tools[tt.tool].Execute(t.Context(), raw(tt.input)); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.input, err)
		}
	}
	if text, err = tools[0].Execute(t.Context(), raw(`{"q":"read"}`)); err != nil || !strings.Contains(text, `"note":"\"query\" is missing. Servers with tools: files (3), mail (2)"`) {
		t.Errorf("%s, %v", text, err)
	}
	text, err = tools[0].Execute(t.Context(), raw(`{"query":"zebra"}`))
	if err != nil || !strings.Contains(text, `"tools":[],"note":"no tool matches; try other words. Servers with tools: files (3), mail (2)"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestCallToolNeedsThePermissionOfTheTool(t *testing.T) {
	h := mixedTools(t, host.Options{})
	call := h.ToolSearch(&host.SearchOptions{Threshold: -1}).Tools()[1]
	if !call.RequiresPermission(raw(`{"name":"mcp__files__read_file"}`)) || call.RequiresPermission(raw(`{"name":"unknown"}`)) {
		t.Error("call_tool needs permission for tools of servers, and not for a name that no tool has")
	}
}

func TestThresholdPinnedToolsAndOrder(t *testing.T) {
	h := mixedTools(t, host.Options{})
	few := h.ToolSearch(nil)
	if got := names(few.Tools()); len(got) != 5 || !slices.IsSorted(got) {
		t.Errorf("below the threshold: %q", got)
	}
	search := h.ToolSearch(&host.SearchOptions{Threshold: 4, Pinned: []string{"mcp__mail__*"}})
	want := []string{"search_tools", "call_tool", "mcp__mail__read", "mcp__mail__send"}
	if got := names(search.Tools()); !slices.Equal(got, want) {
		t.Errorf("above the threshold: %q", got)
	}
	if !search.Visible(h.Tool("mcp__mail__send")) || search.Visible(h.Tool("mcp__files__read_file")) || search.Visible(nil) {
		t.Error("visible tools are the pinned ones")
	}
	if err := h.SetEnabled("files", false); err != nil { // the list remains as it is for the prompt cache
		t.Fatal(err)
	}
	if got := names(search.Tools()); !slices.Equal(got, want) {
		t.Errorf("with few tools later: %q", got)
	}
}

func TestServersThatAreDeferredBySettings(t *testing.T) {
	cfg := config.Parse([]byte(`{"tools":{"mcp":{"discovery":{"enabled":true,"ttl":3,"max_search_results":7},
		"servers":{"a":{"type":"sdk"},"b":{"type":"sdk","deferred":false}}}}}`), "", "")
	if d := cfg.Discovery; len(cfg.Problems) > 0 || d == nil || !d.Enabled || d.Turns != 3 || d.MaxResults != 7 {
		t.Fatalf("%+v, %v", d, cfg.Problems)
	}
	a, b := mcptest.New(t), mcptest.New(t)
	a.Tool("hidden", nil, answer(""))
	b.Tool("shown", nil, answer(""))
	h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
		return map[string]mcp.Transport{"a": a, "b": b}[d.Name], nil
	}}})
	if err := h.SetServers(t.Context(), cfg.Servers).Err(); err != nil {
		t.Fatal(err)
	}
	search := h.ToolSearch(&host.SearchOptions{Limit: cfg.Discovery.MaxResults})
	if got := names(search.Tools()); !slices.Equal(got, []string{"search_tools", "call_tool", "mcp__b__shown"}) {
		t.Errorf("%q", got)
	}
	off := config.Parse([]byte(`{"tools":{"mcp":{"discovery":{"enabled":false},"servers":{"a":{"type":"sdk","deferred":true}}}}}`), "", "")
	if d := off.Server("a").Deferred; d == nil || *d {
		t.Error("without discovery, no server is deferred")
	}
	bad := config.Parse([]byte(`{"tools":{"mcp":{"discovery":{"enabled":1},"servers":{"a":{"type":"sdk"}}}}}`), "f", "")
	if len(bad.Problems) != 1 || bad.Problems[0].Error() != `f:1: "discovery.enabled" must be true or false, not a number` || len(bad.Servers) != 1 {
		t.Errorf("%v", bad.Problems)
	}
}

func TestProgramsOwnMatcher(t *testing.T) {
	h := mixedTools(t, host.Options{})
	match := func(_ context.Context, query string, tools []*host.Tool, _ int) ([]*host.Tool, error) {
		switch query {
		case "panic":
			panic("matcher")
		case "error":
			return nil, errors.New("no index")
		}
		return tools, nil // more than the limit
	}
	search := h.ToolSearch(&host.SearchOptions{Threshold: -1, Limit: 3, Match: match}).Tools()[0]
	if text, err := search.Execute(t.Context(), raw(`{"query":"x"}`)); err != nil || strings.Count(text, `"name"`) != 3 {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := search.Execute(t.Context(), raw(`{"query":"error"}`)); err == nil || !strings.Contains(err.Error(), "no index") {
		t.Errorf("the error of the matcher: %v", err)
	}
	if text, err := search.Execute(t.Context(), raw(`{"query":"panic"}`)); err != nil || !strings.HasPrefix(text, `{"tools":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestDeferredLoadingOfProviders(t *testing.T) {
	h := mixedTools(t, host.Options{})
	search := h.ToolSearch(&host.SearchOptions{Threshold: -1, Pinned: []string{"*send"}})
	define := schema.DeferLoading(schema.Anthropic, func(tool schema.Tool) bool { return !search.Visible(h.Tool(tool.Name())) })
	text, err := schema.List(define, h.Tools())
	if n := strings.Count(string(text), `,"defer_loading":true}`); err != nil || n != 4 || strings.Contains(string(text), `Sends a letter","input_schema":{"type":"object","properties":{"recipient":{}}},"defer`) {
		t.Errorf("%d deferred: %s, %v", n, text, err)
	}
}

func ExampleHost_Search() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for _, t := range h.Search("sum of numbers", 1) {
		fmt.Println(t.Name())
	}
	// Output: mcp__echo__add
}

func ExampleHost_ToolSearch() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	search := h.ToolSearch(&host.SearchOptions{Threshold: 5, Pinned: []string{"*__echo"}})
	tools := search.Tools()
	for _, t := range tools {
		fmt.Println(t.Name(), search.Visible(t))
	}
	text, err := tools[1].Execute(ctx, []byte(`{"name":"mcp__echo__add","arguments":{"a":1,"b":2}}`))
	fmt.Println(text, err)
	// Output:
	// search_tools true
	// call_tool true
	// mcp__echo__echo true
	// 3 <nil>
}

func ExampleView_ToolSearch() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	agent := h.View("echo").Can(host.Capabilities{"mcp_echo_add"})
	fmt.Println(len(agent.ToolSearch(nil).Tools()), len(agent.Search("echo", 5)))
	// Output: 1 1
}

// TestPlainLoopCallsSearchAndResourceTools: a loop that passes what the model asks for
// to Host.Call or View.Call needs no case for the tools that the host itself has.
func TestPlainLoopCallsSearchAndResourceTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil), "y": newFake(nil)}.start(t, host.Options{})
		if _, err := h.Call(t.Context(), "search_tools", raw(`{"query":"echo"}`)); !errors.Is(err, host.ErrUnknownTool) {
			t.Errorf("before ToolSearch: %v", err)
		}
		h.ToolSearch(nil)
		h.ResourceTools()
		text, err := h.Execute(t.Context(), "search_tools", raw(`{"query":"echo"}`))
		if err != nil || !strings.Contains(text, "mcp__x__echo") || !strings.Contains(text, "mcp__y__echo") {
			t.Errorf("%s, %v", text, err)
		}
		if text, err = h.CallText(t.Context(), "call_tool", map[string]any{"name": "mcp__y__echo", "arguments": map[string]any{"message": "hi"}}); err != nil || !strings.Contains(text, "hi") {
			t.Errorf("%s, %v", text, err)
		}
		if _, err := h.Execute(t.Context(), "ListMcpResources", nil); err != nil {
			t.Error(err)
		}
		sub := h.View("x")
		for _, v := range []*host.View{sub, h.View(), sub.With(nil)} {
			if _, err := v.Call(t.Context(), "search_tools", raw(`{"query":"echo"}`)); !errors.Is(err, host.ErrUnknownTool) {
				t.Errorf("a view reaches the host's search: %v", err)
			}
		}
		sub.ToolSearch(nil)
		if text, err = sub.Execute(t.Context(), "search_tools", raw(`{"query":"echo"}`)); err != nil || strings.Contains(text, "mcp__y__echo") {
			t.Errorf("%s, %v", text, err)
		}
		if _, err = sub.Execute(t.Context(), "call_tool", raw(`{"name":"mcp__y__echo"}`)); !errors.Is(err, host.ErrUnknownTool) {
			t.Error(err)
		}
		if _, err := sub.With(nil).Call(t.Context(), "search_tools", nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Errorf("a derived view reaches the search of another one: %v", err)
		}
	})
}
