package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestExecuteByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		text, err := h.Execute(t.Context(), "mcp__x__echo", raw(`{"message":"hi"}`))
		if text != "hi" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		res, err := h.View("x").Call(t.Context(), "mcp__x__add", raw(`{"a":1,"b":2}`))
		if err != nil || res.Text() != "3" {
			t.Errorf("%v, %v", res, err)
		}
		for _, none := range []string{"", "null", " null\n", "{}"} {
			if _, err := h.Execute(t.Context(), "mcp__x__add_tool", raw(none)); err != nil {
				t.Errorf("input %q: %v", none, err)
			}
		}
		if _, err := h.Execute(t.Context(), "mcp__x__fail", raw(`{"message":"sorry"}`)); !errors.Is(err, host.ErrTool) || !strings.Contains(err.Error(), "sorry") {
			t.Error(err)
		}
	})
}

// TestNonsenseOfAModel: every error tells the model what to change.
func TestNonsenseOfAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil), "y": newFake(nil)}.start(t, host.Options{})
		big := strings.Repeat("x", 10<<20)
		for _, tt := range []struct{ name, input, code, says string }{
			{"mcp__x__ehco", `{}`, "UNKNOWN_TOOL", `tool "mcp__x__ehco" was not called: unknown tool; did you mean "mcp__x__echo"`},
			{"echo", `{}`, "UNKNOWN_TOOL", `did you mean "mcp__x__echo" or "mcp__y__echo"?`},
			{"mcp__github__search_everything", `{}`, "UNKNOWN_TOOL", "none of the 34 tools has a similar name"},
			{"", `{}`, "UNKNOWN_TOOL", `tool "" was not called`},
			{"a\x1b[31m\nb", `{}`, "UNKNOWN_TOOL", `tool "a b" was not called`},
			{big, `{}`, "UNKNOWN_TOOL", `xxx..." was not called`},
			{"mcp__x__add", `{"a":1,`, "INVALID_ARGUMENTS", `tool "add" was not called: arguments: `},
			{"mcp__x__add", `{"a":1}}`, "INVALID_ARGUMENTS", `tool "add" was not called: arguments: `},
			{"mcp__x__add", `[1,2]`, "INVALID_ARGUMENTS", `arguments: [1,2] is not a JSON object`},
			{"mcp__x__add", `"{\"a\":1}"`, "INVALID_ARGUMENTS", `arguments: "{\"a\":1}" is not a JSON object`},
			{"mcp__x__add", `{"a":"one","b":2}`, "", "a"},
			{"mcp__x__echo", `{"message":"` + big + `"}`, "INVALID_ARGUMENTS", `10485774 bytes are too many; send at most 4194304`},
		} {
			_, err := h.Execute(t.Context(), tt.name, raw(tt.input))
			e := (*host.Error)(nil)
			if !errors.As(err, &e) || tt.code != "" && e.Code != tt.code || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 1000 {
				t.Errorf("%.40q %.40s: %.300v", tt.name, tt.input, err)
			}
			if tt.code == "UNKNOWN_TOOL" && !errors.Is(err, host.ErrUnknownTool) {
				t.Errorf("%.40q: the error does not match ErrUnknownTool", tt.name)
			}
			t.Logf("%.200v", err)
		}
		if _, err := newHost(t, nil).Execute(t.Context(), "x", nil); err == nil || !strings.Contains(err.Error(), "no tools are available") {
			t.Error(err)
		}
		read := h.ResourceTools()[1]
		if _, err := read.Execute(t.Context(), raw(`{"a":`+big)); err == nil || !strings.Contains(err.Error(), "too many") {
			t.Errorf("%.300v", err)
		}
	})
}

func TestExecuteWaitsForARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		f.crash()
		awaitState(t, events, "x", host.Reconnecting)
		if h.Snapshot().Tool("mcp__x__echo") != nil {
			t.Fatal("the tools of a crashed server are still there")
		}
		if text, err := h.Execute(t.Context(), "mcp__x__echo", raw(`{"message":"hi"}`)); text != "hi" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		f.failWith(errors.New("out of order"))
		f.crash()
		awaitState(t, events, "x", host.Reconnecting)
		if _, err := h.Execute(t.Context(), "mcp__x__echo", nil); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Error(err)
		}
	})
}

func TestExecuteWaitsForTheFirstConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"slow": newFake(nil), "lazy": newFake(nil), "lazy__two": newFake(nil), "other": newFake(nil)}
		o := fs.with(host.Options{})
		dial := o.Dialers[config.SDK]
		o.Dialers[config.SDK] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			if d.Name == "slow" {
				time.Sleep(5 * time.Second)
			}
			return dial(context.Background(), d)
		}
		h := newHost(t, o)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		servers := fs.servers()
		servers[0].Lazy, servers[1].Lazy = true, true
		if d := h.SetServers(ctx, servers); len(d.Pending) != 1 {
			t.Fatal(d.Pending)
		}
		for _, name := range []string{"mcp__slow__echo", "mcp__lazy__echo", host.MCPServerTool("lazy__two", "echo")} {
			if text, err := h.Execute(t.Context(), name, raw(`{"message":"hi"}`)); text != "hi" || err != nil {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		if fs["other"].opened() != 1 {
			t.Error("an unrelated server was connected again")
		}
	})
}

// TestExecuteConnectsToNoUnrelatedServer: a name that a model made up starts no
// process.
func TestExecuteConnectsToNoUnrelatedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"lazy": newFake(nil), "off": newFake(nil)}
		h := newHost(t, fs.with(host.Options{}))
		servers := fs.servers()
		servers[0].Lazy, servers[1].Disabled = true, true
		h.SetServers(t.Context(), servers)
		for _, name := range []string{"mcp__none__x", "mcp__off__echo", "lazy", ""} {
			if _, err := h.Execute(t.Context(), name, nil); !errors.Is(err, host.ErrUnknownTool) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := h.View("other").Execute(t.Context(), "mcp__lazy__echo", nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Error(err)
		}
		if fs["lazy"].opened()+fs["off"].opened() != 0 {
			t.Error("a server was connected")
		}
		// A server that fails is the reason, not the name.
		fs["lazy"].failWith(errors.New("out of order"))
		if _, err := h.Execute(t.Context(), "mcp__lazy__echo", nil); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Error(err)
		}
	})
}

func TestViewExecutesOnlyItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil), "y": newFake(nil)}.start(t, host.Options{})
		v := h.View("x").Can(host.Capabilities{"mcp_x_add"})
		for _, name := range []string{"mcp__x__echo", "mcp__y__add"} {
			if _, err := v.Execute(t.Context(), name, nil); !errors.Is(err, host.ErrUnknownTool) || strings.Contains(err.Error(), "y__add\" or") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if text, err := v.Execute(t.Context(), "mcp__x__add", raw(`{"a":1,"b":1}`)); text != "2" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestCallText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		args := map[string]any{"message": "hi"}
		for how, call := range map[string]func() (string, error){
			"Tool": func() (string, error) { return h.Tool("mcp__x__echo").CallText(t.Context(), args) },
			"Host": func() (string, error) { return h.CallText(t.Context(), "mcp__x__echo", args) },
			"View": func() (string, error) { return h.View("x").CallText(t.Context(), "mcp__x__echo", args) },
		} {
			if text, err := call(); err != nil || !strings.Contains(text, "hi") {
				t.Errorf("%s: %s, %v", how, text, err)
			}
		}
		if _, err := h.CallText(t.Context(), "mcp__x__fail", nil); !errors.Is(err, host.ErrTool) {
			t.Error(err)
		}
		if _, err := h.CallText(t.Context(), "mcp__x__echo", make(chan int)); err == nil {
			t.Error("a channel is an argument")
		}
		if _, err := h.Tool("none").CallText(t.Context(), nil); !errors.Is(err, host.ErrUnknownTool) {
			t.Error(err)
		}
	})
}

// TestToolOfDisabledServerIsNotReplaced: the error does not lead the model to the tool
// of another server.
func TestToolOfDisabledServerIsNotReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil), "b": newFake(nil), "c": newFake(nil)}
		servers := fs.servers()
		servers[2].Disabled = true
		h := newHost(t, fs.with(host.Options{}))
		h.SetServers(t.Context(), servers)
		_ = h.SetEnabled("a", false)
		for _, name := range []string{"mcp__a__echo", "mcp__c__echo"} {
			_, err := h.Execute(t.Context(), name, nil)
			if err == nil || strings.Contains(err.Error(), "mcp__b__echo") || !strings.Contains(err.Error(), "disabled") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
