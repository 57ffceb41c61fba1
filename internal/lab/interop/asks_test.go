package interop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// everywhere runs f with server-everything as a process and over HTTP, in
// parallel, as the server takes most of the time.
func everywhere(t *testing.T, f func(t *testing.T, tr mcp.Transport)) {
	t.Parallel()
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		f(t, stdio.Command("node", script(t, "server-everything"), "stdio"))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		f(t, streamhttp.New(serveEverything(t, "http /mcp").url, nil))
	})
}

// asking connects with a handler for each request that a server can make.
// server-everything lists some tools only for such clients.
func asking(t *testing.T, tr mcp.Transport, o *mcp.Options) *mcp.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	o.Trace = &mcp.Trace{Discarded: func(_ context.Context, err error, data []byte) {
		if !errors.Is(err, mcp.ErrUnknownID) { // the response to a canceled call
			t.Errorf("dropped %q: %v", data, err)
		}
	}}
	o.Handlers = append(o.Handlers, mcp.Tasks{},
		mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file:///srv/data", Name: "Data"}}, nil
		}},
		mcp.Sampling{CreateMessage: func(_ context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{
				Role: mcp.RoleAssistant, Model: "parrot", StopReason: "endTurn",
				Content: []mcp.Content{{Type: "text", Text: "You said: " + p.Messages[0].Content[0].Text}},
			}, nil
		}},
		mcp.Elicitation{
			Form: func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				if strings.Contains(p.Message, "interpretations") {
					return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"interpretation": "snake"}}, nil
				}
				answer := map[string]any{"name": "Ada"}
				if strings.Contains(string(p.RequestedSchema), `"check"`) {
					answer["check"] = true
				}
				return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: answer}, nil
			},
			OpenURL: func(_ context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
				if r.Host != "example.com" || r.Punycode || r.ID != "e1" && r.URL != "https://example.com/login" {
					t.Errorf("asked to open %+v", r)
				}
				return mcp.ElicitAccept, nil
			},
		})
	c, err := mcp.Connect(ctx, wrapped.Again(tr), o)
	testutil.Must(t, err)
	t.Cleanup(func() {
		testutil.Check(t, c.Close())
	})
	return c
}

func TestEverythingAsks(t *testing.T) { everywhere(t, testAsks) }

func testAsks(t *testing.T, tr mcp.Transport) {
	c := asking(t, tr, new(mcp.Options))
	for _, tt := range []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"get-roots-list", nil, []string{"file:///srv/data", "Data"}},
		{"trigger-sampling-request", map[string]any{"prompt": "Polly?", "maxTokens": 50}, []string{"You said", "Polly?", "parrot"}},
		// The fields that the form leaves out get their defaults.
		{"trigger-elicitation-request", nil, []string{"Name: Ada", "Favorite Integer: 42", "3.14", "Monica", "Guitar", "hero-1", "fish-1", "pet-1"}},
		{"trigger-url-elicitation", map[string]any{"url": "https://example.com/a", "elicitationId": "e1"}, []string{"completed", "e1"}},
	} {
		res := call(t, c, tt.tool, tt.args)
		for _, want := range tt.want {
			if !strings.Contains(res.Text(), want) {
				t.Errorf("%s: no %q in %s", tt.tool, want, res.Text())
			}
		}
	}
}

func TestEverythingLogs(t *testing.T) { everywhere(t, testLogs) }

func testLogs(t *testing.T, tr mcp.Transport) {
	logged := make(chan *mcp.LogMessage, 100)
	c := asking(t, tr, &mcp.Options{LogLevel: mcp.LevelDebug, Log: func(_ context.Context, m *mcp.LogMessage) { logged <- m }})
	call(t, c, "toggle-simulated-logging", nil)
	deadline := time.After(20 * time.Second)
	for {
		select {
		case m := <-logged:
			if strings.Contains(strings.ToLower(string(m.Data)), "level") {
				call(t, c, "toggle-simulated-logging", nil)
				return
			}
		case <-deadline:
			t.Fatal("no log message arrived")
		}
	}
}

func TestEverythingUpdatesResources(t *testing.T) { everywhere(t, testUpdatesResources) }

func testUpdatesResources(t *testing.T, tr mcp.Transport) {
	c := asking(t, tr, new(mcp.Options))
	const uri = "demo://resource/dynamic/text/1"
	sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	testutil.Must(t, err)
	defer sub.Close()
	call(t, c, "toggle-subscriber-updates", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if change, err := sub.Next(ctx); err != nil || change != (mcp.Change{Kind: mcp.ResourceUpdated, URI: uri}) {
		t.Errorf("%+v, %v", change, err)
	}
	call(t, c, "toggle-subscriber-updates", nil)
}

func TestEverythingResearches(t *testing.T) { everywhere(t, testResearches) }

func testResearches(t *testing.T, tr mcp.Transport) {
	c := asking(t, tr, new(mcp.Options))
	var states []string
	res, err := c.Do(t.Context(), &mcp.ToolCall{
		Name:      "simulate-research-query",
		Arguments: map[string]any{"topic": "python", "ambiguous": true},
		Task:      func(task *mcp.Task) { states = append(states, string(task.Status)) },
	})
	if err != nil || res.IsError || !strings.Contains(res.Text(), "python (snake)") {
		t.Errorf("%+v, %v", res, err)
	}
	for _, want := range []string{"working", "input_required"} { // no notification announces the final state
		if !slices.Contains(states, want) {
			t.Errorf("states %q, want %s", states, want)
		}
	}
}

func TestEverythingTaskHandle(t *testing.T) { everywhere(t, testTaskHandle) }

func testTaskHandle(t *testing.T, tr mcp.Transport) {
	c := asking(t, tr, new(mcp.Options))
	begun := mcp.ToolCall{Name: "simulate-research-query", Arguments: map[string]any{"topic": "frogs"}}
	h, err := c.StartTool(t.Context(), &begun)
	if err != nil || h.ID() == "" {
		t.Fatalf("%+v, %v", h, err)
	}
	tasks, err := c.ListTasks(t.Context())
	if err != nil || !slices.ContainsFunc(tasks, func(task *mcp.Task) bool { return task.TaskID == h.ID() }) {
		t.Errorf("%+v, %v", tasks, err)
	}
	h, err = c.ResumeTask(h.Save())
	testutil.Must(t, err)
	if res, err := h.Wait(t.Context()); err != nil || !strings.Contains(res.Text(), "Research Report: frogs") {
		t.Errorf("%+v, %v", res, err)
	}

	h, err = c.StartTool(t.Context(), &begun)
	testutil.Must(t, err)
	testutil.Check(t, h.Cancel(t.Context()))
	if _, err := h.Wait(t.Context()); !errors.Is(err, mcp.ErrTaskCancelled) {
		t.Error(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, &begun); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	tasks, err = c.ListTasks(t.Context())
	if n := len(tasks); err != nil || n != 3 || tasks[n-1].Status != mcp.TaskCancelled {
		t.Errorf("%+v, %v", tasks, err)
	}
}
