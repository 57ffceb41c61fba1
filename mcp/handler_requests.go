package mcp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxRequests is how many requests of the server are handled concurrently.
const maxRequests = 64

// A requestTable holds the pending requests of the server, which it can cancel.
type requestTable struct {
	refuse atomic.Bool // the era has no requests of the server

	mu       sync.Mutex
	cancels  map[jsonrpc.ID]context.CancelFunc // until the response is sent
	n        int                               // the number of handlers that run or send their response
	lastBusy time.Time                         // when the last handler returned; in the future while the user is on a page
	running  sync.WaitGroup
}

// add adds a request and returns its context, which is derived from ctx. It
// reports false if there are too many, or if the id is in use.
func (t *requestTable) add(ctx context.Context, id jsonrpc.ID) (context.Context, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancels[id] != nil || t.n >= maxRequests || ctx.Err() != nil {
		return nil, false
	}
	if t.cancels == nil {
		t.cancels = make(map[jsonrpc.ID]context.CancelFunc)
	}
	ctx, t.cancels[id] = context.WithCancel(ctx)
	t.n++
	t.running.Add(1)
	return ctx, true
}

// run runs f in a goroutine for which wait waits. f must return when ctx ends. run
// reports false if ctx has already ended.
func (t *requestTable) run(ctx context.Context, f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	t.running.Go(f)
	return true
}

// pauseTimers pauses the timeouts of calls for d, while the user is on a page.
func (t *requestTable) pauseTimers(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastBusy = time.Now().Add(d)
}

func (t *requestTable) resumeTimers() { t.pauseTimers(0) }

// busy reports whether a handler is running, or was within the last d.
func (t *requestTable) busy(d time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n > 0 || !t.lastBusy.IsZero() && time.Since(t.lastBusy) < d
}

// handled releases an id, as the server may use it again as soon as it has the
// response. It reports false if the server has canceled the request.
func (t *requestTable) handled(ctx context.Context, id jsonrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	ok := ctx.Err() == nil
	t.cancels[id]()
	delete(t.cancels, id)
	return ok
}

// remove removes a request after its response.
func (t *requestTable) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if now := time.Now(); t.lastBusy.Before(now) {
		t.lastBusy = now
	}
	t.running.Done()
}

// cancel handles the params of the notification that cancels a request.
func (t *requestTable) cancel(params []byte) error {
	var p cancelledRequest
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if cancel := t.cancels[p.id]; cancel != nil {
		cancel()
	}
	return nil // the response may already have been sent
}

// A cancelledRequest holds the part of notifications/cancelled that the client
// uses.
type cancelledRequest struct{ id jsonrpc.ID }

func (t *cancelledRequest) fields(c *codec) { c.id("requestId", &t.id) }

// wait waits for the handlers to return, at most for d, as a handler may have
// called Close.
func (t *requestTable) wait(d time.Duration) {
	t.mu.Lock()
	running := &t.running // later calls of add and run see that their context has ended
	t.mu.Unlock()
	queue.WaitFor(running, d)
}

// request starts a goroutine that handles a request of the server and responds.
func (c *Client) request(conn jsonrpc.Conn, m *jsonrpc.Message) {
	if c.requests.refuse.Load() {
		// Even an error response would violate the protocol.
		c.discarded(errServerRequest, []byte(m.Method))
		return
	}
	ctx, ok := c.requests.add(c.ctx, m.ID)
	if !ok {
		if c.ctx.Err() == nil { // the client is not closed
			c.discarded(ErrOverloaded, []byte(m.Method))
		}
		return
	}
	go func() { // ends when the handler returns
		defer c.requests.remove()
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
		if err := conn.Reply(c.ctx, m.ID, result, answer); err != nil && c.ctx.Err() == nil {
			c.discarded(err, []byte(m.Method))
		}
	}()
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

var errServerRequest = errors.New("a request from the server, which this protocol version does not allow")
