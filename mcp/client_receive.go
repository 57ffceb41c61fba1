package mcp

import (
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// message handles a request or notification of the server. The goroutines that
// read call it, so it never blocks.
func (c *Client) message(l link, m *jsonrpc.Message) {
	if m.IsRequest() {
		c.request(l, m)
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
		if !c.requests.refuse.Load() {
			return c.requests.cancel(m.Params)
		}
		if !m.Call.IsZero() && string(wire.Lookup(m.Params, "requestId")) != m.Call.String() {
			return nil // over HTTP, a server cancels a call on its own stream
		}
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

// observerOf returns the client's observer of type T, which add creates if there is
// none.
func observerOf[T observer](c *Client, add func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.observers {
		if o, ok := o.(T); ok {
			return o
		}
	}
	o := add()
	c.addObserver(o)
	return o
}

// addObserver adds an observer. c.mu is held, or Connect has not sent anything yet.
func (c *Client) addObserver(o observer) {
	c.observers = append(c.observers[:len(c.observers):len(c.observers)], o)
}

func (c *Client) allObservers() []observer {
	c.mu.Lock()
	all := c.observers
	c.mu.Unlock()
	return all
}
