package mcp_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestUndeclaredListsAreEmpty: the client asks for none of them, except for the
// tools of a legacy server, which early servers do not declare.
func TestUndeclaredListsAreEmpty(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s := p.server(testserver.Options{Without: []string{"tools", "prompts", "resources", "completions"}})
		c := p.open(t, s, nil)
		synctest.Wait()
		before := len(receivedMethods(s))
		wantEmptyLists(t, c)
		var want []string
		if p.version == legacy {
			want = []string{"tools/list"}
		}
		if got := receivedMethods(s)[before:]; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// TestUnknownListsAreEmpty: a server declares everything and implements nothing.
func TestUnknownListsAreEmpty(t *testing.T) {
	for _, version := range eras {
		_, rwc := newPeer(t, version, func(p *peer, m request) {
			if m.ID != nil {
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`)
			}
		})
		c := connectStream(t, rwc, nil)
		wantEmptyLists(t, c)
		_, err := c.GetPrompt(t.Context(), "any", nil)
		wantCode(t, err, -32601)
	}
}

func wantEmptyLists(t *testing.T, c *mcp.Client) {
	t.Helper()
	ctx := t.Context()
	tools, err := c.ListTools(ctx)
	if err != nil || tools == nil || len(tools) != 0 {
		t.Errorf("tools %v, %v", tools, err)
	}
	prompts, err := c.ListPrompts(ctx)
	if err != nil || len(prompts) != 0 {
		t.Errorf("prompts %v, %v", prompts, err)
	}
	resources, err := c.ListResources(ctx)
	if err != nil || len(resources) != 0 {
		t.Errorf("resources %v, %v", resources, err)
	}
	templates, err := c.ListResourceTemplates(ctx)
	if err != nil || len(templates) != 0 {
		t.Errorf("templates %v, %v", templates, err)
	}
	completion, err := c.Complete(ctx, mcp.PromptRef("any"), "name", "v", nil)
	if err != nil || len(completion.Values) != 0 {
		t.Errorf("completion %v, %v", completion, err)
	}
}

// TestNothingToSubscribeTo: the client asks only for what the server declares.
func TestNothingToSubscribeTo(t *testing.T) {
	all := &mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"a:b"}}
	onEveryRoute(t, func(t *testing.T, p route) {
		if p.version == legacy {
			return
		}
		s := p.server(testserver.Options{Without: []string{"listChanged", "subscribe"}})
		c := p.open(t, s, nil)
		for _, filter := range []*mcp.SubscriptionFilter{nil, all} {
			_, err := c.Subscribe(t.Context(), filter)
			wantError(t, err, mcp.ErrNoChanges, "subscriptions/listen")
		}
		if n := count(receivedMethods(s), "subscriptions/listen"); n != 0 {
			t.Errorf("asked %d times", n)
		}
		c = p.open(t, p.server(testserver.Options{Without: []string{"subscribe", "prompts"}}), nil)
		sub, err := c.Subscribe(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		if h := sub.Honored(); !h.ToolsListChanged || h.PromptsListChanged || !h.ResourcesListChanged || h.ResourceSubscriptions != nil {
			t.Errorf("honored %+v", h)
		}
	})
}
