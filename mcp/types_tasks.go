package mcp

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
	c.string("taskId", &t.TaskID, always)
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

func (c *codec) inputRequests(p *map[string]InputRequest) {
	if c.take("inputRequests") {
		*p = make(map[string]InputRequest)
		if c.emptyArray() {
			return
		}
		for c.r.Object(); c.r.More(); {
			var v InputRequest
			key := string(c.r.Key())
			c.read(&v)
			(*p)[key] = v
		}
	} else if c.put("inputRequests", *p != nil) {
		c.b = append(c.b, '{')
		for _, key := range wire.SortedKeys(*p) {
			v := (*p)[key]
			c.b = wire.AppendKey(c.b, key)
			c.write(&v)
		}
		c.b = append(c.b, '}')
	}
}
