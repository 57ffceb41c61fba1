package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// The servers of this file, in testdata/modern.mjs, use the official TypeScript
// SDK, which supports 2026-07-28.

// modernEnv is the environment of that script. With only it refuses the legacy era.
func modernEnv(only bool) []string {
	env := []string{"STDMCP_INTEROP=" + os.Getenv("STDMCP_INTEROP")}
	if only {
		env = append(env, "ONLY_MODERN=1")
	}
	return env
}

func modernScript(t *testing.T) string {
	script(t, "server") // skips
	path, err := filepath.Abs("testdata/modern.mjs")
	testutil.Must(t, err)
	return path
}

func TestModernServerOverStdio(t *testing.T) {
	for _, only := range []bool{false, true} {
		tr := stdio.Command("node", modernScript(t))
		tr.Env = modernEnv(only)
		useModern(t, tr, mcp.ProtocolVersion20260728, nil)
	}
}

func TestModernServerOverHTTP(t *testing.T) {
	for _, only := range []bool{false, true} {
		useModern(t, streamhttp.New(serveModern(t, only), nil), mcp.ProtocolVersion20260728, nil)
	}
}

func TestModernServerInTheLegacyEra(t *testing.T) {
	tr := stdio.Command("node", modernScript(t))
	tr.Env = modernEnv(false)
	useModern(t, tr, mcp.ProtocolVersion20251125, []string{mcp.ProtocolVersion20251125})
	useModern(t, streamhttp.New(serveModern(t, false), nil), mcp.ProtocolVersion20251125, []string{mcp.ProtocolVersion20251125})
}

func TestModernServerRefusesOldClients(t *testing.T) {
	_, err := mcp.Connect(t.Context(), streamhttp.New(serveModern(t, true), nil),
		&mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20250618}})
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		t.Errorf("got %v", err)
	}
}

// TestModernServerAsks requires inputs for requests of every kind that allows it.
// In the legacy era the SDK sends requests instead, which it cannot over HTTP.
func TestModernServerAsks(t *testing.T) {
	process := stdio.Command("node", modernScript(t))
	process.Env = modernEnv(false)
	for _, tt := range []struct {
		version string
		tr      mcp.Transport
	}{
		{mcp.ProtocolVersion20260728, process},
		{mcp.ProtocolVersion20260728, streamhttp.New(serveModern(t, true), nil)},
		{mcp.ProtocolVersion20251125, process},
	} {
		o := &mcp.Options{ProtocolVersions: []string{tt.version}}
		c := asking(t, tt.tr, o)
		res := call(t, c, "interview", nil)
		for _, want := range []string{`"name":"Ada"`, `"color":"green"`, `"page":{"action":"accept"}`, "You said: Polly?", "file:///srv/data"} {
			if !strings.Contains(res.Text(), want) {
				t.Errorf("%s: the interview has no %s: %s", tt.version, want, res.Text())
			}
		}
		prompt, err := c.GetPrompt(t.Context(), "introduce", nil)
		if err != nil || !strings.Contains(prompt.Messages[0].Content.Text, `"name":"Ada"`) {
			t.Errorf("%s: %+v, %v", tt.version, prompt, err)
		}
		read, err := c.ReadResource(t.Context(), "me://1")
		if err != nil || !strings.Contains(read.Contents[0].Text, `"name":"Ada"`) {
			t.Errorf("%s: %+v, %v", tt.version, read, err)
		}
	}
}

// serveModern starts the server on a free port and returns its URL.
func serveModern(t *testing.T, only bool) string {
	t.Helper()
	cmd := exec.Command("node", modernScript(t), "0")
	cmd.Env = append(os.Environ(), modernEnv(only)...)
	return "http://127.0.0.1:" + serving(t, cmd) + "/mcp"
}

// useModern uses every feature of a server.
func useModern(t *testing.T, tr mcp.Transport, version string, versions []string) {
	t.Helper()
	ctx := t.Context()
	var ended atomic.Bool
	c, err := mcp.Connect(ctx, wrapped.Again(tr), &mcp.Options{
		ProtocolVersions: versions,
		ProbeTimeout:     time.Minute, // a busy machine may take long to start a server
		Trace: &mcp.Trace{Discarded: func(_ context.Context, err error, data []byte) {
			if !errors.Is(err, mcp.ErrUnknownID) || !ended.Load() { // some servers respond to a canceled subscription
				t.Errorf("dropped %q: %v", data, err)
			}
		}},
	})
	testutil.Must(t, err)
	defer c.Close()
	if s := c.Server(); s.Name != "modern" || s.ProtocolVersion != version {
		t.Errorf("server %+v", s)
	}
	tools, err := c.ListTools(ctx)
	if err != nil || len(tools) < 3 { // only that of the TypeScript SDK has an interview
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	if got := call(t, c, "echo", map[string]any{"message": "hi"}).Text(); got != "Echo: hi" {
		t.Errorf("echo: %q", got)
	}
	if got := call(t, c, "add", map[string]any{"a": 2, "b": 40}); string(got.StructuredContent) != `{"sum":42}` {
		t.Errorf("add: %s", got.StructuredContent)
	}
	var steps []float64
	res, err := c.Do(ctx, &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"steps": 3}, Timeout: 10 * time.Second,
		Progress: func(p mcp.Progress) { steps = append(steps, p.Progress) }})
	if err != nil || res.Text() != "done" || len(steps) != 3 {
		t.Errorf("slow: %v, %+v, %v", steps, res, err)
	}
	if res, err := c.CallTool(ctx, "add", map[string]any{"a": "x"}); err == nil && !res.IsError {
		t.Errorf("wrong arguments: %+v", res)
	}
	templates, err := c.ListResourceTemplates(ctx)
	if err != nil || len(templates) != 1 {
		t.Errorf("%d templates, %v", len(templates), err)
	}
	read, err := c.ReadResource(ctx, "greeting://Ada")
	if err != nil || read.Contents[0].Text != "Hello, Ada" {
		t.Errorf("read: %+v, %v", read, err)
	}
	prompt, err := c.GetPrompt(ctx, "ask", map[string]string{"topic": "Go"})
	if err != nil || prompt.Messages[0].Content.Text != "About Go?" {
		t.Errorf("prompt: %+v, %v", prompt, err)
	}
	testutil.Check(t, c.Ping(ctx))
	sub, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
	if err != nil {
		t.Errorf("subscribe: %v", err)
	} else {
		ended.Store(true)
		sub.Close()
	}
}
