package mcp

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// usualPoll is how often a task is asked for when the server doesn't say;
	// minPoll and maxPoll bound what it may say.
	defaultPoll, minPoll, maxPoll = time.Second, 100 * time.Millisecond, time.Hour

	// pollRetries is how often in a row asking may go wrong on the way.
	pollRetries = 2

	// maxGiven bounds what a task may ask for in all.
	maxTaskInputs = 1024

	// A server has cancelTime to notice that nobody wants a task any more. Who
	// wants that waits for cancelGrace.
	cancelTimeout, cancelWait = 2 * time.Second, 100 * time.Millisecond
)

// A taskRun is a tool call that goes on as a task.
type taskRun struct {
	c          *Client
	tool       string
	id         string
	onStatus   func(*Task)     // hears of each new state; may be nil
	lastStatus string          // what it heard last
	updates    chan *Task      // buffered; the newest state that the server told unasked
	provided   map[string]bool // the keys of what the task asked for and got
	ended      bool            // the task has ended
}

func (c *Client) newTaskRun(tool, id string, onStatus func(*Task)) *taskRun {
	return &taskRun{c: c, tool: tool, id: id, onStatus: onStatus, updates: make(chan *Task, 1), provided: make(map[string]bool)}
}

// taskOf reads the result that says that a call has become a task.
func (c *Client) taskOf(q *call, started *unfinished, onStatus func(*Task)) (*taskRun, *Task, error) {
	raw := started.raw
	if q.traits&mayBeTask != 0 {
		raw = member(raw, "task")
	}
	state := new(Task)
	if err := state.read(raw); err != nil {
		return nil, nil, c.failed(q, jsonrpc.Malformed(err))
	}
	return c.newTaskRun(q.name, state.TaskID, onStatus), state, nil
}

// wait follows the task to its end. state is nil when it isn't known.
func (r *taskRun) wait(ctx context.Context, state *Task) (*CallToolResult, error) {
	table := r.c.taskTable()
	table.add(r)
	defer table.remove(r)
	var pause time.Duration
	failures := 0
	for {
		if state != nil {
			if res, err := r.handleState(ctx, state); res != nil || err != nil {
				return res, err
			}
			failures, pause = 0, state.pollDelay()
		}
		var err error
		if state, err = r.nextState(ctx, pause); err == nil {
			continue
		}
		if failures == pollRetries || ctx.Err() != nil || r.c.conn.Err() != nil || serverError(err) != nil {
			return nil, err
		}
		failures++
		state, pause = nil, max(pause, minPoll)
	}
}

// take does what a state of the task asks for. It returns the result when the
// task has ended, and nothing when it goes on.
func (r *taskRun) handleState(ctx context.Context, state *Task) (*CallToolResult, error) {
	r.ended = state.Status.Done()
	if now := string(state.Status) + state.StatusMessage; r.onStatus != nil && now != r.lastStatus {
		r.lastStatus = now
		r.onStatus(state)
	}
	if state.Status != TaskCancelled {
		return r.c.era.(taskAdvancer).advanceTask(ctx, r, state)
	}
	err := ErrTaskCancelled
	if state.StatusMessage != "" {
		err = diag.Op(state.StatusMessage, err)
	}
	return nil, r.failed(err)
}

// next returns what the server says about the task after a pause, or tells
// before.
func (r *taskRun) nextState(ctx context.Context, pause time.Duration) (*Task, error) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case state := <-r.updates:
		return state, nil
	case <-timer.C:
		return r.state(ctx)
	case <-r.c.conn.Done():
		return nil, r.failed(r.c.conn.Err())
	case <-ctx.Done():
		return nil, r.failed(context.Cause(ctx))
	}
}

// pause returns how long to wait before a task is asked for again: what the
// server says, and up to a tenth more, so that clients that began together
// don't go on so. The clock's nanoseconds are random enough for that.
func (t *Task) pollDelay() time.Duration {
	d := defaultPoll
	if ms := t.PollIntervalMs; ms != nil {
		d = max(time.Duration(min(*ms, maxPoll.Milliseconds()))*time.Millisecond, minPoll)
	}
	return d + time.Duration(time.Now().Nanosecond())%(d/10)
}

// state asks for the state of the task.
func (r *taskRun) state(ctx context.Context) (*Task, error) {
	q := r.call("tasks/get")
	raw, err := r.c.inSession(ctx, q)
	if err != nil {
		return nil, err
	}
	state := new(Task)
	if err := state.read(raw); err != nil {
		return nil, r.c.failed(q, jsonrpc.Malformed(err))
	}
	return state, nil
}

// call returns a request about the task.
func (r *taskRun) call(method string) *call {
	q := newCall(method, r.tool, (*request).appendTaskID)
	q.task = r.id
	return q
}

func (q *request) appendTaskID(b []byte) ([]byte, error) {
	return wire.AppendString(wire.AppendKey(b, "taskId"), q.task), nil
}

// failed says that the tool call failed.
func (r *taskRun) failed(err error) error {
	return r.c.failed(newCall("tools/call", r.tool, nil), err)
}

// result reads the result of the tool call.
func (r *taskRun) result(raw RawMessage) (*CallToolResult, error) {
	res := new(CallToolResult)
	if err := decodeText(raw, res); err != nil {
		return nil, r.failed(jsonrpc.Malformed(err))
	}
	return res, nil
}

// give gives the task what it asks for and has not got: a server need not
// notice at once what it got.
func (r *taskRun) provideInputs(ctx context.Context, asked map[string]InputRequest) error {
	for key := range r.provided {
		delete(asked, key)
	}
	switch n := len(asked); {
	case n == 0:
		return nil
	case n > maxInputRequests:
		return r.failed(diag.Op("more than "+strconv.Itoa(maxInputRequests)+" questions at once", ErrInputRequired))
	case n+len(r.provided) > maxTaskInputs:
		return r.failed(diag.Op("more than "+strconv.Itoa(maxTaskInputs)+" questions", ErrInputRequired))
	}
	answers, err := r.c.answerAll(ctx, wire.SortedKeys(asked), func(key string) (InputRequest, error) { return asked[key], nil })
	if err != nil {
		return r.failed(err)
	}
	q := r.call("tasks/update")
	q.inputs.answers = answers
	if _, err := r.c.inSession(ctx, q); err != nil {
		return err
	}
	for key := range asked {
		r.provided[key] = true
	}
	return nil
}

// cancel asks the server to give up the task. The request itself is not
// withdrawn: it is on its way.
func (r *taskRun) cancel(ctx context.Context) error {
	q := r.call("tasks/cancel")
	if caps := r.c.server.Capabilities.Tasks; r.c.era.legacy() && (caps == nil || caps.Cancel == nil) {
		return r.c.failed(q, errors.ErrUnsupported)
	}
	_, err := r.c.inSession(ctx, q)
	return err
}

// abandon cancels the task for a caller who is on its way out.
func (r *taskRun) abandon() {
	ctx, cancel := context.WithTimeout(r.c.ctx, cancelTimeout)
	if !r.c.requests.run(ctx, func() {
		defer cancel()
		_ = r.cancel(ctx) // a courtesy
	}) {
		cancel()
	}
	timer := time.NewTimer(cancelWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
