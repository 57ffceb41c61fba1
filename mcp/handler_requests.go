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

// maxRequests is how many requests of the server are handled at once.
const maxRequests = 64

// A requestTable holds the server's requests that are being handled, so that
// the server can cancel them.
type requestTable struct {
	refuse atomic.Bool // the era has no requests of servers

	mu       sync.Mutex
	cancels  map[jsonrpc.ID]context.CancelFunc // until the answer is sent
	n        int                               // how many run, or send their answer
	lastBusy time.Time                         // when one of them did last, or the user will be back
	running  sync.WaitGroup
}

// add makes room for a request, whose context it derives from ctx. It reports
// false when there is none, or when the id is in use.
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

// run runs f, which ends with ctx, before wait returns. It reports false when
// ctx has ended already.
func (t *requestTable) run(ctx context.Context, f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	t.running.Go(f)
	return true
}

// userIsAway counts the user as busy with what the server asked for.
func (t *requestTable) pauseTimers(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastBusy = time.Now().Add(d)
}

func (t *requestTable) resumeTimers() { t.pauseTimers(0) }

// busy reports whether a handler is at work, or was within the last d.
func (t *requestTable) busy(d time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n > 0 || !t.lastBusy.IsZero() && time.Since(t.lastBusy) < d
}

// handled ends the use of an id: the server may use it again as soon as it has
// the answer. It reports false if the server has cancelled the request.
func (t *requestTable) handled(ctx context.Context, id jsonrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	ok := ctx.Err() == nil
	t.cancels[id]()
	delete(t.cancels, id)
	return ok
}

// remove ends what add began.
func (t *requestTable) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if now := time.Now(); t.lastBusy.Before(now) {
		t.lastBusy = now
	}
	t.running.Done()
}

// cancel takes the params of the notification that the server no longer wants
// an answer.
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
	return nil // it may have been answered meanwhile
}

// A cancelledRequest holds the part of notifications/cancelled that the client
// uses.
type cancelledRequest struct{ id jsonrpc.ID }

func (t *cancelledRequest) fields(c *codec) { c.id("requestId", &t.id) }

// wait waits for the handlers to return, no longer than d: one of them may be
// what waits.
func (t *requestTable) wait(d time.Duration) {
	t.mu.Lock() // what comes later sees that its context has ended
	t.mu.Unlock()
	queue.WaitFor(&t.running, d)
}

// request has a request of the server handled and answered. It never waits.
func (c *Client) request(conn jsonrpc.Conn, m *jsonrpc.Message) {
	if c.requests.refuse.Load() {
		// Even an error answer would break the protocol.
		c.opts.Dropped(errServerRequest, []byte(m.Method))
		return
	}
	ctx, ok := c.requests.add(c.ctx, m.ID)
	if !ok {
		if c.ctx.Err() == nil { // else nobody handles anything any more
			c.opts.Dropped(ErrOverloaded, []byte(m.Method))
		}
		return
	}
	go func() { // ends with the handler
		defer c.requests.remove()
		result, err := c.handle(ctx, m.Method, m.Params)
		if !c.requests.handled(ctx, m.ID) {
			return // nobody wants it any more
		}
		var answer *jsonrpc.Error
		if err != nil {
			answer = c.wireError(m.Method, err)
		} else {
			result = attachRelatedTask(m.Params, result)
		}
		if err := conn.Reply(c.ctx, m.ID, result, answer); err != nil && c.ctx.Err() == nil {
			c.opts.Dropped(err, []byte(m.Method))
		}
	}()
}

// relate says in a result to which task the request belonged (2025-11-25
// basic/utilities/tasks, Associating Task-Related Messages), unless the handler
// has filled _meta itself.
func attachRelatedTask(params, result RawMessage) RawMessage {
	task := member(member(params, "_meta"), metaRelatedTask)
	if task == nil || member(result, "_meta") != nil {
		return result
	}
	b := wire.AppendKey(result[:len(result)-1:len(result)-1], "_meta")
	b = wire.AppendKey(append(b, '{'), metaRelatedTask)
	return append(append(b, task...), "}}"...)
}

var errServerRequest = errors.New("a request from the server, which this protocol revision does not allow")
