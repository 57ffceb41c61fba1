package httpx

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Pauser is the pause.Pauser of a request, in addition to that of its context.
type Pauser struct {
	Context context.Context
	Conn    *jsonrpc.Dispatcher
	Call    jsonrpc.ID // that the request belongs to, or zero
	Client  *Client
}

// Pause implements pause.Pauser.
func (p *Pauser) Pause(page string) (resume func()) {
	var handler func()
	if p.Conn.Handler.Pause != nil {
		handler = p.Conn.Handler.Pause()
	}
	p.Client.noteLogin(1, page)
	call, around := p.Conn.Pause(p.Call), pause.Begin(p.Context, page)
	return sync.OnceFunc(func() {
		p.Client.noteLogin(-1, page)
		call()
		around()
		if handler != nil {
			handler()
		}
	})
}

// A login is the last one for which a request waited.
type login struct {
	mu     lock.Mutex // guards what follows
	page   string
	began  time.Time
	waited time.Duration // of those that have ended
	n      int           // requests that wait
}

// noteLogin notes the begin or the end of a login for Explain.
func (c *Client) noteLogin(n int, page string) {
	l := &c.login
	l.mu.Lock()
	if l.n == 0 {
		l.page, l.began = page, time.Now()
	}
	l.n += n
	l.waited = time.Since(l.began)
	l.mu.Unlock()
}

// noteResponse notes that the server responds, so that no login is a reason any more.
func (c *Client) noteResponse() {
	l := &c.login
	l.mu.Lock()
	if l.n == 0 {
		l.page = ""
	}
	l.mu.Unlock()
}

// Explain implements [jsonrpc.Features].Explain: after a timeout, it adds where the user
// had to log in.
func (c *Client) Explain(err error) error {
	l := &c.login
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.page == "" || !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if l.n > 0 {
		l.waited = time.Since(l.began)
	}
	return diag.Error(err.Error()+"; it waited "+l.waited.String()+" for the login at "+l.page, nil, err)
}
