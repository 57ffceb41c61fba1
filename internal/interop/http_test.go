package interop

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// serveEverything starts server-everything over HTTP and returns its origin.
func serveEverything(t *testing.T, kind string) string {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command("node", script(t, "server-everything"), kind)
	cmd.Env = append(os.Environ(), "PORT="+port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	origin := "http://127.0.0.1:" + port
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		resp, err := http.Get(origin + "/nothing")
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return origin
		}
		<-time.After(50 * time.Millisecond) // nothing tells when it listens
	}
	t.Fatal("server-everything doesn't listen")
	return ""
}

func TestEverythingOverHTTP(t *testing.T) {
	streamable := serveEverything(t, "streamableHttp") + "/mcp"
	old := serveEverything(t, "sse") + "/sse"
	for name, tr := range map[string]mcp.Transport{
		"streamable":      streamhttp.New(streamable, nil),
		"sse":             sse.New(old, nil),
		"first of, new":   mcp.FirstOf(streamhttp.New(streamable, nil), sse.New(streamable, nil)),
		"first of, older": mcp.FirstOf(streamhttp.New(old, nil), sse.New(old, nil)),
	} {
		t.Run(name, func(t *testing.T) { useEverything(t, tr) })
	}
}

func useEverything(t *testing.T, tr mcp.Transport) {
	rec := new(record)
	c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Trace: &mcp.Trace{Message: rec.trace}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	checkTools(t, c, rec, "echo", "get-sum", "trigger-long-running-operation")
	if got := call(t, c, "echo", map[string]any{"message": "hi"}).Text(); got != "Echo: hi" {
		t.Errorf("echo: %q", got)
	}
	resources, err := c.ListResources(t.Context())
	if err != nil || len(resources) == 0 {
		t.Fatalf("%d resources, %v", len(resources), err)
	}
	if _, err := c.ReadResource(t.Context(), resources[0].URI); err != nil {
		t.Error(err)
	}
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	steps := 0
	res, err := c.Do(t.Context(), &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 1, "steps": 4},
		Progress:  func(mcp.Progress) { steps++ },
	})
	if err != nil || res.IsError || steps != 4 {
		t.Errorf("%d steps, %+v, %v", steps, res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = c.Do(ctx, &mcp.ToolCall{
		Name:      "trigger-long-running-operation",
		Arguments: map[string]any{"duration": 60, "steps": 600},
		Progress:  func(mcp.Progress) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{resources[0].URI}})
	if err != nil {
		t.Errorf("subscribe: %v", err)
	} else {
		sub.Close()
	}
}
