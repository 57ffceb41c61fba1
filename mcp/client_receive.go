package mcp

import (
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// message handles what the server sends that is no answer. It is called on
// goroutines that read, and never waits.
func (c *Client) message(conn jsonrpc.Conn, m *jsonrpc.Message) {
	if m.IsRequest() {
		c.request(conn, m)
		return
	}
	if err := c.notification(m); err != nil {
		c.opts.Dropped(err, m.Params)
	}
}

func (c *Client) notification(m *jsonrpc.Message) error {
	switch m.Method {
	case "notifications/progress":
		return c.progress.deliver(m.Params)
	case "notifications/cancelled":
		return c.requests.cancel(m.Params)
	case "notifications/message":
		return c.log(m.Params)
	}
	for _, w := range c.allObservers() {
		if err := w.observe(m.Method, m.Params); err != nil {
			return err
		}
	}
	return nil
}

// guard keeps a panic in a caller's function from ending the program: the
// server's input may well have caused it. It is reported instead.
func (c *Client) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Dropped(panicError(v), nil)
		}
	}()
	f()
}

// watch adds the watcher that add makes, unless has finds one.
func (c *Client) addObserver(has func(observer) bool, add func() observer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.observers {
		if has(w) {
			return
		}
	}
	c.observers = append(c.observers[:len(c.observers):len(c.observers)], add())
}

// watching returns the watchers.
func (c *Client) allObservers() []observer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.observers
}

// panicError is a panic in a function of the caller's.
func panicError(v any) error {
	switch v := v.(type) {
	case error:
		return diag.Op("panic in a handler", v)
	case string:
		return errors.New("panic in a handler: " + v)
	}
	return errors.New("panic in a handler")
}
