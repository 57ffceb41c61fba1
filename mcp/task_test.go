package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// withTasks returns options with Tasks.
func withTasks(more ...mcp.Handler) *mcp.Options {
	return &mcp.Options{Handlers: append(more, mcp.Tasks{TTL: time.Minute})}
}

// connectWithTasks returns a server with tasks and a client of it.
func connectWithTasks(t *testing.T, p route, o *mcp.Options) (*testserver.Server, *mcp.Client) {
	s := p.server(testserver.Options{Tasks: true})
	return s, p.open(t, s, o)
}

func TestCallToolWaitsForTask(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s, c := connectWithTasks(t, p, withTasks())
		start := time.Now()
		res, err := c.CallTool(t.Context(), "research", map[string]any{"topic": "frogs", "steps": 3, "step_ms": 10_000})
		if err != nil || res.Text() != "A report on frogs." {
			t.Fatalf("%+v, %v", res, err)
		}
		if took := time.Since(start); took < 40*time.Second || took > 43*time.Second {
			t.Errorf("took %v, want the 40 s of the task and little more", took)
		}
		if got := count(receivedMethods(s), "tools/list"); (got == 1) != (p.version == legacy) {
			t.Errorf("asked %d times for the tools", got)
		}
		for tool, want := range map[string]string{"research": "A report on x.", "look_up": "Looked up x.", "echo": "hi"} {
			res, err := c.CallTool(t.Context(), tool, map[string]any{"topic": "x", "message": "hi"})
			if err != nil || res.Text() != want {
				t.Errorf("%s: %+v, %v", tool, res, err)
			}
		}
		if got := count(receivedMethods(s), "tools/list"); got > 1 {
			t.Errorf("asked %d times for the tools", got)
		}
	})
}

func TestTaskReportsStatusAndProgress(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		var states []string
		var progress []float64
		_, err := c.Do(t.Context(), &mcp.ToolCall{
			Name: "research", Arguments: map[string]any{"topic": "x", "steps": 2, "step_ms": 3000},
			Task:     func(task *mcp.Task) { states = append(states, string(task.Status)+" "+task.StatusMessage) },
			Progress: func(p mcp.Progress) { progress = append(progress, p.Progress) },
		})
		want := []string{"working Begun.", "working Step 1 of 2.", "working Step 2 of 2.", "completed Ended."}
		if err != nil || !slices.Equal(states, want) {
			t.Errorf("%q, %v", states, err)
		}
		if p.version == legacy && !slices.Equal(progress, []float64{1, 2}) {
			t.Errorf("progress %v", progress)
		}
	})
}

func TestTaskEndings(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		res, err := c.CallTool(t.Context(), "research", map[string]any{"topic": "x", "end": "error"})
		if err != nil || !res.IsError || res.Text() != "Nothing is known of x." {
			t.Errorf("%+v, %v", res, err)
		}
		_, err = c.CallTool(t.Context(), "research", map[string]any{"topic": "x", "end": "failure"})
		wantCode(t, err, -32603)
		wantError(t, err, nil, `"research"`, "The library burnt down.")
		var call *mcp.CallError
		if !errors.As(err, &call) || call.Name != "research" {
			t.Errorf("%v", err)
		}
	})
}

func TestEndlessTaskIsCanceledWithCall(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s, c := connectWithTasks(t, p, withTasks())
		args := map[string]any{"topic": "x", "end": "never", "step_ms": 10_000, "poll_ms": 7_000} // no poll at the time of an end
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wantDuration(t, time.Minute, func() {
			_, err := c.CallTool(ctx, "research", args)
			wantError(t, err, context.DeadlineExceeded, "research")
		})
		if got := count(receivedMethods(s), "tasks/cancel"); got != 1 {
			t.Errorf("cancelled %d times", got)
		}
		wantDuration(t, time.Hour, func() { // Options.MaxTimeout
			_, err := c.CallTool(t.Context(), "research", args)
			wantError(t, err, context.DeadlineExceeded, "1h0m0s in total")
		})
		go func() { time.Sleep(15 * time.Second); c.Close() }() // between two polls
		wantDuration(t, 15*time.Second, func() {
			_, err := c.CallTool(t.Context(), "research", args)
			wantError(t, err, mcp.ErrClosed)
		})
	})
}

func TestTaskRequiresInput(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		asked := 0
		s, c := connectWithTasks(t, p, withTasks(
			mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				asked++
				time.Sleep(5 * time.Minute) // the user is slow
				return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{"name": "Ada"}}, nil
			}},
			mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return []mcp.Root{{URI: "file:///x"}}, nil }}))
		// The state shows the input late, so the client polls it again.
		res, err := c.CallTool(t.Context(), "research", map[string]any{"topic": "x", "ask": true, "step_ms": 30_000})
		if err != nil || !strings.Contains(res.Text(), "Ada") || !strings.Contains(res.Text(), "file:///x") || asked != 1 {
			t.Errorf("asked %d times: %+v, %v", asked, res, err)
		}
		if n := count(receivedMethods(s), "tasks/update"); (n == 1) != (p.version == modern) {
			t.Errorf("updated %d times", n)
		}
	})
}

func TestTaskRequiresUnavailableInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("no user")
		s, c := connectWithTasks(t, route{modern, "stdio"}, withTasks(
			mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, failure }}))
		_, err := c.CallTool(t.Context(), "research", map[string]any{"topic": "x", "ask": true})
		wantError(t, err, mcp.ErrInputRequired, "research", "elicitation")
		wantError(t, err, failure)
		if got := count(receivedMethods(s), "tasks/cancel"); got != 1 {
			t.Errorf("cancelled %d times", got)
		}
	})
}

func TestNoTasksByDefault(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		c, err := mcp.Connect(t.Context(), p.transport(t, p.server(testserver.Options{Tasks: true})), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, err = c.CallTool(t.Context(), "research", map[string]any{"topic": "x"})
		wantCode(t, err, map[string]int64{modern: mcp.CodeMissingClientCapability, legacy: -32601}[p.version])
		res, err := c.CallTool(t.Context(), "look_up", map[string]any{"topic": "x"})
		if err != nil || res.Text() != "Looked up x." {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

func TestServersWithoutTasks(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s := p.server(testserver.Options{})
		c := p.open(t, s, withTasks())
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": "hi"}})
		if err != nil || h.ID() != "" {
			t.Fatalf("%+v, %v", h, err)
		}
		if got := receivedMethods(s); slices.Contains(got, "tools/list") {
			t.Errorf("sent %q", got)
		}
	})
}

func TestTaskHandle(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "research", Arguments: map[string]any{"topic": "frogs"}})
		if err != nil || h.ID() == "" {
			t.Fatalf("%+v, %v", h, err)
		}
		if task, err := h.Status(t.Context()); err != nil || task.Status != mcp.TaskWorking || task.TaskID != h.ID() {
			t.Errorf("%+v, %v", task, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = h.Wait(ctx)
		wantError(t, err, context.DeadlineExceeded) // the task continues
		for _, h := range []*mcp.TaskHandle{h, resume(t, c, h.Save()), c.Task(h.ID())} {
			res, err := h.Wait(t.Context())
			if err != nil || res.Text() != "A report on frogs." {
				t.Errorf("%+v, %v", res, err)
			}
		}
		if err := h.Cancel(t.Context()); (err == nil) != (p.version == modern) {
			t.Errorf("cancelled when it had ended: %v", err)
		}

		h, err = c.StartTool(t.Context(), &mcp.ToolCall{Name: "research", Arguments: map[string]any{"topic": "x", "end": "never"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		_, err = h.Wait(t.Context())
		wantError(t, err, mcp.ErrTaskCancelled, "research", "Cancelled by the client.")
	})
}

func resume(t *testing.T, c *mcp.Client, saved string) *mcp.TaskHandle {
	t.Helper()
	h, err := c.ResumeTask(saved)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHandleOfCallWithoutTask(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []*mcp.TaskHandle{h, resume(t, c, h.Save())} {
			res, err := h.Wait(t.Context())
			if err != nil || res.Text() != "3" || string(res.StructuredContent) != `{"sum":3}` {
				t.Errorf("%+v, %v", res, err)
			}
			if task, err := h.Status(t.Context()); err != nil || task.Status != mcp.TaskCompleted {
				t.Errorf("%+v, %v", task, err)
			}
			if err := h.Cancel(t.Context()); err != nil || h.ID() != "" {
				t.Errorf("%q, %v", h.ID(), err)
			}
		}
		for _, bad := range []string{"", "x", "{}", `{"task":""}`, `{"task":1}`, `{"task":"a"} x`, `{"result":1}`} {
			if h, err := c.ResumeTask(bad); err == nil {
				t.Errorf("%q is taken for %+v", bad, h)
			}
		}
	})
}

func TestStartToolUsesOptionalTasks(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "look_up", Arguments: map[string]any{"topic": "x"}})
		if err != nil || (h.ID() != "") != (p.version == legacy) {
			t.Fatalf("%+v, %v", h, err)
		}
		if _, err := h.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestListTasks(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		_, c := connectWithTasks(t, p, withTasks())
		for range 3 {
			if _, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "research", Arguments: map[string]any{"topic": "x", "step_ms": 0}}); err != nil {
				t.Fatal(err)
			}
		}
		tasks, err := c.ListTasks(t.Context())
		if p.version == modern {
			wantError(t, err, errors.ErrUnsupported, "tasks/list")
		} else if err != nil || len(tasks) != 3 || tasks[0].TTLMs == nil || *tasks[0].TTLMs != 60_000 {
			t.Errorf("%+v, %v", tasks, err)
		}
		time.Sleep(time.Second) // so that no notification is pending at Close
	})
}

// TestTaskStatusNotifications: they replace most polls.
func TestTaskStatusNotifications(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s, c := connectWithTasks(t, p, withTasks())
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "research",
			Arguments: map[string]any{"topic": "x", "steps": 5, "poll_ms": 600_000}})
		if err != nil {
			t.Fatal(err)
		}
		if p.version == modern {
			sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{TaskIDs: []string{h.ID()}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
		}
		wantDuration(t, 6*time.Second, func() {
			if _, err := h.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
		if n := count(receivedMethods(s), "tasks/get"); n > 0 {
			t.Errorf("asked %d times", n)
		}
	})
}
