package mcp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxRequests is how many requests of the server are handled concurrently.
const maxRequests = 64

// A requestTable holds the pending requests of the server, which it can cancel.
type requestTable struct {
	refuse atomic.Bool   // the era has no requests of the server
	budget *queue.Budget // of the client

	replies queue.Queue // responses beyond maxRequests, which need no handler

	mu      lock.Mutex
	cancels map[string]context.CancelFunc // by the id, until the response is sent
	n       int                           // the number of handlers that run or send their response
	busy    busyTime
	running lock.Group
}

// maxReplies is how many further responses may wait. Only a server that does
// not read its responses reaches it.
const maxReplies = 4096

// A busyTime measures the time during which handlers run or the user is on a
// page. The timeouts of calls exclude it.
type busyTime struct {
	sum       time.Duration // until counted
	counted   time.Time
	handlers  int       // that run, and logins
	awayUntil time.Time // the user is on a page until then
}

// count adds the time since the last count. It is called before any change.
func (b *busyTime) count(now time.Time) {
	end := now
	if b.handlers == 0 && b.awayUntil.Before(now) {
		end = b.awayUntil
	}
	if end.After(b.counted) {
		b.sum += end.Sub(b.counted)
	}
	b.counted = now
}

// add adds a request of size bytes and returns its context, which is derived from ctx. It
// returns an error if there are too many, or if the id is in use.
func (t *requestTable) add(ctx context.Context, id jsonrpc.ID, size int) (context.Context, error) {
	key := id.String()
	t.mu.Lock()
	err := ctx.Err()
	switch {
	case err != nil:
	case t.cancels[key] != nil:
		err = errIDInUse
	case t.n >= maxRequests, !t.budget.Take(size):
		err = errTooManyRequests
	default:
		if t.cancels == nil {
			t.cancels = make(map[string]context.CancelFunc)
		}
		ctx, t.cancels[key] = context.WithCancel(ctx)
		t.n++
		t.running.Add(1)
	}
	t.mu.Unlock()
	return ctx, err
}

// run runs f in a goroutine for which wait waits. f must return when ctx ends.
// run returns false if ctx has already ended.
func (t *requestTable) run(ctx context.Context, f func()) bool {
	t.mu.Lock()
	ok := ctx.Err() == nil
	if ok {
		t.running.Go(f)
	}
	t.mu.Unlock()
	return ok
}

// pauseTimers pauses the timeouts of calls for d, while the user is on a page; 0
// resumes them.
func (t *requestTable) pauseTimers(d time.Duration) {
	t.mu.Lock()
	now := time.Now()
	t.busy.count(now)
	t.busy.awayUntil = now.Add(d)
	t.mu.Unlock()
}

func (t *requestTable) pause() (resume func()) {
	t.addBusy(1)
	return sync.OnceFunc(func() { t.addBusy(-1) })
}

func (t *requestTable) addBusy(n int) {
	t.mu.Lock()
	t.busy.count(time.Now())
	t.busy.handlers += n
	t.mu.Unlock()
}

func (t *requestTable) paused() (sum time.Duration, now bool) {
	t.mu.Lock()
	t.busy.count(time.Now())
	sum, now = t.busy.sum, t.busy.handlers > 0 || t.busy.awayUntil.After(t.busy.counted)
	t.mu.Unlock()
	return sum, now
}

func (t *requestTable) away() bool {
	_, now := t.paused()
	return now
}

// handled releases an id, because the server may reuse it as soon as it has the
// response. It returns false if the server has canceled the request.
func (t *requestTable) handled(ctx context.Context, id jsonrpc.ID) bool {
	t.mu.Lock()
	ok := ctx.Err() == nil
	key := id.String()
	t.cancels[key]()
	delete(t.cancels, key)
	t.mu.Unlock()
	return ok
}

func (t *requestTable) remove(size int) {
	t.budget.Return(size)
	t.mu.Lock()
	t.n--
	t.running.Done()
	t.mu.Unlock()
}

