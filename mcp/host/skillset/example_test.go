package skillset_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/skillset"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func ExampleNew() {
	server := mcptest.New(new(testing.T)) // a server with a skill
	server.Skill("skill://acme/refunds", map[string]string{"GUIDE.md": "Ask twice."})
	server.Skill("skill://acme/drafts", nil).Unlisted()
	ctx := context.Background()
	h := host.New(&host.Options{Dialers: host.Dialers{config.SDK: host.InProcess(map[string]mcp.Transport{"shop": server})}})
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "shop", Type: config.SDK}})

	set := skillset.New(h, nil)
	fmt.Print(set.Prompt(ctx))
	for _, tool := range set.Tools() {
		fmt.Println(tool.Name())
	}
	list, err := set.List(ctx)
	fmt.Println(list[0].ID, list[0].Server, list[0].URI, err)
	skill, err := set.Open(ctx, "shop__refunds")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := skill.Read(ctx, "GUIDE.md")
	fmt.Println(string(text), err)
	fmt.Println(set.Pin(ctx, "shop__refunds"))
	draft, err := set.Find(ctx, "shop", "skill://acme/drafts/SKILL.md") // as the user says
	fmt.Println(draft.ID, err)
	// Output:
	// Skills, which the tool read_skill reads. Read the one that fits a task before you begin it.
	// - shop__refunds: A skill for tests
	// list_skills
	// read_skill
	// read_skill_file
	// shop__refunds shop skill://acme/refunds/SKILL.md <nil>
	// Ask twice. <nil>
	// <nil>
	// shop__drafts <nil>
}
