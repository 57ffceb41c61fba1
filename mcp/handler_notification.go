package mcp

import "context"

// A NotificationFunc is a [Handler] that receives the server's notifications,
// except progress, log messages and cancellations, in order and one at a time.
// It is for extensions; for changes use [Changes] or a [Subscription]. It
// declares no capability.
type NotificationFunc func(ctx context.Context, method string, params RawMessage)

func (f NotificationFunc) declare(*clientCapabilities, bool) {}

func (f NotificationFunc) attach(c *Client) {
	if f != nil {
		c.addObserver(&notificationObserver{c, f})
	}
}

// A notificationObserver calls a NotificationFunc.
type notificationObserver struct {
	c *Client
	f NotificationFunc
}

func (o *notificationObserver) observe(method string, params RawMessage) error {
	if method == "notifications/cancelled" {
		return nil
	}
	if !o.c.notifications.AddSize(len(method)+len(params), func() { o.c.guard(func() { o.f(o.c.ctx, method, params) }) }) {
		return ErrOverloaded
	}
	return nil
}

func (o *notificationObserver) sessionRenewed(context.Context) {}
