package mcp

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// ErrTaskCancelled is matched by the error of a call that became a task which
// was cancelled.
var ErrTaskCancelled = errors.New("the task was cancelled")

// Tasks lets servers make tasks of tool calls: the request is answered at once,
// and the work goes on. Among Options.Handlers, it has CallTool and Do wait for
// the end of a task, for as long as their context and Options.MaxTimeout allow,
// and answer with the other handlers what the task asks for meanwhile. When
// they don't wait any more, the task is cancelled. [Client.StartTool] does not
// wait.
//
// Servers of 2026-07-28 and later decide which calls become tasks; they are
// told that the client has [TasksExtension]. With servers of 2025-11-25,
// CallTool and Do ask for a task where the tool requires it, and StartTool
// where it allows it as well. For that they need the list of tools, and ask
// for it, once, if the program hasn't.
type Tasks struct {
	// TTL is how long servers of 2025-11-25 are asked to keep a task, from its
	// beginning. As long as they like when 0.
	TTL time.Duration
}

func (t Tasks) method() string { return "" } // nothing that a server asks for

func (t Tasks) declare(caps *clientCapabilities, sessions bool) {
	if sessions {
		return // it is for requests of the server there
	}
	all := map[string]RawMessage{TasksExtension: RawMessage("{}")}
	maps.Copy(all, caps.Extensions) // which is the program's
	caps.Extensions = all
}

func (t Tasks) answer(context.Context, RawMessage) (object, error) {
	return nil, invalidParams("not for requests")
}

func (t Tasks) callTool(ctx context.Context, c *Client, q *call, onStatus any) (*CallToolResult, error) {
	if t.requestTask(ctx, c, q, false); q.traits&mayBeTask != 0 && q.progress != nil {
		// Progress goes on when the request has been answered.
		f := q.progress
		sink := c.progress.add(func(p Progress) { c.guard(func() { f(p) }) }, nil)
		defer c.progress.remove(ctx, sink)
		q.progress, q.token = nil, sink.token
	}
	res, err := callWithInputs[CallToolResult](ctx, c, q)
	started, ok := err.(*unfinished)
	if !ok {
		return res, err
	}
	f, _ := onStatus.(func(*Task))
	r, state, err := c.taskOf(q, started, f)
	if err != nil {
		return nil, err
	}
	all, stop := c.withMaxTimeout(ctx)
	defer stop()
	res, err = r.wait(all, state)
	if err != nil && !r.ended {
		r.abandon()
	}
	return res, err
}

// augment has a call say that it may become a task: when the tool wants that,
// or allows it and the caller is willing. Later servers decide without being
// told.
func (t Tasks) requestTask(ctx context.Context, c *Client, q *call, willing bool) {
	if !c.era.legacy() || !c.server.Capabilities.Tasks.Supports("tools/call") {
		return
	}
	table := c.taskTable()
	support, listed := table.supportOf(q.name)
	if !listed {
		_, _ = c.ListTools(ctx) // what is wrong will show in the call
		support, _ = table.supportOf(q.name)
	}
	if support == "required" || support == "optional" && willing {
		q.traits |= mayBeTask | uncancelable // tasks/cancel cancels the task
		q.params = t.appendTaskRequest
	}
}

// appendAugmented appends the params of a tool call that may become a task
// (2025-11-25 basic/utilities/tasks, Creating Tasks).
func (t Tasks) appendTaskRequest(q *request, b []byte) ([]byte, error) {
	b, err := q.appendNamed(b)
	b = append(wire.AppendKey(b, "task"), '{')
	if t.TTL > 0 {
		b = wire.AppendInt(wire.AppendKey(b, "ttl"), t.TTL.Milliseconds())
	}
	return append(b, '}'), err
}

func (t Tasks) toolsListed(c *Client, tools []*Tool) {
	table := c.taskTable()
	table.mu.Lock()
	defer table.mu.Unlock()
	if table.support == nil {
		table.support = make(map[string]string)
	}
	for _, t := range tools {
		delete(table.support, t.Name)
		if e := t.Execution; e != nil {
			table.support[t.Name] = e.TaskSupport
		}
	}
}

// A taskTable is what a client knows of tasks. It watches notifications, which
// tell of some states sooner than asking for them would.
type taskTable struct {
	mu      sync.Mutex
	support map[string]string // of tools, as ToolExecution says; nil before they were listed
	runs    map[*taskRun]bool
}

func (c *Client) taskTable() (t *taskTable) {
	c.addObserver(func(w observer) (ok bool) {
		t, ok = w.(*taskTable)
		return ok
	}, func() observer {
		t = &taskTable{runs: make(map[*taskRun]bool)}
		return t
	})
	return t
}

func (t *taskTable) supportOf(tool string) (support string, listed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.support[tool], t.support != nil
}

func (t *taskTable) add(r *taskRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs[r] = true
}

func (t *taskTable) remove(r *taskRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, r)
}

// note takes what the server says about a task: unasked in 2025-11-25, and
// later to those who subscribed to it.
func (t *taskTable) observe(method string, params RawMessage) error {
	if method != "notifications/tasks" && method != "notifications/tasks/status" {
		return nil
	}
	state := new(Task)
	if err := state.read(params); err != nil {
		return jsonrpc.Malformed(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for r := range t.runs {
		if r.id == state.TaskID {
			select {
			case <-r.updates: // the newest counts
			default:
			}
			r.updates <- state
		}
	}
	return nil
}

func (t *taskTable) sessionRenewed(context.Context) {} // tasks outlive sessions, or asking for them fails

// read reads the state of a task.
func (t *Task) read(raw RawMessage) error {
	err := decodeText(raw, t)
	if err == nil && (t.TaskID == "" || t.Status == "") {
		err = errors.New("a task without id or status")
	}
	return err
}
