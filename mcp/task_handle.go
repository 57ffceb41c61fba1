package mcp

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A TaskHandle represents a tool call that may continue as a task on the
// server, even after the client is closed. Its methods may be called
// concurrently, except for Wait, which must not be called concurrently with
// itself.
type TaskHandle struct {
	run    *taskRun
	state  *Task           // when the task was created; nil after ResumeTask and Wait
	result *CallToolResult // of a call without a task; nil otherwise
}

// StartTool calls a tool as Do does. If the call becomes a task, StartTool
// returns without waiting until the task ends; otherwise it waits for the
// result. See [Tasks].
//
// If the server does not declare tools, the request is sent all the same.
func (c *Client) StartTool(ctx context.Context, t *ToolCall) (*TaskHandle, error) {
	if t == nil {
		return nil, c.failed(newRequest("tools/call", "", nil), errNilCall)
	}
	q := t.request()
	if tasks, ok := c.tasks.(Tasks); ok {
		tasks.requestTask(ctx, c, q, true)
	}
	run, state, res, err := c.startTask(ctx, q, t.onStatus())
	if err != nil {
		return nil, err
	}
	if run == nil {
		run = c.newTaskRun(t.Name, "", nil)
	}
	return &TaskHandle{run, state, res}, nil
}

// Task returns a handle for the task with the given id. It sends nothing.
func (c *Client) Task(id string) *TaskHandle {
	return &TaskHandle{run: c.newTaskRun("", id, nil)}
}

// ResumeTask decodes the result of [TaskHandle.Save]. It sends nothing. The
// client must be connected to the same server as the same user.
func (c *Client) ResumeTask(saved string) (*TaskHandle, error) {
	h := &TaskHandle{run: c.newTaskRun("", "", nil)}
	r := wire.NewReader([]byte(saved))
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "tool":
			h.run.tool = r.String()
		case "task":
			h.run.id = r.String()
		case "result":
			h.result = new(CallToolResult)
			decodeObject(&r, h.result)
		default:
			r.Skip()
		}
	}
	err := r.End()
	if err == nil && h.run.id == "" && h.result == nil {
		err = errors.New("the string is not a result of TaskHandle.Save")
	}
	if err != nil {
		return nil, diag.Op("resume a task", err)
	}
	return h, nil
}

// Save encodes the handle for [Client.ResumeTask] in this or another process.
// The string contains the id of the task or, for a call without a task, the
// result. The id may be a secret.
func (h *TaskHandle) Save() string {
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "tool"), h.run.tool)
	if h.result != nil {
		b = appendObject(wire.AppendKey(b, "result"), h.result)
	} else {
		b = wire.AppendString(wire.AppendKey(b, "task"), h.run.id)
	}
	return string(append(b, '}'))
}

// ID returns the id of the task, or "" for a call without a task.
func (h *TaskHandle) ID() string { return h.run.id }

// Status requests the state of the task. For a call without a task it returns
// TaskCompleted.
func (h *TaskHandle) Status(ctx context.Context) (*Task, error) {
	if h.result != nil {
		return &Task{Status: TaskCompleted}, nil
	}
	return h.run.state(ctx)
}

// Wait waits until the task ends and returns the result of the tool, as
// CallTool does. If ctx ends, Wait returns and the task continues; Wait may be
// called again. The error matches [ErrTaskCancelled] if the task was canceled.
// Options.Timeout limits each poll, not the wait.
func (h *TaskHandle) Wait(ctx context.Context) (*CallToolResult, error) {
	if h.result != nil {
		return h.result, nil
	}
	state := h.state
	h.state = nil // a later Wait requests the state as it is then
	return h.run.wait(ctx, state)
}

// Cancel asks the server to cancel the task and does not wait until it ends.
// The server may refuse if the task has ended.
//
// If a legacy server does not declare tasks.cancel, the error matches
// [errors.ErrUnsupported] and nothing is sent.
func (h *TaskHandle) Cancel(ctx context.Context) error {
	if h.result != nil {
		return nil
	}
	return h.run.cancel(ctx)
}

// Tasks returns an iterator over the server's tasks, as Tools does over tools.
// Only 2025-11-25 has a list of tasks.
//
// If the server does not declare tasks.list, the error matches [errors.ErrUnsupported] and
// nothing is sent.
func (c *Client) Tasks(ctx context.Context) iter.Seq2[*Task, error] { return c.taskPages(ctx, nil) }

func (c *Client) taskPages(ctx context.Context, held *int) iter.Seq2[*Task, error] {
	if caps := c.agreed.Load().server.Capabilities.Tasks; !c.era().legacy() || caps == nil || caps.List == nil {
		return func(yield func(*Task, error) bool) {
			err := c.ended("tasks/list")
			if err == nil {
				err = c.failed(newRequest("tasks/list", "", nil), errors.ErrUnsupported)
			}
			yield(nil, err)
		}
	}
	return func(yield func(*Task, error) bool) {
		pages(ctx, c, "tasks/list", held, fresh[listTasksResult], func(res *listTasksResult) ([]*Task, *Page) {
			return res.Tasks, &res.Page
		}, yield)
	}
}

