package mcp

import (
	"context"
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Handler answers what servers ask of a client: for its roots, its model, its
// user. Until 2025-11-25 servers send requests for that, later their results
// hold them; a handler serves both. Handlers run side by side. Their contexts have
// the values of that which Connect was given, and in the later case those of the
// call's as well.
//
// When a handler's function fails or panics, the server learns only that, and
// Options.Dropped why; a *[jsonrpc.Error] is the server's answer as it is.
type Handler interface {
	// method is what the handler answers.
	method() string

	// declare adds what the client can do. Sessions are for a server of the
	// legacy era.
	declare(caps *clientCapabilities, sessions bool)

	// answer handles one request.
	answer(ctx context.Context, params RawMessage) (object, error)
}

// HandlerFunc answers requests of any one method, for extensions and experiments.
// Its result becomes the answer as for Call; it declares nothing.
func HandlerFunc(method string, f func(ctx context.Context, params RawMessage) (any, error)) Handler {
	return &funcHandler{method, f}
}

type funcHandler struct {
	name string
	f    func(ctx context.Context, params RawMessage) (any, error)
}

func (h *funcHandler) method() string                    { return h.name }
func (h *funcHandler) declare(*clientCapabilities, bool) {}
func (h *funcHandler) answer(ctx context.Context, params RawMessage) (object, error) {
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

// capabilities returns what the client can do for servers.
func (c *Client) capabilities(sessions bool) *clientCapabilities {
	caps := clientCapabilities{Extensions: c.opts.Extensions, Experimental: c.opts.Experimental}
	for _, h := range slices.Backward(c.opts.Handlers) { // of several for a method, the first one answers
		h.declare(&caps, sessions)
	}
	return &caps
}

// handle answers what the server asks for. An error is that of the handler,
// its panic, or a refusal.
func (c *Client) handle(ctx context.Context, method string, params RawMessage) (_ RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	if method == "ping" {
		return RawMessage("{}"), nil
	}
	for _, h := range c.opts.Handlers {
		if h.method() == method {
			res, err := h.answer(ctx, params)
			if err != nil {
				return nil, err
			}
			if b, ok := res.(userBusy); ok {
				c.requests.pauseTimers(b.busyFor())
			}
			return encodeObject(nil, res)
		}
	}
	return nil, &refusal{jsonrpc.CodeMethodNotFound, "this client does not handle " + method}
}

// A refusal says what is wrong with a request of the server.
type refusal struct {
	code int64
	why  string
}

func (e *refusal) Error() string { return e.why }

// errNotDeclared is for handlers that lack a function, and so declare nothing.
var errNotDeclared = &refusal{jsonrpc.CodeMethodNotFound, "this client did not declare the capability"}

var errNoAnswer = errors.New("the handler returned neither an answer nor an error")

func invalidParams(why string) error { return &refusal{jsonrpc.CodeInvalidParams, why} }

// wireError returns what the server learns of an error in handling its
// request. What went wrong in the program is not its business.
func (c *Client) wireError(method string, err error) *jsonrpc.Error {
	switch err := err.(type) {
	case *refusal:
		return &jsonrpc.Error{Code: err.code, Message: err.why}
	case *jsonrpc.Error:
		return err
	}
	c.opts.Dropped(err, []byte(method))
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client failed to handle the request"}
}

// readParams reads the params of a request into v.
func readParams(params RawMessage, v object) error {
	if err := decodeText(params, v); err != nil {
		return invalidParams(err.Error())
	}
	return nil
}
