package mcp_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// everything asks for all that the echo server tells of.
var everything = mcp.SubscriptionFilter{
	ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
	ResourceSubscriptions: []string{"echo://text"},
}

func TestSubscriptionTellsOfChanges(t *testing.T) {
	for _, revision := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := speaking(revision)
			server := testserver.New(&o)
			c := open(t, server, nil)
			sub, err := c.Subscribe(t.Context(), &everything)
			if err != nil {
				t.Fatal(err)
			}
			if got := sub.Honored(); !got.ToolsListChanged || len(got.ResourceSubscriptions) != 1 {
				t.Errorf("%s: honored %+v", revision, got)
			}
			for tool, want := range map[string]mcp.Change{
				"update":   {Kind: mcp.ResourceUpdated, URI: "echo://text"},
				"add_tool": {Kind: mcp.ToolsChanged},
			} {
				if _, err := c.CallTool(t.Context(), tool, nil); err != nil {
					t.Fatal(err)
				}
				for {
					got, err := sub.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if got == want {
						break
					}
				}
			}
			sub.Close()
			if _, err := sub.Next(t.Context()); err != io.EOF {
				t.Errorf("%s: after Close: %v", revision, err)
			}
			sub.Close()
			if v := server.Violations(); v != nil {
				t.Errorf("%s: %q", revision, v)
			}
		})
	}
}

func TestSubscriptionsAreApart(t *testing.T) {
	for _, revision := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := speaking(revision)
			c := open(t, testserver.New(&o), nil)
			tools, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
			if err != nil {
				t.Fatal(err)
			}
			text, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"echo://text"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.CallTool(t.Context(), "add_tool", nil); err != nil {
				t.Fatal(err)
			}
			if got, err := tools.Next(t.Context()); err != nil || got.Kind != mcp.ToolsChanged {
				t.Errorf("%s: %v, %v", revision, got, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if got, err := text.Next(ctx); !errors.Is(err, ctx.Err()) || err == nil {
				t.Errorf("%s: the other was told of %v, %v", revision, got, err)
			}
			c.Close()
			for _, sub := range []*mcp.Subscription{tools, text} {
				if _, err := sub.Next(t.Context()); !errors.Is(err, mcp.ErrClosed) && err != io.EOF {
					t.Errorf("%s: after the client's Close: %v", revision, err)
				}
				sub.Close()
			}
		})
	}
}

func TestSubscriptionTellsABurstOnce(t *testing.T) {
	for _, revision := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := speaking(revision)
			c := open(t, testserver.New(&o), nil)
			sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"echo://text"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			for range 20 {
				if _, err := c.CallTool(t.Context(), "update", nil); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			n := 0
			for {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				_, err := sub.Next(ctx)
				cancel()
				if err != nil {
					break
				}
				n++
			}
			if n != 1 {
				t.Errorf("%s: told %d times", revision, n)
			}
		})
	}
}

func TestSubscriptionEndsWhenTheServerSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := speaking(modern)
		c := open(t, testserver.New(&o), nil)
		sub, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "end_listen", nil); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err = sub.Next(t.Context()); err != nil {
				break
			}
		}
		if err != io.EOF {
			t.Error(err)
		}
		// The next one is not held up by it.
		again, err := c.Subscribe(t.Context(), &everything)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
	})
}

func TestSetLogLevelAndComplete(t *testing.T) {
	for _, revision := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := speaking(revision)
			server := testserver.New(&o)
			c := open(t, server, nil)
			if err := c.SetLogLevel(t.Context(), mcp.LevelError); err != nil {
				t.Errorf("%s: %v", revision, err)
			}
			got, err := c.Complete(t.Context(), mcp.PromptRef("review"), "language", "g", map[string]string{"x": "y"})
			if err != nil || len(got.Values) == 0 || got.Values[0] != "go" {
				t.Errorf("%s: %+v, %v", revision, got, err)
			}
			_, err = c.Complete(t.Context(), mcp.TemplateRef("echo://greeting/{name}"), "name", "", nil)
			if err != nil {
				t.Errorf("%s: %v", revision, err)
			}
			if v := server.Violations(); v != nil {
				t.Errorf("%s: %q", revision, v)
			}
		})
	}
}