// ListTasks returns all tasks of the server. If it fails, it returns those
// received so far and the error.
//
// If the server does not declare tasks.list, the error matches [errors.ErrUnsupported] and
// nothing is sent.
func (c *Client) ListTasks(ctx context.Context) ([]*Task, error) { return all(ctx, c, c.taskPages) }

// A TaskStatus is the state of a task.
type TaskStatus string

// The statuses of a task.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// Done reports whether the status is final: completed, failed or cancelled.
func (s TaskStatus) Done() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// A Task is the state of a request that a server continues to process after its
// response, as defined by 2025-11-25 or by [TasksExtension] (2026-07-28).
type Task struct {
	TaskID         string
	Status         TaskStatus
	StatusMessage  string // for people or a model
	CreatedAt      string // ISO 8601
	LastUpdatedAt  string // ISO 8601
	TTLMs          *int64 // how long the server keeps the task, from CreatedAt, in milliseconds; nil means no limit
	PollIntervalMs *int64 // the interval between polls, in milliseconds; nil if unknown

	// The following fields are set only by the extension (2026-07-28).
	InputRequests map[string]InputRequest // the input that the task waits for, if its status is TaskInputRequired
	Payload       RawMessage              // "result": the result of the request, if its status is TaskCompleted
	Error         *jsonrpc.Error          // the error, if its status is TaskFailed

	Result

	legacy bool // in the form of 2025-11-25
}

func (t *Task) fields(c *codec) {
	c.exact("taskId", &t.TaskID)
	c.string("status", (*string)(&t.Status), always)
	c.string("statusMessage", &t.StatusMessage, omitEmpty)
	c.string("createdAt", &t.CreatedAt, always)
	c.string("lastUpdatedAt", &t.LastUpdatedAt, always)
	ttl, poll := "ttlMs", "pollIntervalMs"
	if t.legacy || c.at("ttl") || c.at("pollInterval") {
		t.legacy = true
		ttl, poll = "ttl", "pollInterval"
	}
	if c.put(ttl, t.TTLMs == nil) {
		c.b = append(c.b, "null"...)
	} else {
		c.hintPtr(ttl, &t.TTLMs)
	}
	c.hintPtr(poll, &t.PollIntervalMs)
	c.inputRequests(&t.InputRequests)
	c.raw("result", &t.Payload)
	if c.take("error") {
		t.Error = new(jsonrpc.Error)
		if raw := c.r.Raw(); raw != nil {
			c.r.Fail(t.Error.UnmarshalJSON(raw))
		}
	} else if c.put("error", t.Error != nil) {
		raw, _ := t.Error.MarshalJSON()
		c.writeRaw(raw)
	}
	t.Result.fields(c)
}

func (t *Task) ident() string { return t.TaskID }

// A listTasksResult is a page of a server's tasks (2025-11-25 only).
type listTasksResult struct {
	Tasks []*Task
	Page
}

func (t *listTasksResult) fields(c *codec) {
	items(c, "tasks", &t.Tasks, &t.Page)
	t.Page.fields(c)
}

// A TasksCapability declares that requests may become tasks (2025-11-25 only).
// Its members are objects; nil means not supported.
type TasksCapability struct {
	List     RawMessage            // tasks/list
	Cancel   RawMessage            // tasks/cancel
	Requests RawMessage            // see Supports
	Extra    map[string]RawMessage // members without a field, as received
}

func (t *TasksCapability) fields(c *codec) {
	c.raw("list", &t.List)
	c.raw("cancel", &t.Cancel)
	c.raw("requests", &t.Requests)
	c.extra(&t.Extra)
}

// Supports reports whether requests of a method, such as "tools/call", may
// become tasks. It may be called on nil.
func (t *TasksCapability) Supports(method string) bool {
	if t == nil {
		return false
	}
	group, name, _ := strings.Cut(method, "/")
	return wire.Lookup(t.Requests, group, name) != nil
}

// An InputRequest is a server's request within a result or a task (2026-07-28).
type InputRequest struct {
	Method string     // sampling/createMessage, elicitation/create or roots/list
	Params RawMessage // nil if absent

	Extra map[string]RawMessage // members without a field, as received
}

func (t *InputRequest) fields(c *codec) {
	c.string("method", &t.Method, always)
	c.raw("params", &t.Params)
	c.extra(&t.Extra)
}

var errMendedKey = errors.New("a key of inputRequests with a replacement character, which the server would not know")

func (c *codec) takeInputRequests(p *map[string]InputRequest) bool {
	if !c.take("inputRequests") {
		return false
	}
	*p = make(map[string]InputRequest)
	if c.emptyArray() {
		return true
	}
	for c.r.Object(); c.r.More(); {
		var v InputRequest
		key := string(c.r.Key())
		if c.read(&v); strings.Contains(key, "\uFFFD") {
			c.r.Fail(errMendedKey)
		}
		(*p)[key] = v
	}
	return true
}

func (c *codec) inputRequests(p *map[string]InputRequest) {
	if !c.takeInputRequests(p) && c.put("inputRequests", *p != nil) {
		c.b = append(c.b, '{')
		for _, key := range wire.SortedKeys(*p) {
			v := (*p)[key]
			c.b = wire.AppendKey(c.b, key)
			c.write(&v)
		}
		c.b = append(c.b, '}')
	}
}
