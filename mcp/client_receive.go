package mcp

import (
	"slices"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// message handles a request or notification of the server. The goroutines that
// read call it, so it never blocks.
func (c *Client) message(conn jsonrpc.Conn, m *jsonrpc.Message) {
	if m.IsRequest() {
		c.request(conn, m)
		return
	}
	if err := c.notification(m); err != nil {
		c.discarded(err, m.Params)
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
	for _, o := range c.allObservers() {
		if err := o.observe(m.Method, m.Params); err != nil {
			return err
		}
	}
	return nil
}

// addObserver adds the observer that add returns, unless has is true for one
// that the client already has.
func (c *Client) addObserver(has func(observer) bool, add func() observer) {
	c.mu.Lock()
	if !slices.ContainsFunc(c.observers, has) {
		c.observers = append(c.observers[:len(c.observers):len(c.observers)], add())
	}
	c.mu.Unlock()
}

func (c *Client) allObservers() []observer {
	c.mu.Lock()
	all := c.observers
	c.mu.Unlock()
	return all
}
