package mcp

import (
	"context"
	"errors"
	"iter"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
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
// The error matches [errors.ErrUnsupported] if the server does not support
// cancellation. The server may refuse if the task has ended.
func (h *TaskHandle) Cancel(ctx context.Context) error {
	if h.result != nil {
		return nil
	}
	return h.run.cancel(ctx)
}

// Tasks returns an iterator over the server's tasks, as Tools does over tools.
// Only 2025-11-25 has a list of tasks, and not every server supports it;
// otherwise the error matches [errors.ErrUnsupported].
func (c *Client) Tasks(ctx context.Context) iter.Seq2[*Task, error] { return c.taskPages(ctx, nil) }

// taskPages is [pages] of tasks.
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
	return pages(ctx, c, "tasks/list", held, fresh[listTasksResult], func(res *listTasksResult) ([]*Task, *Page) {
		return res.Tasks, &res.Page
	})
}

// ListTasks returns all tasks of the server. If it fails, it returns those
// received so far and the error.
func (c *Client) ListTasks(ctx context.Context) ([]*Task, error) { return all(ctx, c, c.taskPages) }
