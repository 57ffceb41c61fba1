package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
	return r.result(raw)
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
