package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// always returns an Approver with a constant decision.
func always(d host.Decision, err error) host.Approver {
	return func(context.Context, *host.Call) (host.Decision, error) { return d, err }
}

func TestCombinedApprovers(t *testing.T) {
	failure := errors.New("no terminal")
	for _, test := range []struct {
		approve host.Approver
		want    host.Decision
		err     error
	}{
		{host.First(), host.Undecided, nil},
		{host.First(always(host.Undecided, nil), always(host.Deny, nil), always(host.Allow, nil)), host.Deny, nil},
		{host.First(always(host.Undecided, failure), always(host.Allow, nil)), host.Undecided, failure},
		{host.First(always(host.Ask, nil), always(host.Allow, nil)), host.Ask, nil},
		{host.Asking(always(host.Ask, nil), always(host.Allow, nil)), host.Allow, nil},
		{host.Asking(always(host.Undecided, nil), always(host.Deny, nil)), host.Deny, nil},
		{host.Asking(always(host.Allow, nil), always(host.Deny, nil)), host.Allow, nil},
		{host.Asking(always(host.Deny, nil), always(host.Allow, nil)), host.Deny, nil},
	} {
		if got, err := test.approve(t.Context(), &host.Call{}); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%q, %v, want %q, %v", got, err, test.want, test.err)
		}
	}
}

// A call is made only if the approvers of the view and of the host allow it.
func TestDecisions(t *testing.T) {
	failure := errors.New("no terminal")
	none := host.Approver(nil)
	for _, test := range []struct {
		view, host host.Approver
		made       bool
	}{
		{none, none, true}, {none, always(host.Allow, nil), true}, {none, always(host.Deny, nil), false},
		{none, always(host.Ask, nil), false}, {none, always(host.Undecided, nil), false}, {none, always(host.Allow, failure), false},
		{always(host.Undecided, nil), none, true}, {always(host.Allow, nil), none, true}, {always(host.Deny, nil), none, false},
		{always(host.Ask, nil), none, false}, {always(host.Ask, nil), always(host.Allow, nil), true},
		{always(host.Allow, nil), always(host.Deny, nil), false}, {always(host.Deny, nil), always(host.Allow, nil), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: test.host})
			v := h.View()
			if test.view != nil {
				v = v.With(test.view)
			}
			_, err := v.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`))
			if (err == nil) != test.made || err != nil && !errors.Is(err, host.ErrDenied) {
				t.Errorf("%+v: %v", test, err)
			}
		})
	}
}

// The latest annotations count, even for a Tool with an earlier definition.
func TestApprovalUsesLatestDefinition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		define := func(readOnly bool) {
			server.SetTool(&mcp.Tool{Name: "t", InputSchema: raw(`{"type":"object"}`),
				Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &readOnly}}, nil)
		}
		define(true)
		h := newHost(t, &host.Options{Approve: host.ReadOnly, Dialers: host.Dialers{config.SDK: server.Dialer()}})
		if err := h.SetServers(t.Context(), []*host.Server{{Name: "x", Type: config.SDK}}).Err(); err != nil {
			t.Fatal(err)
		}
		held := h.Tool("mcp__x__t")
		if _, err := held.Execute(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		define(false)
		if err := h.Refresh(t.Context(), "x").Errors["x"]; err != nil {
			t.Fatal(err)
		}
		if _, err := held.Execute(t.Context(), nil); !errors.Is(err, host.ErrDenied) {
			t.Errorf("a tool that is no longer read-only: %v", err)
		}
	})
}

func TestRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"github": newFake(nil)}.start(t, host.Options{})
		if !h.Tool("mcp__github__echo").RequiresPermission(nil) {
			t.Error("a tool requires no permission")
		}
		for _, tool := range h.ResourceTools() {
			want := tool.Name() == "SubscribePolling" // it can call any tool
			if got := tool.RequiresPermission(raw(`{"type":"tool"}`)); got != want {
				t.Errorf("%s requires permission: %v", tool.Name(), got)
			}
			if tool.RequiresPermission(raw(`{"type":"resource"}`)) {
				t.Errorf("%s requires permission for a resource", tool.Name())
			}
		}
		var rules []host.Rule
		err := json.Unmarshal([]byte(`[{"tool":"mcp__github__add_tool","action":"deny"},{"tool":"mcp__github__*","action":"allow"},{"tool":"mcp__*","action":"ask"}]`), &rules)
		if err != nil {
			t.Fatal(err)
		}
		approve := host.Rules(rules...)
		for name, want := range map[string]host.Decision{
			"mcp__github__add_tool": host.Deny, "mcp__github__echo": host.Allow, "mcp__slack__post": host.Ask, "Bash": host.Undecided,
		} {
			if got, err := approve(t.Context(), &host.Call{Name: name}); got != want || err != nil {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		// A pattern limits a rule to some arguments.
		narrow := host.Rules(host.Rule{Tool: "mcp__fs__*", Pattern: `{"path":"/tmp/*"}`, Action: host.Allow}, host.Rule{Tool: "mcp__*", Action: host.Ask})
		for arguments, want := range map[string]host.Decision{`{"path":"/tmp/a"}`: host.Allow, `{"path":"/etc/passwd"}`: host.Ask, ``: host.Ask} {
			if got, err := narrow(t.Context(), &host.Call{Name: "mcp__fs__write", Arguments: raw(arguments)}); got != want || err != nil {
				t.Errorf("%s: %q, %v", arguments, got, err)
			}
		}
		ruled := fakes{"github": newFake(nil), "slack": newFake(nil)}.start(t, host.Options{Approve: approve})
		for name, allowed := range map[string]bool{"mcp__github__echo": true, "mcp__github__add_tool": false, "mcp__slack__echo": false} {
			tool := ruled.Tool(name)
			if _, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); (err == nil) != allowed || !allowed && !errors.Is(err, host.ErrDenied) {
				t.Errorf("%s: %v", name, err)
			}
			if tool.RequiresPermission(nil) {
				t.Errorf("%s requires permission in addition to Approve", name)
			}
		}
	})
}

// The approved tools of a project file count only if projects are trusted.
func TestListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.Parse([]byte(`{"mcpServers":{"x":{"type":"sdk","alwaysAllow":["e*"]}}}`), ".mcp.json", "project")
		c.Trust(func(*config.Server) bool { return true }) // to start it; Listed is about its tools
		for trust, want := range map[bool]bool{true: true, false: false} {
			h := newHost(t, fakes{"x": newFake(nil)}.with(host.Options{Approve: host.Listed(trust)}))
			h.SetServers(t.Context(), c.Servers)
			if _, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`)); (err == nil) != want {
				t.Errorf("trust %v: %v", trust, err)
			}
			if _, err := h.Tool("mcp__x__add_tool").Execute(t.Context(), nil); !errors.Is(err, host.ErrDenied) {
				t.Errorf("trust %v: %v", trust, err)
			}
		}
	})
}

func TestReadOnlyAndAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []*host.Call
		ask := func(_ context.Context, c *host.Call) (host.Decision, error) {
			seen = append(seen, c)
			return host.Deny, nil
		}
		h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: host.Asking(host.ReadOnly, ask)})
		if _, err := h.Tool("mcp__x__echo").Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil {
			t.Errorf("a read-only tool: %v", err)
		}
		_, err := h.Tool("mcp__x__add_tool").Execute(t.Context(), raw(`{}`))
		if !errors.Is(err, host.ErrDenied) || len(seen) != 1 || seen[0].Tool != "add_tool" || seen[0].Annotations.ReadOnly() || string(seen[0].Arguments) != "{}" {
			t.Errorf("%v, asked %+v", err, seen)
		}
		bare := &host.Call{}
		if d, _ := host.ReadOnly(t.Context(), bare); d == host.Allow || !bare.Annotations.Destructive() {
			t.Error("a tool without annotations is treated as harmless")
		}
	})
}

// TestUntrustedServerIsNotStarted: neither the host, nor an Expand of the program, nor a reconnect starts an
// entry of a project's file; trusting it later does.
func TestUntrustedServerIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config.Parse([]byte(`{"mcpServers":{"x":{"type":"sdk"}}}`), ".mcp.json", "project")
		fresh := func(_ context.Context, s *host.Server) (*host.Server, error) {
			return &host.Server{Name: s.Name, Type: s.Type}, nil
		}
		h := newHost(t, fakes{"x": newFake(nil)}.with(host.Options{Expand: fresh}))
		if err := h.SetServers(t.Context(), c.Servers).Errors["x"]; !errors.Is(err, config.ErrUntrusted) {
			t.Error(err)
		}
		if err := h.Reconnect(t.Context(), "x"); !errors.Is(err, config.ErrUntrusted) || len(h.Tools()) > 0 {
			t.Error(err, h.Tools())
		}
		c.Trust(func(*config.Server) bool { return true })
		if d := h.SetServers(t.Context(), c.Servers); d.Err() != nil || len(h.Tools()) == 0 {
			t.Error(d.Errors)
		}
	})
}