func (t *requestTable) cancel(params []byte) error {
	var p cancelledRequest
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	t.mu.Lock()
	if cancel := t.cancels[p.id.String()]; cancel != nil {
		cancel()
	}
	t.mu.Unlock()
	return nil // the response may already have been sent
}

// A cancelledRequest holds the part of notifications/cancelled that the client
// uses.
type cancelledRequest struct {
	id     jsonrpc.ID
	reason string
}

func (t *cancelledRequest) fields(c *codec) {
	c.id("requestId", &t.id)
	c.string("reason", &t.reason, omitEmpty)
}

// wait waits for the handlers to return, at most for d, as a handler may have
// called Close.
func (t *requestTable) wait(d time.Duration) {
	t.mu.Lock()
	running := &t.running // later calls of add and run see that their context has ended
	t.mu.Unlock()
	retry.Await(running.Idle(), d)
}

func (c *Client) request(l link, m *jsonrpc.Message) {
	if c.requests.refuse.Load() {
		// Even an error response would violate the protocol.
		c.discarded(errServerRequest, []byte(m.Method))
		return
	}
	size := len(m.Params) + len(m.ID.String())
	ctx, err := c.requests.add(c.ctx, m.ID, size)
	switch err {
	case nil:
	case errTooManyRequests:
		c.replyLater(l, m)
		return
	case errIDInUse: // a response would be taken for that to the earlier request
		c.discarded(err, []byte(m.Method))
		return
	default:
		return // the client is closed
	}
	go func() { // ends when the handler returns
		defer c.requests.remove(size)
		result, err := c.handle(ctx, m.Method, m.Params)
		if !c.requests.handled(ctx, m.ID) {
			return // the server has canceled it
		}
		var answer *jsonrpc.Error
		if err != nil {
			answer = c.wireError(m.Method, err)
		} else {
			result = attachRelatedTask(m.Params, result)
		}
		c.reply(l, m.ID, m.Method, result, answer)
	}()
}

// errTooManyRequests refuses a request beyond maxRequests.
var errTooManyRequests = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at once"}

func (c *Client) replyLater(l link, m *jsonrpc.Message) {
	id, method := m.ID, m.Method // not the params
	var result RawMessage
	refusal := errTooManyRequests
	if method == "ping" {
		result, refusal = RawMessage("{}"), nil
	}
	send := func() { c.reply(l, id, method, result, refusal) }
	if !c.requests.replies.AddSize(len(id.String())+len(method), send) && c.ctx.Err() == nil {
		c.discarded(ErrOverloaded, []byte(method)) // the server does not read
	}
}

// reply sends a response on a goroutine of the library, through the connection that
// Open returned. A transport may call a function of the program for it, which may
// panic.
func (c *Client) reply(l link, id jsonrpc.ID, method string, result RawMessage, answer *jsonrpc.Error) {
	conn := <-l
	l <- conn
	if conn == nil {
		return
	}
	c.guard(func() {
		if err := conn.Reply(c.ctx, id, result, answer); err != nil && c.ctx.Err() == nil {
			c.discarded(err, []byte(method))
		}
	})
}

// attachRelatedTask adds the task of a request to the result (2025-11-25
// basic/utilities/tasks, Associating Task-Related Messages), unless the handler
// has set _meta itself.
func attachRelatedTask(params, result RawMessage) RawMessage {
	task := wire.Lookup(params, "_meta", metaRelatedTask)
	if task == nil || wire.Lookup(result, "_meta") != nil {
		return result
	}
	b := wire.AppendKey(result[:len(result)-1:len(result)-1], "_meta")
	b = wire.AppendKey(append(b, '{'), metaRelatedTask)
	return append(append(b, task...), "}}"...)
}

var errIDInUse = errors.New("the id of the request is in use")

var errServerRequest = errors.New("a request from the server, which this protocol version does not allow")
