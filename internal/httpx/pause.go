package httpx

import (
	"context"
	"time"

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
func (p *Pauser) Pause(n int, page string) {
	p.Client.noteLogin(n, page)
	p.Conn.Pause(p.Call, n)
	if p.Conn.Handler.Pause != nil {
		p.Conn.Handler.Pause(n)
	}
	pause.Change(p.Context, n, page)
}

// A login is the last one for which a request waited.
type login struct {
	mu     lock.Mutex // guards what follows
	page   string
	began  time.Time
	waited time.Duration // of those that have ended
	n      int           // requests that wait
}

// noteLogin notes the begin or the end of a login for Diagnosis.
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

// Diagnosis returns where the user had to log in, or "".
func (c *Client) Diagnosis() string {
	l := &c.login
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 {
		l.waited = time.Since(l.began)
	}
	if l.page == "" {
		return ""
	}
	return "it waited " + l.waited.String() + " for the login at " + l.page
}
