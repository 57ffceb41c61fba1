package mcp

import (
	"context"
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Handler is a feature that a program adds to a client: [Roots], [Sampling],
// [Elicitation] and [HandleRequest] answer requests of the server, [Changes] and
// [HandleNotification] receive its notifications, and [Tasks] waits for tasks.
//
// Before 2026-07-28 a server sends its requests; from 2026-07-28 on, a result that
// requires input contains them. A handler serves both. Functions that answer
// requests run concurrently. Their contexts have the values of Connect's context;
// if a result contained the request, they also have the values of the call's
// context.
//
// If a handler returns a *[jsonrpc.Error], the client sends it to the server.
// For any other error and for a panic, the client sends an internal error
// without details and passes the reason to Discarded or HandlerPanic of the
// [Trace].
type Handler interface {
	// declare adds the handler's capabilities. sessions is true for a server of
	// the legacy era.
	declare(caps *clientCapabilities, sessions bool)
}

// An answerer is a Handler that answers requests. Tasks, Changes and
// HandleNotification answer none.
type answerer interface {
	// method returns the method of the requests.
	method() string

	// answer handles a request.
	answer(ctx context.Context, c *Client, params RawMessage) (object, error)
}

// HandleRequest returns a handler for requests with the given method, for
// extensions and experiments. f may return every type that [Client.Call]
// accepts as params. The handler declares no capability; see
// [Options].Extensions.
func HandleRequest(method string, f func(ctx context.Context, params RawMessage) (any, error)) Handler {
	return &funcHandler{method, f}
}

type funcHandler struct {
	name string
	f    func(ctx context.Context, params RawMessage) (any, error)
}

func (h *funcHandler) method() string                    { return h.name }
func (h *funcHandler) declare(*clientCapabilities, bool) {}
func (h *funcHandler) answer(ctx context.Context, _ *Client, params RawMessage) (object, error) {
	if h.f == nil {
		return nil, errNotDeclared
	}
	v, err := h.f(ctx, params)
	if err != nil {
		return nil, err
	}
	b, err := wire.AppendValue(nil, v)
	if err != nil {
		return nil, err
	}
	res := new(Result)
	return res, res.UnmarshalJSON(b)
}

func (c *Client) capabilities(sessions bool) *clientCapabilities {
	caps := clientCapabilities{Extensions: c.opts.Extensions, Experimental: c.opts.Experimental}
	for _, h := range slices.Backward(c.opts.Handlers) { // the first of several for a method takes precedence
		h.declare(&caps, sessions)
	}
	return &caps
}

// handle answers a request of the server. The error is that of the handler, a
// *diag.PanicError or a *refusal.
func (c *Client) handle(ctx context.Context, method string, params RawMessage) (_ RawMessage, err error) {
	defer c.recover(&err)
	if method == "ping" {
		return RawMessage("{}"), nil
	}
	for _, h := range c.opts.Handlers {
		if h, ok := h.(answerer); ok && h.method() == method {
			return c.handleWith(ctx, h, params)
		}
	}
	text := "this client does not handle " + method
	if method == "initialize" { // only a client sends it
		text = "the client received its own request; start the server without a terminal, as docker run -i does without -t"
	}
	return nil, &refusal{jsonrpc.CodeMethodNotFound, text}
}

func (c *Client) handleWith(ctx context.Context, h answerer, params RawMessage) (RawMessage, error) {
	resume := c.requests.pause()
	defer resume()
	res, err := h.answer(ctx, c, params)
	if err != nil {
		return nil, err
	}
	return encodeObject(nil, res)
}

// A refusal is the error response to an invalid request of the server.
type refusal struct {
	code int64
	why  string
}

func (e *refusal) Error() string { return e.why }

// errNotDeclared is for handlers without a function, which declare nothing.
var errNotDeclared = &refusal{jsonrpc.CodeMethodNotFound, "this client did not declare the capability"}

var errNoAnswer = errors.New("the handler returned neither an answer nor an error")

func invalidParams(why string) error { return &refusal{jsonrpc.CodeInvalidParams, why} }

// wireError returns the error response for an error of a handler. It does not
// reveal the errors of the program to the server.
func (c *Client) wireError(method string, err error) *jsonrpc.Error {
	switch err := err.(type) {
	case *refusal:
		return &jsonrpc.Error{Code: err.code, Message: err.why}
	case *jsonrpc.Error:
		return err
	case *diag.PanicError: // reported
	default:
		c.discarded(err, []byte(method))
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client failed to handle the request"}
}

func readParams(params RawMessage, v object) error {
	if err := decodeText(params, v); err != nil {
		return invalidParams(err.Error())
	}
	return nil
}

// HandleNotification returns a [Handler] that receives the server's notifications
// with the given method, or with every method if it is empty, in order and one at a
// time. Progress, log messages and cancellations are excluded. It is for
// extensions; for changes use [Changes] or a [Subscription]. It declares no
// capability.
func HandleNotification(method string, f func(ctx context.Context, method string, params RawMessage)) Handler {
	return &notificationHandler{method, f}
}

type notificationHandler struct {
	method string
	f      func(ctx context.Context, method string, params RawMessage)
}

func (*notificationHandler) declare(*clientCapabilities, bool) {}

func (h *notificationHandler) attach(c *Client) {
	if h.f != nil {
		c.addObserver(&notificationObserver{c, h})
	}
}

// A notificationObserver calls the function of a handler.
type notificationObserver struct {
	c *Client
	h *notificationHandler
}

func (o *notificationObserver) observe(method string, params RawMessage) error {
	if method == "notifications/cancelled" || o.h.method != "" && o.h.method != method {
		return nil
	}
	if !o.c.notifications.AddSize(len(method)+len(params), func() { o.c.guard(func() { o.h.f(o.c.ctx, method, params) }) }) {
		return ErrOverloaded
	}
	return nil
}

func (o *notificationObserver) sessionRenewed(context.Context) {}

// Changes is a [Handler] that subscribes to the server's lists. Connect subscribes
// before it returns, so a program that then lists the tools misses no change. If
// the server ends the subscription, the client opens it again. For single
// resources use [Client.Subscribe].
type Changes struct {
	// Changed is called for each change, one at a time. If the server refuses the
	// subscription, Connect succeeds all the same: Changed receives one Change
	// with the error, and the client tries again unless the refusal is permanent.
	// Nil subscribes to nothing.
	Changed func(context.Context, Change)
}

func (Changes) declare(*clientCapabilities, bool) {}

func (h Changes) connected(ctx context.Context, c *Client) error {
	if h.Changed == nil {
		return nil
	}
	s, err := c.subscribe(ctx, nil, true)
	if errors.Is(err, ErrNoChanges) { // and nothing was sent
		return nil
	} else if err != nil {
		return err
	}
	c.requests.run(c.ctx, func() { // ends with the client or the subscription
		for {
			change, err := s.Next(c.ctx)
			if err != nil {
				return
			}
			c.guard(func() { h.Changed(c.ctx, change) })
		}
	})
	return nil
}

// Roots tells servers in which directories and files they may work. As a [Handler]
// it answers roots/list.
//
// Protocol version 2026-07-28 deprecates roots; a version released on or after
// 2027-07-28 may remove them. Programs should pass directories and files as
// arguments of tools, as resource URIs or in the server's configuration
// instead.
type Roots struct {
	// List returns the directories and files. Nil declares nothing.
	List func(context.Context) ([]Root, error)
}

func (Roots) method() string { return "roots/list" }

func (h Roots) declare(caps *clientCapabilities, sessions bool) {
	if h.List == nil {
		return
	}
	caps.Roots = RawMessage("{}")
	if sessions {
		caps.Roots = RawMessage(`{"listChanged":true}`)
	}
}

func (h Roots) answer(ctx context.Context, _ *Client, _ RawMessage) (object, error) {
	if h.List == nil {
		return nil, errNotDeclared
	}
	roots, err := h.List(ctx)
	return &listRootsResult{Roots: roots}, err
}

// RootsChanged notifies the server that the result of the [Roots] handler has
// changed. From 2026-07-28 on it does nothing, because servers request the
// roots each time they need them.
func (c *Client) RootsChanged(ctx context.Context) error {
	if !c.era().legacy() {
		return c.ended("notifications/roots/list_changed")
	}
	return c.Notify(ctx, "notifications/roots/list_changed", nil)
}

// A Root is a directory or file in which a server may work.
type Root struct {
	URI  string // a file: URI
	Name string // for people; may be empty

	Meta  RawMessage            // "_meta" (2025-06-18), as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Root) fields(c *codec) {
	c.string("uri", &t.URI, always)
	c.string("name", &t.Name, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// A listRootsResult is the result of roots/list.
type listRootsResult struct{ Roots []Root }

func (t *listRootsResult) fields(c *codec) { list(c, "roots", &t.Roots, always) }
