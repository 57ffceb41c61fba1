package host_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestNamingOfTheProgram: an invalid or taken name ends with a hash, and after a panic
// the host names the tool itself.
func TestNamingOfTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		for _, tool := range []string{"good", "spaces", "long", "none", "panics", "same", "same2"} {
			server.Tool(tool, nil, func(*mcptest.Call) (any, error) { return tool, nil })
		}
		name := func(server, tool string) string {
			switch tool {
			case "spaces":
				return "a b"
			case "long":
				return strings.Repeat("x", 65)
			case "none":
				return ""
			case "panics":
				panic("no name")
			case "same2":
				tool = "same"
			}
			return server + "-" + tool
		}
		h := hostOf(t, host.Options{Naming: name}, map[string]*mcptest.Server{"x": server})
		var names []string
		for _, tool := range h.Tools() {
			names = append(names, tool.Name())
			if text, err := h.Execute(t.Context(), tool.Name(), nil); err != nil || text != tool.Definition().Name {
				t.Errorf("%s: %q, %v", tool.Name(), text, err)
			}
		}
		hash := "_[0-9a-f]{12}$"
		for i, want := range []string{"x-good$", "a_b" + hash, strings.Repeat("x", 51) + hash, "mcp__x__none$", "mcp__x__panics$", "x-same$", "x-same" + hash} {
			if !regexp.MustCompile("^" + want).MatchString(names[i]) {
				t.Errorf("%s, want %s", names[i], want)
			}
		}
	})
}

// TestNamingOfLazyServer: the function tells which server may have a tool.
func TestNamingOfLazyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil)}
		servers := fs.servers()
		for _, s := range servers {
			s.Lazy = true
		}
		h := newHost(t, fs.with(host.Options{Naming: func(server, tool string) string { return "use-" + server + "-" + tool }}))
		h.SetServers(t.Context(), servers)
		if text, err := h.Execute(t.Context(), "use-b-echo", raw(`{"message":"hi"}`)); text != "hi" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if fs["a"].opened() != 0 {
			t.Error("the other server was connected")
		}
	})
}

// TestToolOfServerThatReconnects: it exists, and its call waits.
func TestToolOfServerThatReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		f.failWith(errors.New("not yet"))
		f.crash()
		awaitState(t, events, "x", host.Reconnecting)
		tool := h.Tool("mcp__x__echo")
		if tool == nil || tool.Connected() || h.View("x").Tool("mcp__x__echo") == nil || h.View("y").Tool("mcp__x__echo") != nil {
			t.Fatalf("%v", tool)
		}
		if h.Snapshot().Tool("mcp__x__echo") != nil || h.Tool("mcp__x__nothing") != nil || h.Tool("") != nil {
			t.Error("too many tools")
		}
		time.AfterFunc(time.Second/2, func() { f.failWith(nil) })
		start := time.Now()
		if text, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); text != "hi" || err != nil || time.Since(start) < time.Second/2 {
			t.Errorf("after %v: %q, %v", time.Since(start), text, err)
		}
		if err := h.SetEnabled("x", false); err != nil || h.Tool("mcp__x__echo") != nil {
			t.Errorf("a disabled server has tools: %v", err)
		}
		if err := h.SetEnabled("x", true); err != nil {
			t.Error(err)
		}
		if err := h.RemoveServer(t.Context(), "x"); err != nil || h.Tool("mcp__x__echo") != nil {
			t.Errorf("a removed server has tools: %v", err)
		}
	})
}

// TestTemplatesAndCompletions: of a host and of a view, which may exclude the server.
func TestTemplatesAndCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		f.crash() // they wait for the server
		synctest.Wait()
		view, other := h.View("x"), h.View("y")
		ref := mcp.PromptRef("review")
		for _, templates := range [][]*mcp.ResourceTemplate{
			must(h.ListResourceTemplates(t.Context(), "x")), must(view.ListResourceTemplates(t.Context(), "x")),
		} {
			if len(templates) == 0 {
				t.Error("no templates")
			}
		}
		c, d := must(h.Complete(t.Context(), "x", ref, "language", "g", nil)), must(view.Complete(t.Context(), "x", ref, "language", "g", nil))
		if fmt.Sprint(c.Values, d.Values) != "[go] [go]" {
			t.Errorf("%v, %v", c, d)
		}
		_, err := other.ListResourceTemplates(t.Context(), "x")
		_, err2 := other.Complete(t.Context(), "x", ref, "language", "g", nil)
		_, err3 := h.Complete(t.Context(), "x", mcp.PromptRef("none"), "name", "", nil)
		_, err4 := h.ListResourceTemplates(t.Context(), "none")
		var e *host.Error
		if !errors.Is(err, host.ErrUnknownServer) || !errors.Is(err2, host.ErrUnknownServer) || !errors.As(err3, &e) || !errors.Is(err4, host.ErrUnknownServer) {
			t.Errorf("%v, %v, %v, %v", err, err2, err3, err4)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestCallToolOfView: with the approver of the view, and only what it contains.
func TestCallToolOfView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil), "y": newFake(nil)}.start(t, host.Options{})
		view := h.View("x")
		res, err := view.CallTool(t.Context(), "x", "echo", map[string]any{"message": "hi"})
		if err != nil || res.Text() != "hi" {
			t.Errorf("%v, %v", res, err)
		}
		only := view.Can(host.Capabilities{"mcp_x_add"})
		for want, call := range map[error]func() error{
			host.ErrUnknownServer: func() error { _, err := view.CallTool(t.Context(), "y", "echo", nil); return err },
			host.ErrUnknownTool:   func() error { _, err := only.CallTool(t.Context(), "x", "echo", nil); return err },
			host.ErrDenied: func() error {
				_, err := view.With(host.Rules(host.Rule{Tool: "*", Action: "deny"})).CallTool(t.Context(), "x", "echo", nil)
				return err
			},
		} {
			if err := call(); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	})
}

// TestRequiredArguments: those that the settings always send are not required.
func TestRequiredArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(&testserver.Options{})}
		servers := fs.servers()
		h := newHost(t, fs.with(host.Options{}))
		h.SetServers(t.Context(), servers)
		if got := h.Tool("mcp__x__add").Required(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%q", got)
		}
		own := *servers[0]
		own.Overrides = map[string]*config.Override{"add": {Arguments: map[string]mcp.RawMessage{"a": raw("1")}}}
		h.SetServers(t.Context(), []*host.Server{&own})
		if got := h.Tool("mcp__x__add").Required(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("with an override: %q", got)
		}
		if got := (*host.Tool)(nil).Required(); got != nil {
			t.Errorf("%q", got)
		}
	})
}

func TestErrorsOfDiffAreSorted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{}
		for _, name := range []string{"d", "b", "a", "c"} {
			fs[name] = newFake(nil)
			fs[name].failWith(errors.New("no " + name))
		}
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		names := ""
		for _, err := range h.SetServers(t.Context(), fs.servers()).SortedErrors() {
			names += err.(*host.Error).Server
		}
		if names != "abcd" || (*host.Diff)(nil).SortedErrors() != nil {
			t.Error(names)
		}
	})
}
