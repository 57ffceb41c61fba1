package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestRenamedArgumentsReachTheServerUnderTheirNames(t *testing.T) {
	t.Parallel()
	top, secret := argnames.Alias("$top"), argnames.Alias("is secret")
	s := mcptest.New(t)
	s.Tool("list", `{"type":"object","properties":{"$top":{"type":"integer"},"is secret":{},"nested":{"type":"object"}}}`, answer("listed"))
	s.Tool("own", `{"type":"object","properties":{"$top":{},"`+top+`":{}}}`, answer("own"))
	var approved []string
	h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: s.Dialer()}, Approve: func(_ context.Context, c *host.Call) (host.Decision, error) {
		approved = append(approved, string(c.Arguments))
		return host.Allow, nil
	}})
	c := config.Parse([]byte(`{"mcpServers":{"s":{"type":"sdk","overrides":{"list":{"arguments":{"$top":5},"omit":["is secret"]}}}}}`), "", "")
	if err := h.SetServers(t.Context(), c.Servers).Err(); err != nil {
		t.Fatal(err)
	}
	// An alias does not evade the settings.
	if _, err := h.Call(t.Context(), "mcp__s__list", raw(`{"`+top+`":100,"nested":{"`+top+`":1}}`)); err != nil {
		t.Fatal(err)
	}
	s.WantCall("list", map[string]any{"$top": 5, "nested": map[string]any{top: 1}})
	if _, err := h.Call(t.Context(), "mcp__s__list", raw(`{"`+secret+`":true}`)); err == nil || !strings.Contains(err.Error(), `"is secret" is not available`) {
		t.Errorf("an argument that is omitted: %v", err)
	}
	if _, err := h.Call(t.Context(), "mcp__s__list", raw(`{"`+top+`":1,"$top":2}`)); err == nil || !strings.Contains(err.Error(), "under two names") {
		t.Errorf("both names: %v", err)
	}
	search := h.ToolSearch(&host.SearchOptions{Threshold: -1}).Tools()
	if _, err := search[1].Execute(t.Context(), raw(`{"name":"mcp__s__own","arguments":{"`+top+`":1}}`)); err != nil {
		t.Fatal(err)
	}
	s.WantCall("own", map[string]any{top: 1})
	if !strings.Contains(approved[0], `"$top":5`) || strings.Contains(approved[0], `"`+top+`":100`) {
		t.Errorf("approved: %q", approved)
	}
}
