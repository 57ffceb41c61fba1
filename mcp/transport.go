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
// provide transports.
//
// A Transport may also implement [Named], [Kinded] and [SingleUse], and its
// connections [LegacyOnly], [Stateless], [BatchReader] and [ArgumentBinder].
type Transport interface {
	// Open opens a connection. ctx bounds only Open: the connection keeps its
	// values but not its cancellation. The connection passes every message from
	// the server except responses to h.
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)
}

// Contracts of transports. The client finds each of them by a type assertion,
// so a transport implements those that apply to it and need not import this
// package.

// A Named is a Transport with a name for its server, such as a URL or a command
// line. Every transport of this module implements it. Connect uses the name in
// errors.
type Named interface{ String() string }

// A Kinded is a Transport with a name for its protocol, such as "Streamable
// HTTP". The HTTP transports implement it. [FirstOf] uses the name in its
// error.
type Kinded interface{ Kind() string }

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

// A SingleUse is a Transport that reports whether it can be opened only once.
// The transport of stdio.Stream implements it. Some servers close the
// connection if the first request is not initialize. As Connect could not open
// another connection, it sends initialize first, and server/discover only if
// the server refuses initialize. If the server supports both eras, the client
// therefore uses the legacy era.
type SingleUse interface{ SingleUse() bool }

// A Stateless is a connection on which each modern request stands alone. The
// connections of package streamhttp implement it. Connect then sends nothing if
// [Options].CachedServer is modern.
type Stateless interface{ Stateless() bool }

// A LegacyOnly is a connection over a transport that exists only in the legacy
// era. The connections of package sse implement it. Connect then does not probe
// for the modern era, unless [Options].ProtocolVersions has only modern
// versions.
type LegacyOnly interface{ Legacy() bool }

// A BatchReader is a connection that can split JSON-RPC batches. All
// connections of this module implement it. Connect calls AcceptBatches when the
// server has chosen 2025-03-26, the only protocol version with batches; a
// connection without the method treats a batch as malformed.
type BatchReader interface{ AcceptBatches() }

// An ArgumentBinder is a connection that repeats arguments of a tool call in
// headers, as the tool's input schema requires (2026-07-28). The connections of
// package streamhttp implement it.
type ArgumentBinder interface {
	// BindArguments is called for each tool that the server lists. The client
	// omits a tool for which it returns an error.
	BindArguments(tool string, inputSchema RawMessage) error

	// ForgetArguments is called when the client has read the whole list of
	// tools. The connection forgets each tool whose last call of BindArguments
	// was before the given time, as the server no longer lists it.
	ForgetArguments(before time.Time)
}

// Contracts within the package. They are interfaces so that a program links
// the implementation only if it uses the feature.

// A connector is a Transport that replaces Connect. FirstOf implements it to
// try several transports.
type connector interface {
	connect(context.Context, *Options) (*Client, error)
}

// An attacher is a Handler that Connect attaches to the client before it sends
// anything. Elicitation and NotificationFunc implement it to add an observer before
// the server's first notification, and Tasks to make tool calls.
type attacher interface{ attach(c *Client) }

// A connectedHandler is a Handler that Connect calls before it returns. Changes
// implements it to subscribe.
type connectedHandler interface {
	connected(ctx context.Context, c *Client) error
}

// An observer receives the server's notifications. Cache, NotificationFunc,
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
	callTool(ctx context.Context, c *Client, q *call, onStatus func(any)) (*CallToolResult, error)

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
