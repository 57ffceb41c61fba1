package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// TestToolsForAppsAreHiddenFromModels: a tool whose visibility lacks "model" is
// for the program alone.
func TestToolsForAppsAreHiddenFromModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tooled{`{"name":"both","_meta":{"ui":{"visibility":["app","model"]}}},{"name":"usual","_meta":{"ui":{}}},` +
			`{"name":"app","_meta":{"ui":{"visibility":["app"]}}},{"name":"none","_meta":{"ui":{"visibility":[]}}},{"name":"odd","_meta":{"ui":{"visibility":"app"}}}`}
		h := s.start(t, host.Options{})
		defer h.Shutdown(t.Context())
		want := []string{"mcp__x__both", "mcp__x__usual", "mcp__x__odd"}
		if got := names(h.Tools()); !slices.Equal(got, want) {
			t.Errorf("models see %q", got)
		}
		if got := names(h.View("x").Tools()); !slices.Equal(got, want) {
			t.Errorf("an agent sees %q", got)
		}
		status, err := h.ServerStatus("x")
		if err != nil || len(status.Tools) != 3 {
			t.Errorf("%v, %v", status, err)
		}
		if _, err := h.Execute(t.Context(), "mcp__x__app", nil); !errors.Is(err, host.ErrUnknownTool) || h.Tool("mcp__x__app") != nil {
			t.Errorf("a model can call it: %v", err)
		}
		if res, err := h.CallTool(t.Context(), "x", "app", nil); err != nil || res.Text() != "done" {
			t.Errorf("%v, %v", res, err)
		}
		apps := h.AppTools()
		if got := names(apps); !slices.Equal(got, []string{"mcp__x__app", "mcp__x__none"}) {
			t.Errorf("%q", got)
		}
		if text, err := apps[0].Execute(t.Context(), nil); text != "done" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		s.tools = `{"name":"both","_meta":{"ui":{"visibility":["app"]}}},{"name":"app","_meta":{"ui":{"visibility":["model"]}}}`
		if d := h.Refresh(t.Context()); d.Err() != nil || !slices.Equal(names(h.AppTools()), []string{"mcp__x__both"}) || !slices.Equal(names(h.Tools()), []string{"mcp__x__app"}) {
			t.Errorf("after a change of the visibility alone: %v, %q, %q", d.Err(), names(h.AppTools()), names(h.Tools()))
		}
		if err := h.SetEnabled("x", false); err != nil || len(h.AppTools()) != 0 {
			t.Error("a disabled server has tools")
		}
	})
}

func ExampleHost_AppTools() {
	ctx := context.Background()
	s := &tooled{`{"name":"show"},{"name":"poll","_meta":{"ui":{"visibility":["app"]}}}`}
	h := host.New(s.options(host.Options{}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "x", Type: "sdk"}})
	fmt.Println(names(h.Tools()), names(h.AppTools()))
	// Output: [mcp__x__show] [mcp__x__poll]
}
