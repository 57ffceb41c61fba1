package faulttest

import (
	"context"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

// add calls the tool add, which no fault concerns unless the connection ends.
func (w *env) add(t testing.TB, client *mcp.Client) error {
	ctx, cancel := context.WithTimeout(t.Context(), connectTime)
	defer cancel()
	res, err := client.CallTool(ctx, "add", map[string]any{"a": 20, "b": 22})
	if err == nil && string(res.StructuredContent) != `{"sum":42}` {
		t.Errorf("add returned %+v", res)
	}
	return err
}

// slow makes a call that takes 150 ms, with a stream of its own over HTTP.
func (w *env) slow(t testing.TB, client *mcp.Client) error {
	ctx, cancel := context.WithTimeout(t.Context(), connectTime)
	defer cancel()
	_, err := client.Do(ctx, &mcp.ToolCall{
		Name: "slow", Arguments: map[string]any{"seconds": 0.15, "steps": 3}, Progress: func(mcp.Progress) {},
	})
	return err
}

// echo calls the tool echo.
func (w *env) echo(ctx context.Context, client *mcp.Client, message string) (string, error) {
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": message})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

func (w *env) checkAdd(t testing.TB, client *mcp.Client) {
	t.Helper()
	testutil.Check(t, w.add(t, client))
}

func (w *env) checkEcho(t testing.TB, ctx context.Context, client *mcp.Client) {
	t.Helper()
	if text, err := w.echo(ctx, client, greeting); text != greeting {
		t.Errorf("%q, %v", text, err)
	}
}

// connect connects until the end of the test.
func (w *env) connect(t testing.TB, o *mcp.Options) *mcp.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), connectTime)
	defer cancel()
	tr := w.start(t)
	client, err := mcp.Connect(ctx, tr, o)
	testutil.Must(t, err)
	t.Cleanup(func() { w.close(t, client) })
	return client
}

// close closes a client, which must not take long.
func (w *env) close(t testing.TB, client *mcp.Client) {
	t.Helper()
	start := time.Now()
	testutil.Check(t, client.Close())
	if took := time.Since(start); took > w.within(closeTime) {
		t.Errorf("Close took %v", took)
	}
}
