package mcp

import "context"

// NotificationFunc is called for each notification of the server but progress,
// log messages and cancellations, one at a time and in order. It is for those
// that extensions have; a [Subscription] makes more of the others. As a
// [Handler] it declares nothing.
type NotificationFunc func(ctx context.Context, method string, params RawMessage)

func (f NotificationFunc) method() string                    { return "" } // nothing that a server asks for
func (f NotificationFunc) declare(*clientCapabilities, bool) {}

func (f NotificationFunc) answer(context.Context, RawMessage) (object, error) {
	return nil, errNotDeclared
}

func (f NotificationFunc) attach(c *Client) {
	c.addObserver(func(observer) bool { return false }, func() observer { return &notificationObserver{c, f} })
}

// A noticeWatcher calls a NotificationFunc.
type notificationObserver struct {
	c *Client
	f NotificationFunc
}

func (w *notificationObserver) observe(method string, params RawMessage) error {
	if !w.c.notifications.Add(func() { w.c.guard(func() { w.f(w.c.ctx, method, params) }) }) {
		return ErrOverloaded
	}
	return nil
}

func (w *notificationObserver) sessionRenewed(context.Context) {}
