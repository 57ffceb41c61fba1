package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// defaultPoll is the interval of polls if the server does not set one;
	// minPoll and maxPoll bound the server's.
	defaultPoll, minPoll, maxPoll = time.Second, 100 * time.Millisecond, time.Hour

	// pollRetries is how many consecutive polls may fail without a response
	// from the server.
	pollRetries = 2

	// maxTaskInputs is how many inputs a task may require in total.
	maxTaskInputs, tooManyTaskInputs = 1024, "more than 1024 input requests"

	// cancelTimeout bounds the request that cancels an abandoned task. The
	// caller waits for it at most for cancelWait.
	cancelTimeout, cancelWait = 2 * time.Second, 100 * time.Millisecond
)

// A taskRun is a tool call that continues as a task.
type taskRun struct {
	c          *Client
	tool       string
	id         string
	onStatus   func(any)       // called with each new state; may be nil
	lastStatus string          // the latest state passed to onStatus
	updates    chan *Task      // buffered; the latest state from a notification
	provided   map[string]bool // the keys of the inputs that the task has received
	ended      bool
}

func (c *Client) newTaskRun(tool, id string, onStatus func(any)) *taskRun {
	return &taskRun{c: c, tool: tool, id: id, onStatus: onStatus, updates: make(chan *Task, 1), provided: make(map[string]bool)}
}

func (c *Client) startTask(ctx context.Context, q *request, onStatus func(any)) (*taskRun, *Task, *CallToolResult, error) {
	res, err := call(ctx, c, q, fresh[CallToolResult])
	started, ok := err.(*unfinished)
	if !ok {
		return nil, nil, res, err
	}
	raw := started.raw
	if q.traits&mayBeTask != 0 {
		raw = wire.Lookup(raw, "task")
	}
	state := new(Task)
	if err := state.read(raw); err != nil {
		return nil, nil, nil, c.failed(q, jsonrpc.Malformed(err))
	}
	return c.newTaskRun(q.name, state.TaskID, onStatus), state, nil, nil
}

func (r *taskRun) wait(ctx context.Context, state *Task) (*CallToolResult, error) {
	table := r.c.taskTable()
	table.add(r)
	defer table.remove(r)
	defer r.forgetInputs()
	var delay time.Duration
	failures := 0
	for {
		if state != nil {
			if res, err := r.handleState(ctx, state); res != nil || err != nil {
				return res, err
			}
			failures, delay = 0, state.pollDelay()
		}
		var err error
		if state, err = r.nextState(ctx, delay); err == nil {
			continue
		}
		if failures == pollRetries || ctx.Err() != nil || r.c.conn.Err() != nil || serverError(err) != nil {
			return nil, err
		}
		failures++
		state, delay = nil, max(delay, minPoll)
	}
}

func (r *taskRun) handleState(ctx context.Context, state *Task) (*CallToolResult, error) {
	r.ended = state.Status.Done()
	if now := string(state.Status) + state.StatusMessage; r.onStatus != nil && now != r.lastStatus {
		r.lastStatus = now
		r.onStatus(state)
	}
	if state.Status != TaskCancelled {
		return r.c.era().(taskAdvancer).advanceTask(ctx, r, state)
	}
	err := ErrTaskCancelled
	if state.StatusMessage != "" {
		err = diag.Op(state.StatusMessage, err)
	}
	return nil, r.failed(err)
}

func (r *taskRun) nextState(ctx context.Context, delay time.Duration) (*Task, error) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case state := <-r.updates:
		return state, nil
	case <-timer.C:
		return r.state(ctx)
	case <-r.c.conn.Done():
		return nil, r.failed(r.c.conn.Err())
	case <-ctx.Done():
		return nil, r.failed(retry.Cause(ctx))
	}
}

// pollDelay returns the delay before the next poll: the server's interval plus
// up to a tenth of jitter, for which the clock's nanoseconds are random enough.
func (t *Task) pollDelay() time.Duration {
	d := defaultPoll
	if ms := t.PollIntervalMs; ms != nil {
		d = max(time.Duration(min(*ms, maxPoll.Milliseconds()))*time.Millisecond, minPoll)
	}
	return d + time.Duration(time.Now().Nanosecond())%(d/10)
}

func (r *taskRun) state(ctx context.Context) (*Task, error) {
	q := r.request("tasks/get")
	raw, err := r.c.roundTrip(ctx, q)
	if err != nil {
		return nil, err
	}
	state := new(Task)
	if err = state.read(raw); err == nil && state.TaskID != r.id {
		err = errors.New("the state of another task")
	}
	if err != nil {
		return nil, r.c.failed(q, jsonrpc.Malformed(err))
	}
	return state, nil
}

func (r *taskRun) request(method string) *request {
	q := newRequest(method, r.tool, (*request).appendTaskID)
	q.task = r.id
	return q
}

func (q *request) appendTaskID(b []byte) ([]byte, error) {
	return wire.AppendString(wire.AppendKey(b, "taskId"), q.task), nil
}

func (r *taskRun) failed(err error) error {
	return r.c.failed(newRequest("tools/call", r.tool, nil), err)
}

func (r *taskRun) result(raw RawMessage) (*CallToolResult, error) {
	res := new(CallToolResult)
	text := wire.NewReader(raw)
	if err := r.c.read(newRequest("tools/call", r.tool, nil), &text, raw, res); err != nil {
		return nil, err
	}
	if t := res.ResultType; t != "" && t != "complete" {
		return nil, r.failed(jsonrpc.Malformed(errors.New("the result of a task has the resultType " + wire.Quote(t))))
	}
	return res, nil
}

// provideInputs answers the input requests of the task, except those that it has
// answered already: the server may not have processed the answers yet.
func (r *taskRun) provideInputs(ctx context.Context, required map[string]InputRequest) error {
	var keys []string // the program may read required at the same time
	for _, key := range wire.SortedKeys(required) {
		if !r.provided[key] {
			keys = append(keys, key)
		}
	}
	switch n := len(keys); {
	case n == 0:
		return nil
	case n > maxInputRequests:
		return r.failed(diag.Op(tooManyInputs, ErrInputRequired))
	case n+len(r.provided) > maxTaskInputs:
		return r.failed(diag.Op(tooManyTaskInputs, ErrInputRequired))
	}
	answers, err := r.c.answerAll(ctx, keys, required)
	if err != nil {
		return r.failed(err)
	}
	q := r.request("tasks/update")
	q.inputs.answers = answers
	if _, err := r.c.roundTrip(ctx, q); err != nil {
		return err
	}
	for _, key := range keys {
		if !r.c.budget.Take(len(key)) {
			return r.failed(ErrOverloaded)
		}
		r.provided[strings.Clone(key)] = true
	}
	return nil
}

func (r *taskRun) forgetInputs() {
	for key := range r.provided {
		r.c.budget.Return(len(key))
	}
	clear(r.provided)
}

func (r *taskRun) cancel(ctx context.Context) error {
	q := r.request("tasks/cancel")
	if caps := r.c.agreed.Load().server.Capabilities.Tasks; r.c.era().legacy() && (caps == nil || caps.Cancel == nil) {
		return r.c.failed(q, errors.ErrUnsupported)
	}
	_, err := r.c.roundTrip(ctx, q)
	return err
}

func (r *taskRun) abandon() {
	ctx, cancel := retry.WithTimeout(r.c.ctx, cancelTimeout, nil)
	if !r.c.requests.run(ctx, func() {
		defer cancel()
		r.c.guard(func() { _ = r.cancel(ctx) }) // best effort
	}) {
		cancel()
	}
	retry.Sleep(ctx, cancelWait)
}
