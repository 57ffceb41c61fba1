package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// settle asks for the result, which comes when the task has ended; and also
// when the task needs something: the server then asks for that first
// (2025-11-25 basic/utilities/tasks, Input Required Status).
func (e *legacyEra) advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error) {
	if !r.ended && t.Status != TaskInputRequired {
		return nil, nil
	}
	q := r.call("tasks/result")
	if !r.ended {
		q.traits |= openEnded
	}
	raw, err := r.c.inSession(ctx, q)
	if err != nil {
		return nil, err
	}
	r.ended = true
	return r.result(raw)
}

// settle gives the task what it asks for. Its result is in its last state.
func (e *modernEra) advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error) {
	switch t.Status {
	case TaskInputRequired:
		return nil, r.provideInputs(ctx, t.InputRequests)
	case TaskCompleted:
		return r.result(t.Payload)
	case TaskFailed:
		if t.Error == nil {
			return nil, r.failed(jsonrpc.Malformed(errors.New("a task that failed without an error")))
		}
		return nil, r.failed(t.Error)
	}
	return nil, nil
}
