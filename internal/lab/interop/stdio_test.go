package interop

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// script returns the path of the main script of a server from npm.
func script(t *testing.T, pkg string) string {
	dir := os.Getenv("STDMCP_INTEROP")
	if dir == "" {
		t.Skip("did not run: STDMCP_INTEROP does not name the folder with the servers; see scripts/interop")
	}
	return filepath.Join(dir, "@modelcontextprotocol", pkg, "dist", "index.js")
}

// A record keeps what a server sent.
type record struct {
	mu    sync.Mutex
	lines [][]byte

	// Set once a call was canceled. The server may continue with it, and the
	// client drops what it sends.
	late atomic.Bool
}

func (r *record) trace(sent bool, data []byte) {
	if sent {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, bytes.Clone(data))
}

// holds reports whether the server sent these very bytes.
func (r *record) holds(b []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.lines {
		if bytes.Contains(line, b) {
			return true
		}
	}
	return false
}

// connect connects to a server. A message that the client drops fails the test, as
// these servers follow the protocol.
func connect(t *testing.T, tr mcp.Transport) (*mcp.Client, *record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	rec := new(record)
	c, err := mcp.Connect(ctx, wrapped.Again(tr), &mcp.Options{
		Trace: &mcp.Trace{
			Message: func(_ context.Context, a bool, b []byte) { rec.trace(a, b) },
			Discarded: func(_ context.Context, err error, data []byte) {
				if !rec.late.Load() {
					t.Errorf("dropped %q: %v", data, err)
				}
			},
		},
	})
	testutil.Must(t, err)
	t.Cleanup(func() {
		began := time.Now()
		testutil.Check(t, c.Close())
		if d := time.Since(began); d > testutil.Timeout {
			t.Errorf("Close took %v", d)
		}
	})
	return c, rec
}

// call calls a tool and requires a result without an error.
func call(t *testing.T, c *mcp.Client, tool string, args any) *mcp.CallToolResult {
	t.Helper()
	res, err := c.CallTool(t.Context(), tool, args)
	testutil.Must(t, err)
	if res.IsError {
		t.Fatalf("%s: %s", tool, res.Text())
	}
	return res
}

func checkTools(t *testing.T, c *mcp.Client, rec *record, want ...string) {
	t.Helper()
	tools, err := c.ListTools(t.Context())
	testutil.Must(t, err)
	names := make(map[string]bool)
	for _, tool := range tools {
		names[tool.Name] = true
		if !rec.holds(tool.InputSchema) || !rec.holds(tool.OutputSchema) {
			t.Errorf("the schemas of %s are not what the server sent", tool.Name)
		}
	}
	for _, name := range want {
		if !names[name] {
			t.Errorf("no tool %s in %v", name, names)
		}
	}
}

func TestEverythingOverStdio(t *testing.T) {
	t.Parallel()
	useEverything(t, stdio.Command("node", script(t, "server-everything"), "stdio"))
}

// useEverything uses every feature of server-everything on one connection. TestZoo
// has the contents of its tools.
func useEverything(t *testing.T, tr mcp.Transport) {
	t.Helper()
	c, rec := connect(t, tr)
	checkLists(t, c, rec)
	checkResourcesAndPrompts(t, c)
	checkErrors(t, c)
	checkProgressAndCancellation(t, c, rec)
}

func checkLists(t *testing.T, c *mcp.Client, rec *record) {
	t.Helper()
	if s := c.Server(); s.Name == "" || s.ProtocolVersion != mcp.ProtocolVersion20251125 || s.Instructions == "" || s.Capabilities.Tools == nil {
		t.Errorf("server: %+v", s)
	}
	checkTools(t, c, rec, "echo", "get-sum", "get-tiny-image", "trigger-long-running-operation")
	resources, err := c.ListResources(t.Context())
	if err != nil || len(resources) == 0 {
		t.Errorf("%d resources, %v", len(resources), err)
	}
	templates, err := c.ListResourceTemplates(t.Context())
	if err != nil || len(templates) == 0 {
		t.Errorf("%d templates, %v", len(templates), err)
	}
	prompts, err := c.ListPrompts(t.Context())
	if err != nil || len(prompts) == 0 {
		t.Errorf("%d prompts, %v", len(prompts), err)
	}
	testutil.Check(t, c.Ping(t.Context()))
}

func checkResourcesAndPrompts(t *testing.T, c *mcp.Client) {
	t.Helper()
	for r, err := range c.Resources(t.Context()) {
		testutil.Must(t, err)
		res, err := c.ReadResource(t.Context(), r.URI)
		if err != nil || len(res.Contents) == 0 || res.Contents[0].URI != r.URI {
			t.Errorf("read %s: %+v, %v", r.URI, res, err)
		}
		sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{r.URI}})
		if err != nil {
			t.Fatalf("subscribe %s: %v", r.URI, err)
		}
		sub.Close()
	}
	for p, err := range c.Prompts(t.Context()) {
		testutil.Must(t, err)
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = map[string]string{"resourceType": "Text", "resourceId": "1"}[a.Name]
			if args[a.Name] == "" {
				args[a.Name] = "Berlin"
			}
		}
		res, err := c.GetPrompt(t.Context(), p.Name, args)
		if err != nil || len(res.Messages) == 0 {
			t.Errorf("prompt %s: %+v, %v", p.Name, res, err)
		}
	}
	ref := call(t, c, "get-resource-reference", map[string]any{"resourceType": "Text", "resourceId": 1}) // its text has the time
	if !slices.ContainsFunc(ref.Content, func(block mcp.Content) bool { return block.Resource != nil && block.Resource.URI != "" }) {
		t.Errorf("no embedded resource: %+v", ref.Content)
	}
}

func checkErrors(t *testing.T, c *mcp.Client) {
	t.Helper()
	_, err := c.ReadResource(t.Context(), "no:such")
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code >= 0 {
		t.Errorf("unknown resource: %v", err)
	}
	_, err = c.GetPrompt(t.Context(), "nonsense", nil)
	if !errors.As(err, &answer) || answer.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("unknown prompt: %v", err)
	}
}

func checkProgressAndCancellation(t *testing.T, c *mcp.Client, rec *record) {
	t.Helper()
	var steps []float64
	res, err := c.Do(t.Context(), &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 1, "steps": 4},
		Progress:  func(p mcp.Progress) { steps = append(steps, p.Progress) },
	})
	if err != nil || res.IsError || len(steps) != 4 || steps[3] != 4 {
		t.Errorf("progress %v, %+v, %v", steps, res, err)
	}

	rec.late.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = c.Do(ctx, &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 60, "steps": 600},
		Progress:  func(mcp.Progress) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}

	// Progress comes at shorter intervals than these calls last.
	_, err = c.Do(t.Context(), &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 60, "steps": 10},
		Timeout:   300 * time.Millisecond,
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timed out: %v", err)
	}
	res, err = c.Do(t.Context(), &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 2, "steps": 10},
		Timeout:   time.Second,
		Progress:  func(mcp.Progress) {},
	})
	if err != nil || res.IsError {
		t.Errorf("kept alive by progress: %+v, %v", res, err)
	}
	call(t, c, "echo", map[string]any{"message": "still there"})
}
