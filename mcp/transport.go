package mcp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// RawMessage is encoding/json's RawMessage: a JSON value as it was received.
type RawMessage = jsonrpc.RawMessage

// A Transport opens connections to one MCP server. It is reusable, so that a
// dead server can be restarted. Packages stdio, streamhttp and sse provide
// transports; anything else that carries JSON-RPC can be one.
//
// A Transport, or the connection that it opens, can also implement [Named],
// [Kinded], [SingleUse], [LegacyOnly], [Stateless], [BatchReader] and
// [ArgumentBinder].
type Transport interface {
	// Open opens a connection. ctx bounds the opening only: the connection
	// keeps its values, not its cancellation. h is called for every message of
	// the server except responses.
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)
}

// Contracts of transports. The client finds each of them by a type assertion,
// so a transport implements those that apply to it and need not import this
// package.

// A Named is a Transport with a name for its server, such as a URL or a command
// line. Every transport of this module implements it. Connect uses the name in
// errors; without it they do not identify the server until it has stated its
// own name.
type Named interface{ String() string }

// A Kinded is a Transport with a name for its protocol, such as "Streamable
// HTTP". The HTTP transports implement it. [FirstOf] uses the name in its
// error, which otherwise only lists the causes.
type Kinded interface{ Kind() string }

// An OtherTransportError is an error of a Transport that has learned something
// about which transport the server uses. The HTTP transports return such
// errors. [FirstOf] tries its next transport when OtherTransport returns true;
// after any other error it stops.
type OtherTransportError interface {
	error

	// OtherTransport reports whether the server apparently uses another
	// transport.
	OtherTransport() bool
}

// A SingleUse is a Transport that may be impossible to open a second time. The
// transport of stdio.Stream implements it. As some servers end the connection if
// the first request is not initialize, Connect then sends initialize first, and
// server/discover only if the server refuses that. So a server of both eras is
// used in the legacy era.
type SingleUse interface{ SingleUse() bool }

// A Stateless is a connection on which a request of 2026-07-28 needs no other
// request before it. Those of package streamhttp implement it. Connect then sends
// nothing to a server that [Options.CachedServer] describes as a modern one.
type Stateless interface{ Stateless() bool }

// A LegacyOnly is a connection of a transport that protocol versions from
// 2026-07-28 on do not have. Those of package sse implement it. Connect then
// skips the probe for these versions if the options allow an earlier one.
type LegacyOnly interface{ Legacy() bool }

// A BatchReader is a connection that can split JSON-RPC batches. All
// connections of this module implement it. Connect calls AcceptBatches when the
// server has chosen 2025-03-26, the only protocol version with batches; a
// connection without the method treats a batch as malformed.
type BatchReader interface{ AcceptBatches() }

// An ArgumentBinder is a connection that sends some arguments of a tool outside
// of the message, too, as the tool's input schema demands. Those of package
// streamhttp implement it, for headers (2026-07-28). The client calls
// BindArguments with each tool that the server lists, and drops a tool for which
// it returns an error.
type ArgumentBinder interface {
	BindArguments(tool string, inputSchema RawMessage) error

	// ForgetArguments is called when the client has read the whole list of
	// tools. The connection forgets the tools that BindArguments was last called
	// with before the given time: the list has them no longer.
	ForgetArguments(before time.Time)
}

// Contracts within the package. They are interfaces so that a program links
// the implementation only if it uses the feature.

// A connector is a Transport that takes over Connect. FirstOf implements it, as
// it connects with one transport after the other.
type connector interface {
	connect(context.Context, *Options) (*Client, error)
}

// An attacher is a Handler that Connect attaches to the client before it sends
// anything. Elicitation and NotificationFunc implement it to add an observer before
// the server's first notification.
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

// A tasker is a Handler that takes over tool calls. Tasks implements it; the
// client asks in newClient.
type tasker interface {
	// callTool calls a tool and waits for the end of the task that the call
	// may become. onStatus is a func(*Task), which may be nil: its type here
	// would link Task into every program.
	callTool(ctx context.Context, c *Client, q *call, onStatus any) (*CallToolResult, error)

	// toolsListed is called with tools that the server lists.
	toolsListed(c *Client, tools []*Tool)

	// listEnded is called when the whole list, whose reading began at the
	// given time, has been read.
	listEnded(c *Client, began time.Time)
}

// A taskAdvancer is an era. Both eras implement it; taskRun asks. It is no part
// of era, because every program links that.
type taskAdvancer interface {
	// advanceTask does what the state t of a task requires. It returns the
	// result if the task has ended, and neither result nor error if it goes on.
	advanceTask(ctx context.Context, r *taskRun, t *Task) (*CallToolResult, error)
}

// A pageOpener is a Handler that lets the user open pages. Elicitation
// implements it; a call that the server refused until then asks.
type pageOpener interface {
	// openAll asks the user to open the pages in the data of a refusal. It
	// returns when the server has reported that all are complete, or after the
	// time of a call, as not all servers report it.
	openAll(ctx context.Context, c *Client, data RawMessage) error
}

// A userBusy is the answer of a Handler that leaves the user busy after it has
// been sent. pageOpened implements it; Client.handle asks.
type userBusy interface {
	// busyFor returns for how long at most the timeouts of calls are paused.
	busyFor() time.Duration
}

// A lossyList is the result of a list method. Page implements it; readResult
// asks. Other results have no items to leave out.
type lossyList interface {
	// discarded returns an error for each item that could not be read.
	discarded() []error

	page() *Page
}

// An expiring is a result with a time to live. Caching implements it; store
// asks.
type expiring interface{ caching() *Caching }

// nameOf returns the transport's name for its server, or "".
func nameOf(t Transport) string {
	if s, ok := t.(Named); ok {
		return s.String()
	}
	return ""
}
