package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

const overrides = `{"mcpServers":{"s":{"type":"sdk","overrides":{"create_issue":{
	"name":"report_bug","description":"Reports a bug.","arguments":{"repo":"acme/app"},
	"properties":{"state":{"enum":["open", "closed"]}},"omit":["admin"],"maxResultText":50}}}}}`

// overriddenHost returns a host with the server s, whose tool create_issue returns
// its arguments.
func overriddenHost(t *testing.T, settings string) (*host.Host, *mcptest.Server) {
	s := mcptest.New(t)
	s.Tool("create_issue", `{"type":"object","title":"T","properties":{"repo":{"type":"string"},"state":{"type":"string"},"admin":{},"title":{}},"required":["repo","title"]}`,
		func(c *mcptest.Call) (any, error) {
			return "created in " + c.Text("repo") + strings.Repeat(".", 100), nil
		}).Description = "Creates an issue."
	s.Tool("list", nil, answer("")).Description = "Lists."
	h := newHost(t, &host.Options{Limits: &host.ResultLimits{}, Dialers: host.Dialers{config.SDK: s.Dialer()}})
	c := config.Parse([]byte(settings), "", "")
	if len(c.Problems) > 0 {
		t.Fatal(c.Problems)
	}
	if err := h.SetServers(t.Context(), c.Servers).Err(); err != nil {
		t.Fatal(err)
	}
	return h, s
}

func TestOverridesRenameDescribeAndNarrow(t *testing.T) {
	t.Parallel()
	h, s := overriddenHost(t, overrides)
	if got := names(h.Tools()); !slices.Equal(got, []string{"mcp__s__report_bug", "mcp__s__list"}) {
		t.Fatalf("%q", got)
	}
	tool := h.Tool("mcp__s__report_bug")
	want := `{"type":"object","title":"T","properties":{"state":{"enum":["open", "closed"]},"title":{}},"required":["title"]}`
	if tool.Description() != "[MCP:s] Reports a bug." || string(tool.InputSchema()) != want || tool.Definition().Name != "create_issue" {
		t.Errorf("%s: %s", tool.Description(), tool.InputSchema())
	}
	if _, err := tool.Execute(t.Context(), raw(`{"title":"t","state":"open","repo":"other/repo"}`)); err != nil {
		t.Error(err)
	}
	s.WantCall("create_issue", map[string]any{"title": "t", "state": "open", "repo": "acme/app"})
	for input, says := range map[string]string{
		`{"title":"t","admin":true}`:      `"admin" is not available; leave it out`,
		`{"title":"t","state":"deleted"}`: `"state" must be "open" or "closed"`,
		`{"title":`:                       "arguments",
	} {
		var e *host.Error
		if _, err := tool.Execute(t.Context(), raw(input)); !errors.As(err, &e) || e.Code != "INVALID_ARGUMENTS" || !strings.Contains(err.Error(), says) ||
			e.Tool != "create_issue" || !strings.HasPrefix(err.Error(), `[MCP:s] tool "report_bug" was not called`) { // the name that the model knows
			t.Errorf("%s: %v", input, err)
		}
	}
	s.WantCalls("create_issue", 1)
	res, err := h.CallTool(t.Context(), "s", "create_issue", nil)
	if err != nil || !strings.HasPrefix(res.Text(), "created in acme/app") || !strings.Contains(res.Text(), "are missing here") {
		t.Errorf("by the server's name: %v, %v", res, err)
	}
	if found := h.Search("report a bug", 1); len(found) != 1 || found[0] != tool {
		t.Errorf("search finds %q", names(found))
	}
}

func TestChangedOverridesApplyWithoutReconnecting(t *testing.T) {
	t.Parallel()
	h, s := overriddenHost(t, overrides)
	c := config.Parse([]byte(`{"mcpServers":{"s":{"type":"sdk","overrides":{"list":{"name":"show"}}}}}`), "", "")
	if diff := h.SetServers(t.Context(), c.Servers); len(diff.Changed) != 1 {
		t.Errorf("%v", diff)
	}
	if got := names(h.Tools()); !slices.Equal(got, []string{"mcp__s__create_issue", "mcp__s__show"}) {
		t.Errorf("%q", got)
	}
	version := h.Snapshot().Version()
	h.SetServers(t.Context(), config.Parse([]byte(`{"mcpServers":{"s":{"type":"sdk","overrides":{"list":{"name":"show"}}}}}`), "", "").Servers)
	if h.Snapshot().Version() != version {
		t.Error("equal settings make a new snapshot")
	}
	s.WantCalls("create_issue", 0)
}

func TestInvalidOverrides(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`[]`:                            `"overrides" must be an object`,
		`{"a":1}`:                       `"overrides.a" must be an object`,
		`{"a":{"x":1}}`:                 `"overrides.a.x" is unknown`,
		`{"a":{"name":1}}`:              `"overrides.a.name" must be a string`,
		`{"a":{"arguments":[]}}`:        `"overrides.a.arguments" must be an object`,
		`{"a":{"omit":[1]}}`:            `"overrides.a.omit" must be a list of strings`,
		`{"a":{"name":"x","name":"x"}}`: `"overrides.a" `,
	} {
		c := config.Parse([]byte(`{"mcpServers":{"s":{"type":"sdk","overrides":`+entry+`}}}`), "", "")
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), want) {
			t.Errorf("%s: %v", entry, c.Problems)
		}
	}
	c := config.Parse([]byte(overrides), "", "")
	text, err := json.Marshal(c)
	if err != nil || strings.Contains(string(text), "acme") || !strings.Contains(string(text), `"name":"report_bug"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func ExampleTool_override() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	err := h.AddServer(ctx, &host.Server{Name: "echo", Type: config.SDK, Overrides: map[string]*config.Override{
		"add": {Name: "plus_one", Description: "Adds one.", Arguments: map[string]mcp.RawMessage{"b": mcp.RawMessage("1")}},
	}})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(h.Execute(ctx, "mcp__echo__plus_one", []byte(`{"a":41}`)))
	// Output: 42 <nil>
}
