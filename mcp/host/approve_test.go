package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// always returns an Approver of one mind.
func always(d host.Decision, err error) host.Approver {
	return func(context.Context, *host.Call) (host.Decision, error) { return d, err }
}

func TestCombinedApprovers(t *testing.T) {
	gone := errors.New("nobody there")
	for _, test := range []struct {
		approve host.Approver
		want    host.Decision
		err     error
	}{
		{host.First(), host.Undecided, nil},
		{host.First(always(host.Undecided, nil), always(host.Deny, nil), always(host.Allow, nil)), host.Deny, nil},
		{host.First(always(host.Undecided, gone), always(host.Allow, nil)), host.Undecided, gone},
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

// A call is made only when everybody who is there to decide agrees.
func TestDecisions(t *testing.T) {
	gone := errors.New("nobody there")
	none := host.Approver(nil)
	for _, test := range []struct {
		view, host host.Approver
		made       bool
	}{
		{none, none, true}, {none, always(host.Allow, nil), true}, {none, always(host.Deny, nil), false},
		{none, always(host.Ask, nil), false}, {none, always(host.Undecided, nil), false}, {none, always(host.Allow, gone), false},
		{always(host.Undecided, nil), none, true}, {always(host.Allow, nil), none, true}, {always(host.Deny, nil), none, false},
		{always(host.Ask, nil), none, false}, {always(host.Ask, nil), always(host.Allow, nil), true},
		{always(host.Allow, nil), always(host.Deny, nil), false}, {always(host.Deny, nil), always(host.Allow, nil), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: test.host})
			v := h.Agent()
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

// Polling a tool is approved like any other call of it.
func TestPollingIsApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"x": newFake(nil)}.start(t, host.Options{Approve: always(host.Deny, nil)})
		events := h.Events(t.Context())
		if _, err := h.ResourceTools()[4].Execute(t.Context(), raw(`{"type":"tool","server":"x","toolName":"add_tool"}`)); err != nil {
			t.Fatal(err)
		}
		e := await(t, events, "a refusal", func(e host.Event) bool { return e.Kind == host.Polled })
		if !errors.Is(e.Err, host.ErrDenied) {
			t.Errorf("%+v", e)
		}
		// Nor does a view's resource tool reach other servers.
		tools := h.Agent("y").ResourceTools()
		for i, input := range []string{`{"server":"x"}`, `{"server":"x","uri":"echo://text"}`, `{"server":"x","uri":"echo://text"}`, `{"server":"x"}`,
			`{"type":"resource","server":"x","uri":"echo://text"}`, `{"server":"x"}`} {
			if _, err := tools[i].Execute(t.Context(), raw(input)); !errors.Is(err, host.ErrUnknownServer) {
				t.Errorf("%s: %v", tools[i].Name(), err)
			}
		}
	})
}

// Who doesn't keep up with events is delivered how many were missed, and holds up
// nobody.
func TestMissedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drained := 0
		h := fakes{"x": newFake(nil)}.start(t, host.Options{Event: func(host.Event) { drained++ }})
		events := h.Events(t.Context())
		for range 200 {
			if err := h.SetEnabled("x", false); err != nil {
				t.Fatal(err)
			}
			if err := h.SetEnabled("x", true); err != nil {
				t.Fatal(err)
			}
		}
		n := len(events)
		for range n {
			<-events
		}
		_ = h.SetEnabled("x", false)
		if e := <-events; e.Missed != 800-n {
			t.Errorf("missed %d, and %d were delivered", e.Missed, n)
		}
		synctest.Wait()
		if drained < 800 {
			t.Errorf("%d events were delivered to the function", drained)
		}
	})
}

// What a model writes for the resource tools is read as encoding/json reads it,
// or refused.
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
				t.Errorf("%s takes %q and returns %q", tool.Name(), input, text)
			}
			if server, _ := in["server"].(string); server != "" && err == nil && !strings.HasPrefix(tool.Name(), "Unsubscribe") {
				t.Errorf("%s takes %q, though there is no server", tool.Name(), input)
			}
		}
	})
}
