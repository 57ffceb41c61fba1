package mcp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// RawMessage is encoding/json's RawMessage: a JSON value as it was received.
type RawMessage = jsonrpc.RawMessage

// A Transport opens connections to one MCP server. It may be opened repeatedly,
// so that a dead server can be restarted. Packages stdio, streamhttp and sse
// provide transports. A struct that embeds a Transport, to log or to count, does
// what it does otherwise.
type Transport interface {
	// Open opens a connection. ctx bounds only Open: the connection keeps its
	// values but not its cancellation. The connection passes every message from
	// the server except responses to h.
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)

	// Features describes the transport; the zero value will do.
	Features() jsonrpc.TransportFeatures
}

// An OtherTransportError is an error of a Transport that shows whether the
// server uses another transport. The HTTP transports return such errors.
// [FirstOf] tries its next transport if OtherTransport returns true; after any
// other error it stops.
type OtherTransportError interface {
	error

	// OtherTransport reports whether the server apparently uses another
	// transport.
	OtherTransport() bool
}

// Contracts within the package. They are interfaces so that a program links
// the implementation only if it uses the feature.

// alternatives are an error of Open with several transports, which Connect tries.
// FirstOf implements it.
type alternatives interface {
	connect(ctx context.Context, opened Transport, opts *Options) (*Client, error)
}

// An attacher is a Handler that Connect attaches to the client before it sends
// anything. Elicitation and HandleNotification implement it to add an observer before
// the server's first notification, and Tasks to make tool calls.
type attacher interface{ attach(c *Client) }

// A connectedHandler is a Handler that Connect calls before it returns. Changes
// implements it to subscribe.
type connectedHandler interface {
	connected(ctx context.Context, c *Client) error
}

// An observer receives the server's notifications. Cache, HandleNotification,
// subscriptions, taskTable and donePages implement it. A client has only the
// observers of the features in use.
type observer interface {
	// observe handles a notification. It must not block.
	observe(method string, params RawMessage) error

	// sessionRenewed is called after a lost session was replaced.
	sessionRenewed(ctx context.Context)
}

// A tasker is a Handler that makes tool calls. Tasks implements it.
type tasker interface {
	// callTool calls a tool and waits for the end of the task that the call
	// may become. onStatus receives each *Task; it may be nil. The type Task here
	// would link its methods into every program.
	callTool(ctx context.Context, c *Client, q *request, onStatus func(any)) (*CallToolResult, error)

	// toolsListed is called with tools that the server lists.
	toolsListed(c *Client, tools []*Tool)

	// listEnded is called when the whole list, whose reading began at the
	// given time, has been read.
	listEnded(c *Client, began time.Time)
}

// A taskAdvancer is an era with tasks. Both eras implement it. It is separate
// from era, which every program links.
type taskAdvancer interface {
	// advanceTask does what the state t of a task requires. It returns the
	// result if the task has ended, and neither result nor error if it goes on.
	advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error)
}

// A pageOpener is a Handler that lets the user open the pages that a refusal
// requires. Elicitation implements it.
type pageOpener interface {
	// openAll asks the user to open the pages in the data of a refusal. It
	// returns when the server has reported all of them as complete, or after
	// the timeout of a call, because not all servers report it.
	openAll(ctx context.Context, c *Client, data RawMessage) error
}

// A lossyList is a result from which invalid items are omitted. Page implements
// it.
type lossyList interface{ page() *Page }

// An expiring is a result with a time to live. Caching implements it.
type expiring interface{ caching() *Caching }
