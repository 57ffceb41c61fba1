package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestStatusMarshalsToTheShapeOfSDKs(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Name, s.Version = "files", "1.2"
	yes := true
	s.Tool("read", nil, answer("")).Annotations = &mcp.ToolAnnotations{ReadOnlyHint: &yes}
	h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: s.Dialer()}})
	bad := &host.Server{Name: "bad", Type: config.Stdio, Command: "does-not-exist", Env: []string{"TOKEN=hunter2"}, Scope: "project", Source: "/p/.mcp.json"}
	diff := h.SetServers(t.Context(), []*host.Server{{Name: "good", Type: config.SDK}, bad, {Name: "off", Type: config.SDK, Disabled: true}})
	text, err := json.Marshal(h.Status())
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name, Status, Error, Scope, State string
		ServerInfo                        *struct{ Name, Version string }
		Config                            struct {
			Type, Command string
			Env           map[string]string
		}
		Tools []struct {
			Name        string
			Annotations map[string]bool
		}
		Timeout int
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, g, o := list[0], list[1], list[2]
	if b.Status != "failed" && b.Status != "pending" || !strings.Contains(b.Error, "stdio") || b.Scope != "project" ||
		b.Config.Type != "stdio" || b.Config.Env["TOKEN"] != "***" || b.ServerInfo != nil {
		t.Errorf("%+v", b)
	}
	if g.Status != "connected" || g.ServerInfo.Name != "files" || g.ServerInfo.Version != "1.2" || len(g.Tools) != 1 ||
		!g.Tools[0].Annotations["readOnly"] || g.Config.Type != "sdk" || g.Timeout != 60000 || g.State != "connected" {
		t.Errorf("%+v", g)
	}
	if o.Status != "disabled" {
		t.Errorf("%+v", o)
	}
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("a secret: %s", text)
	}
	text, err = json.Marshal(diff)
	want := `{"added":["bad","good","off"],"removed":[],"errors":{"bad":"[MCP:bad] `
	if err != nil || !strings.HasPrefix(string(text), want) || !strings.HasSuffix(string(text), `"changed":[]}`) {
		t.Errorf("%s, %v", text, err)
	}
	if line := diff.String(); !strings.HasPrefix(line, "added bad, good, off; [MCP:bad]") || strings.Contains(line, "\n") {
		t.Errorf("%s", line)
	}
	if line := h.SetServers(t.Context(), nil).String(); line != "removed bad, good, off" {
		t.Errorf("%s", line)
	}
	if line := h.SetServers(t.Context(), nil).String(); line != "no changes" {
		t.Errorf("%s", line)
	}
}

func TestEventsMarshalAndPrint(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		event      host.Event
		json, line string
	}{
		{host.Event{Kind: host.StateChanged, Server: "s", Time: at, State: host.NeedsAuth, Err: errors.New("a\nb")},
			`{"kind":"state","server":"s","time":"2026-01-02T03:04:05Z","state":"needs-auth","error":"a\nb"}`, "s is needs-auth: a b"},
		{host.Event{Kind: host.ToolsChanged, Server: "s", Version: 3, Added: []string{"x"}, Changed: []host.ToolChange{{Name: "y", What: []string{"title"}}}},
			`{"kind":"tools","server":"s","version":3,"added":["x"],"removed":[],"changed":[{"name":"y","what":["title"]}]}`, "s tools: 1 added, 0 removed, 1 changed"},
		{host.Event{Kind: host.Logged, Server: "s", Log: &mcp.LogMessage{Level: "info", Data: raw(`"hi"`)}},
			`{"kind":"log","server":"s","log":{"level":"info","data":"hi"}}`, "s log info: hi"},
		{host.Event{Kind: host.Logged, Server: "s", Line: "text"}, `{"kind":"log","server":"s","line":"text"}`, "s log: text"},
		{host.Event{Kind: host.Polled, Server: "s", URI: "x:y", Subscription: "polling-1", Text: "t"},
			`{"kind":"poll","server":"s","uri":"x:y","subscriptionId":"polling-1","text":"t"}`, "s poll x:y"},
	} {
		text, err := json.Marshal(tt.event)
		var have, want any
		_, _ = json.Unmarshal(text, &have), json.Unmarshal([]byte(tt.json), &want)
		if err != nil || fmt.Sprint(have) != fmt.Sprint(want) || tt.event.String() != tt.line {
			t.Errorf("%s, %v, %q\nwant %s, %q", text, err, tt.event.String(), tt.json, tt.line)
		}
	}
}

func ExampleDiff() {
	h := host.New(nil)
	diff := h.SetServers(context.Background(), []*host.Server{{Name: "files", Type: config.Stdio, Command: "npx", Disabled: true}})
	text, err := json.Marshal(diff)
	fmt.Println(string(text), err)
	fmt.Println(diff)
	text, _ = json.Marshal(h.Status()[0].Config) // never fails
	fmt.Println(string(text))
	_ = h.Shutdown(context.Background())
	// Output:
	// {"added":["files"],"removed":[],"errors":{},"changed":[]} <nil>
	// added files
	// {"type":"stdio","command":"npx","disabled":true}
}
