package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestSkillsOfTwoServers(t *testing.T) {
	shop, wiki := mcptest.New(t), mcptest.New(t)
	shop.Skill("skill://acme/refunds", map[string]string{
		"SKILL.md": "---\nname: refunds\ndescription: Process refunds\n---\n", "GUIDE.md": "Ask twice.\n"})
	wiki.Skill("skill://wiki/refunds", map[string]string{"SKILL.md": "---\nname: refunds\ndescription: Explain refunds\n---\n"})
	h := host.New(&host.Options{Dialers: host.Dialers{mcpconfig.SDK: host.InProcess(map[string]mcp.Transport{"shop": shop, "wiki": wiki})}})
	defer h.Shutdown(context.Background())
	servers := []*host.Server{{Name: "shop", Type: mcpconfig.SDK}, {Name: "wiki", Type: mcpconfig.SDK}}
	if err := h.SetServers(t.Context(), servers).Err(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := show(t.Context(), h, &out, []string{"shop__refunds", "GUIDE.md"}); err != nil {
		t.Fatal(err)
	}
	const want = `shop__refunds (skill://acme/refunds/SKILL.md of server shop): "Process refunds"
wiki__refunds (skill://wiki/refunds/SKILL.md of server wiki): "Explain refunds"
Ask twice.
`
	if out.String() != want {
		t.Errorf("have %s\nwant %s", &out, want)
	}
}
