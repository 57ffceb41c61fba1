package mcp

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// ErrTaskCancelled is matched by the error of a call whose task was canceled.
var ErrTaskCancelled = errors.New("the task was canceled")

// Tasks is a [Handler] that lets servers create tasks for tool calls: the
// server responds at once and continues to work. CallTool and Do then poll
// until the task ends, and answer its input requests with the other handlers.
// If their context or [Options].MaxTimeout ends first, they cancel the task.
// [Client.StartTool] does not wait.
//
// From 2026-07-28 on the server decides which calls become tasks; the client
// declares [TasksExtension]. In 2025-11-25 the client decides: CallTool and Do
// request a task if the tool requires one, and StartTool also if the tool
// permits one. If the program has not listed the tools, the client lists them
// once to find out.
type Tasks struct {
	// TTL is how long the server should keep a task after its creation
	// (2025-11-25 only). The default is what the server decides; negative means the
	// same.
	TTL time.Duration
}

func (t Tasks) attach(c *Client) { c.tasks = t }

func (t Tasks) declare(caps *clientCapabilities, sessions bool) {
	if sessions {
		return // there the capability concerns requests of the server
	}
	all := map[string]RawMessage{TasksExtension: RawMessage("{}")}
	maps.Copy(all, caps.Extensions) // do not modify that of the program
	caps.Extensions = all
}

func (t Tasks) callTool(ctx context.Context, c *Client, q *request, onStatus func(any)) (*CallToolResult, error) {
	if c.with != nil {
		c.with(q) // with the progress of a task
	}
	if t.requestTask(ctx, c, q, false); q.traits&mayBeTask != 0 && q.progress != nil {
		// Progress continues after the response.
		f := q.progress
		sink := c.progress.add(func(p Progress) { c.guard(func() { f(p) }) }, nil)
		defer c.progress.remove(ctx, sink)
		q.progress, q.token = nil, sink.token
	}
	r, state, res, err := c.startTask(ctx, q, onStatus)
	if r == nil {
		return res, err
	}
	all, stop := c.withMaxTimeout(ctx)
	defer stop()
	defer func() {
		if !r.ended { // after an error, or a panic of ToolCall.Task
			r.abandon()
		}
	}()
	return r.wait(all, state)
}

// requestTask makes a call request a task if the tool requires it, or if it allows
// it and the caller is willing. In the modern era the server decides.
func (t Tasks) requestTask(ctx context.Context, c *Client, q *request, willing bool) {
	if !c.era().legacy() || !c.agreed.Load().server.Capabilities.Tasks.Supports("tools/call") {
		return
	}
	table := c.taskTable()
	support, listed := table.supportOf(q.name)
	if !listed {
		_, _ = c.self.ListTools(ctx) // the call itself will fail, too
		support, _ = table.supportOf(q.name)
	}
	if support != nil && (support.required || willing) {
		q.traits |= mayBeTask | uncancelable // tasks/cancel cancels the task
		q.params = t.appendTaskRequest
	}
}

// appendTaskRequest appends the params of a tool call that requests a task
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
	if table.support == nil {
		table.support = make(map[string]taskSupport)
	}
	for _, t := range tools {
		table.forgetLocked(c, t.Name)
		if e := t.Execution; e != nil && (e.TaskSupport == TaskRequired || e.TaskSupport == TaskOptional) && c.budget.Take(len(t.Name)) {
			table.support[strings.Clone(t.Name)] = taskSupport{e.TaskSupport == TaskRequired, time.Now()}
		}
	}
	table.mu.Unlock()
}

func (t Tasks) listEnded(c *Client, began time.Time) {
	table := c.taskTable()
	table.mu.Lock()
	for name, s := range table.support {
		if s.listed.Before(began) {
			table.forgetLocked(c, name)
		}
	}
	table.mu.Unlock()
}

// A taskSupport describes a tool that can be called as a task.
type taskSupport struct {
	required bool
	listed   time.Time
}

// forgetLocked removes a tool from support.
func (t *taskTable) forgetLocked(c *Client, tool string) {
	if _, ok := t.support[tool]; ok {
		c.budget.Return(len(tool))
		delete(t.support, tool)
	}
}

// A taskTable holds the tasks of a client. It observes the notifications of their
// states, which may arrive before the next poll.
type taskTable struct {
	mu      lock.Mutex
	support map[string]taskSupport // by tool, for those with tasks; nil before the tools were listed
	runs    map[*taskRun]bool
}

func (c *Client) taskTable() *taskTable {
	return observerOf(c, func() *taskTable { return &taskTable{runs: make(map[*taskRun]bool)} })
}

func (t *taskTable) supportOf(tool string) (support *taskSupport, listed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.support[tool]; ok {
		support = &s
	}
	return support, t.support != nil
}

func (t *taskTable) add(r *taskRun) {
	t.mu.Lock()
	t.runs[r] = true
	t.mu.Unlock()
}

func (t *taskTable) remove(r *taskRun) {
	t.mu.Lock()
	delete(t.runs, r)
	t.mu.Unlock()
}

// maxUpdate limits a state that waits while the user answers for its task, in bytes. A poll
// returns a longer one.
const maxUpdate = 64 << 10

// observe handles the state of a task. Servers of 2025-11-25 send it unasked,
// later ones only to subscriptions.
func (t *taskTable) observe(method string, params RawMessage) error {
	if method != "notifications/tasks" && method != "notifications/tasks/status" || len(params) > maxUpdate {
		return nil
	}
	state := new(Task)
	if err := state.read(params); err != nil {
		return jsonrpc.Malformed(err)
	}
	t.mu.Lock()
	for r := range t.runs {
		if r.id == state.TaskID {
			select {
			case <-r.updates: // replace an older state
			default:
			}
			r.updates <- state
		}
	}
	t.mu.Unlock()
	return nil
}

func (t *taskTable) sessionRenewed(context.Context) {} // tasks outlive sessions, or polling fails

func (t *Task) read(raw RawMessage) error {
	err := decodeText(raw, t)
	if err == nil && (t.TaskID == "" || t.Status == "") {
		err = errors.New("a task without id or status")
	}
	return err
}

// advanceTask requests the result if the task has ended. It also does so if the
// task requires input: the server then sends requests for it before the response
// (2025-11-25 basic/utilities/tasks, Input Required Status).
func (e *legacyEra) advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error) {
	if !r.ended && t.Status != TaskInputRequired {
		return nil, nil
	}
	q := r.request("tasks/result")
	if !r.ended {
		q.traits |= openEnded
	}
	raw, err := r.c.roundTrip(ctx, q)
	if err != nil {
		return nil, err
	}
	r.ended = true
	res, err := r.result(raw)
	if err == nil && t.Status == TaskFailed { // which not every server repeats
		res.IsError = true
	}
	return res, err
}

// advanceTask answers the input requests of the task. Its final state contains
// the result.
func (e *modernEra) advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error) {
	switch t.Status {
	case TaskInputRequired:
		return nil, r.provideInputs(ctx, t.InputRequests)
	case TaskCompleted:
		return r.result(t.Payload)
	case TaskFailed:
		if t.Error == nil {
			return nil, r.failed(jsonrpc.Malformed(errors.New("a failed task without an error")))
		}
		return nil, r.failed(t.Error)
	}
	return nil, nil
}
