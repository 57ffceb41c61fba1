package host_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// Polling a tool needs approval like any other call.
func TestPollingIsApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: host.Rules(host.Rule{Tool: "mcp__*", Action: host.Deny})})
		events := h.Events(t.Context())
		if _, err := h.ResourceTools()[4].Execute(t.Context(), raw(`{"type":"tool","server":"x","toolName":"add_tool"}`)); err != nil {
			t.Fatal(err)
		}
		e := await(t, events, "a refusal", func(e host.Event) bool { return e.Kind == host.Polled })
		if !errors.Is(e.Err, host.ErrDenied) {
			t.Errorf("%+v", e)
		}
		// A view's resource tools cannot reach other servers.
		tools := h.View("y").ResourceTools()
		for i, input := range []string{`{"server":"x"}`, `{"server":"x","uri":"echo://text"}`, `{"server":"x","uri":"echo://text"}`, `{"server":"x"}`,
			`{"type":"resource","server":"x","uri":"echo://text"}`, `{"server":"x"}`} {
			if _, err := tools[i].Execute(t.Context(), raw(input)); !errors.Is(err, host.ErrUnknownServer) {
				t.Errorf("%s: %v", tools[i].Name(), err)
			}
		}
	})
}

// The resource tools read their arguments as encoding/json does, or reject
// them.
func FuzzResourceTools(f *testing.F) {
	for _, seed := range []string{
		`{"server":"x","uri":"u","reason":"r"}`, `{"type":"tool","server":"x","toolName":"t","arguments":{"a":[1]},"intervalMs":1000}`,
		`{"subscriptionId":"resource-1","target":null}`, `{"server":7}`, `[]`, `null`, `{"intervalMs":1e3}`, `{"server":"\u0000"}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		h := host.New(nil)
		defer h.Shutdown(t.Context())
		for _, tool := range h.ResourceTools() {
			text, err := tool.Execute(t.Context(), input)
			var in map[string]any
			if valid := len(input) == 0 || json.Unmarshal(input, &in) == nil; err == nil && (!valid || !json.Valid([]byte(text))) {
				t.Errorf("%s accepts %q and returns %q", tool.Name(), input, text)
			}
			if server, _ := in["server"].(string); server != "" && err == nil && !strings.HasPrefix(tool.Name(), "Unsubscribe") {
				t.Errorf("%s accepts %q, but the server does not exist", tool.Name(), input)
			}
		}
	})
}

func TestResourceSubscriptions(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(&testserver.Options{ProtocolVersions: []string{version}})
			h := fakes{"x": f}.start(t, host.Options{})
			events := h.Events(t.Context())
			tools := make(map[string]*host.Tool)
			for _, tool := range h.ResourceTools() {
				tools[tool.Name()] = tool
			}
			run := func(name, input string) string {
				text, err := tools[name].Execute(t.Context(), raw(input))
				if err != nil {
					return err.Error()
				}
				return text
			}
			changed := func() host.Event {
				t.Helper()
				return await(t, events, "a change", func(e host.Event) bool { return e.Kind == host.ResourceChanged })
			}
			if got := run("SubscribeMcpResource", `{"server":"x","uri":"echo://text","reason":"curious"}`); got != `{"subscribed":true,"subscriptionId":"resource-1"}` {
				t.Errorf("%s: %s", version, got)
			}
			if _, err := h.CallTool(t.Context(), "x", "update", nil); err != nil {
				t.Fatal(err)
			}
			if e := changed(); e.URI != "echo://text" || e.Subscription != "resource-1" || e.Reason != "curious" || e.Server != "x" {
				t.Errorf("%+v", e)
			}
			f.crash() // the host subscribes again
			changed()
			if _, err := h.CallTool(t.Context(), "x", "update", nil); err != nil {
				t.Fatal(err)
			}
			changed()
			if got := run("UnsubscribeMcpResource", `{"server":"x","uri":"echo://text"}`); got != `{"unsubscribed":true}` {
				t.Errorf("%s", got)
			}
			if got := run("UnsubscribeMcpResource", `{"subscriptionId":"resource-1"}`); got != `{"unsubscribed":false}` {
				t.Errorf("%s", got)
			}
			for name, input := range map[string]string{
				"ReadMcpResource": `{"server":"x"}`, "SubscribeMcpResource": `{"uri":"u"}`, "UnsubscribeMcpResource": `{}`,
				"SubscribePolling": `{"type":"tool","server":"x"}`, "UnsubscribePolling": `[]`,
			} {
				if _, err := tools[name].Execute(t.Context(), raw(input)); err == nil {
					t.Errorf("%s accepts %s", name, input)
				}
			}
		})
	}
}

func TestPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		h := fakes{"x": f}.start(t, host.Options{})
		events := h.Events(t.Context())
		tools := h.ResourceTools()
		subscribe, unsubscribe := tools[4], tools[5]
		if _, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"x","uri":"echo://text","intervalMs":999}`)); err == nil {
			t.Error("an interval of 999 ms is accepted")
		}
		if _, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"nobody","uri":"echo://text"}`)); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("polling an unknown server: %v", err)
		}
		text, err := subscribe.Execute(t.Context(), raw(`{"type":"resource","server":"x","uri":"echo://text","reason":"r"}`))
		if err != nil || !strings.Contains(text, `"polling-1"`) {
			t.Fatal(text, err)
		}
		e := await(t, events, "the first value", func(e host.Event) bool { return e.Kind == host.Polled })
		if e.URI != "echo://text" || e.Reason != "r" || !strings.HasPrefix(e.Text, `{"contents":[`) {
			t.Errorf("%+v", e)
		}
		time.Sleep(51 * time.Second)
		reads := 0
		for _, m := range f.Received() {
			if m.Method == "resources/read" {
				reads++
			}
		}
		if reads != 11 {
			t.Errorf("%d reads in 51 seconds", reads)
		}
		if _, err = subscribe.Execute(t.Context(), raw(`{"type":"tool","server":"x","toolName":"add","arguments":{"a":1,"b":2},"intervalMs":1000}`)); err != nil {
			t.Fatal(err)
		}
		if e := await(t, events, "the tool", func(e host.Event) bool { return e.Kind == host.Polled }); e.Tool != "add" || e.Text != "3" {
			t.Errorf("%+v", e)
		}
		for _, input := range []string{`{"server":"x","target":"add"}`, `{"subscriptionId":"polling-1"}`} {
			if text, err := unsubscribe.Execute(t.Context(), raw(input)); err != nil || text != `{"unsubscribed":true}` {
				t.Errorf("%s: %s, %v", input, text, err)
			}
		}
	})
}

func TestListAndReadResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		list, err := h.ListResources(t.Context(), "x")
		if err != nil || len(list) == 0 {
			t.Fatal(err)
		}
		res, err := h.ReadResource(t.Context(), "x", list[0].URI)
		if err != nil || len(res.Contents) == 0 {
			t.Errorf("%v, %v", res, err)
		}
		if _, err := h.ReadResource(t.Context(), "x", "echo://nothing"); err == nil {
			t.Error("an unknown resource can be read")
		}
		tools := h.ResourceTools()
		text, err := tools[0].Execute(t.Context(), raw(`{"server":"x"}`))
		if err != nil || !strings.Contains(text, `"uri":"`+list[0].URI+`"`) || !strings.Contains(text, `"server":"x"`) {
			t.Errorf("%s, %v", text, err)
		}
		text, err = tools[1].Execute(t.Context(), raw(`{"server":"x","uri":"`+list[0].URI+`"}`))
		if err != nil || !strings.HasPrefix(text, `{"contents":[{"uri":"`+list[0].URI) {
			t.Errorf("%s, %v", text, err)
		}
	})
}

func TestListMcpResourcesConnectsLazyServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil), "y": newFake(nil)}
		servers := fs.servers()
		servers[1].Lazy = true
		h := newHost(t, fs.with(host.Options{}))
		h.SetServers(t.Context(), servers)
		h.ResourceTools()
		text, err := h.Execute(t.Context(), "ListMcpResources", nil)
		if err != nil || !strings.Contains(text, `"server":"y"`) || !strings.Contains(text, `"server":"x"`) {
			t.Errorf("%s, %v", text, err)
		}
	})
}

func TestViewEndsOnlyItsOwnSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{})
		first, second := h.View("x"), h.View("x")
		for _, v := range []*host.View{first, second} {
			v.ResourceTools()
			if text, err := v.Execute(t.Context(), "SubscribeMcpResource", raw(`{"server":"x","uri":"echo://text"}`)); err != nil {
				t.Fatal(text, err)
			}
		}
		end := func(v *host.View, input string) string {
			text, err := v.Execute(t.Context(), "UnsubscribeMcpResource", raw(input))
			if err != nil {
				t.Error(err)
			}
			return text
		}
		if got := end(second, `{"subscriptionId":"resource-1"}`); got != `{"unsubscribed":false}` {
			t.Error("a view ended a subscription of another one")
		}
		if got := end(second, `{"server":"x"}`) + end(first, `{"server":"x"}`); got != `{"unsubscribed":true}{"unsubscribed":true}` {
			t.Error(got)
		}
	})
}
