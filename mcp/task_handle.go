package mcp

import (
	"context"
	"errors"
	"iter"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A TaskHandle stands for a tool call that may go on as a task at the server,
// beyond the life of the client. Its methods may be used concurrently, but for
// Wait.
type TaskHandle struct {
	run    *taskRun
	state  *Task           // as far as it is known; nil after ResumeTask
	result *CallToolResult // of a call that was answered at once; nil otherwise
}

// StartTool calls a tool as Do does, but doesn't wait for the end of the task
// that the call may become. It does wait where the server makes no task of it;
// see [Tasks].
func (c *Client) StartTool(ctx context.Context, t *ToolCall) (*TaskHandle, error) {
	q := t.call()
	if tasks, ok := c.tasks.(Tasks); ok {
		tasks.requestTask(ctx, c, q, true)
	}
	res, err := callWithInputs[CallToolResult](ctx, c, q)
	if err == nil {
		return &TaskHandle{c.newTaskRun(t.Name, "", t.Task), nil, res}, nil
	}
	started, ok := err.(*unfinished)
	if !ok {
		return nil, err
	}
	run, state, err := c.taskOf(q, started, t.Task)
	if err != nil {
		return nil, err
	}
	return &TaskHandle{run, state, nil}, nil
}

// Task returns a handle of the server's task with the given id.
func (c *Client) Task(id string) *TaskHandle {
	return &TaskHandle{run: c.newTaskRun("", id, nil)}
}

// ResumeTask returns the handle that a string from [TaskHandle.Save] stands
// for. The client must be connected to the same server, as the same user.
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
		err = errors.New("neither a task nor a result")
	}
	if err != nil {
		return nil, diag.Op("resume a task", err)
	}
	return h, nil
}

// Save returns a string for [Client.ResumeTask], here or in another process.
// It is a secret if the ids of the server's tasks are; that of a call that was
// answered at once holds the answer.
func (h *TaskHandle) Save() string {
	b := wire.AppendString(wire.AppendKey([]byte{'{'}, "tool"), h.run.tool)
	if h.result != nil {
		b = appendObject(wire.AppendKey(b, "result"), h.result)
	} else {
		b = wire.AppendString(wire.AppendKey(b, "task"), h.run.id)
	}
	return string(append(b, '}'))
}

// ID returns the server's name for the task, or "" when the call was answered
// at once.
func (h *TaskHandle) ID() string { return h.run.id }

// Status asks the server for the state of the task. A call that was answered
// at once counts as a task that is completed.
func (h *TaskHandle) Status(ctx context.Context) (*Task, error) {
	if h.result != nil {
		return &Task{Status: TaskCompleted}, nil
	}
	return h.run.state(ctx)
}

// Wait waits for the end of the task and returns the result of the tool, as
// CallTool does. The end of ctx ends the waiting, not the task; Wait may then
// be called again. The error matches [ErrTaskCancelled] when the task was
// cancelled.
func (h *TaskHandle) Wait(ctx context.Context) (*CallToolResult, error) {
	if h.result != nil {
		return h.result, nil
	}
	return h.run.wait(ctx, h.state)
}

// Cancel asks the server to give up the task. A server need not be able to:
// the error then matches [errors.ErrUnsupported]. It need not do so at once,
// or refuse when the task has ended.
func (h *TaskHandle) Cancel(ctx context.Context) error {
	if h.result != nil {
		return nil
	}
	return h.run.cancel(ctx)
}

// Tasks returns an iterator over the server's tasks, as Tools does over tools.
// Only servers of 2025-11-25 have such a list, and not all of them; otherwise
// the error matches [errors.ErrUnsupported].
func (c *Client) Tasks(ctx context.Context) iter.Seq2[*Task, error] {
	if caps := c.server.Capabilities.Tasks; !c.era.legacy() || caps == nil || caps.List == nil {
		return func(yield func(*Task, error) bool) {
			yield(nil, c.failed(newCall("tasks/list", "", nil), errors.ErrUnsupported))
		}
	}
	return pages(ctx, c, "tasks/list", func(res *listTasksResult) ([]*Task, *string) {
		return res.Tasks, res.NextCursor
	})
}

// ListTasks returns all of the server's tasks. With an error it returns those
// that were read before it.
func (c *Client) ListTasks(ctx context.Context) ([]*Task, error) { return all(ctx, c, c.Tasks) }
