package jsonrpc

import (
	"sync/atomic"
	"time"
)

// Features are what a connection is able to do beyond the methods of [Conn]. The
// zero value has none of it. A struct that embeds a Conn has its features, too.
type Features struct {
	// MaxMessage is the limit of the length of messages in bytes. 0 means none
	// and counts as 64 MiB. In its queues and tables, a client keeps at most as
	// many bytes from its server.
	MaxMessage int

	// Stateless reports that each modern request stands alone, as over Streamable
	// HTTP. Connect of package mcp then sends nothing if its
	// Options.CachedServer is modern.
	Stateless bool

	// Legacy reports that the transport exists only in the legacy era of MCP, as
	// HTTP+SSE does. Connect then does not probe for the modern era, unless
	// Options.ProtocolVersions has only modern versions: some servers of both eras
	// respond to the probe over any transport, but then refuse modern requests.
	Legacy bool

	// AcceptBatches, if not nil, makes the connection split JSON-RPC batches,
	// which are malformed otherwise. Connect calls it when the server has chosen
	// 2025-03-26, the only protocol version with batches.
	AcceptBatches func()

	// BindArguments, if not nil, is called for each tool that the server lists
	// (2026-07-28). The connection repeats arguments of the tool's calls in
	// headers, as the input schema requires. The client omits a tool for which it
	// returns an error.
	BindArguments func(tool string, inputSchema RawMessage) error

	// ForgetArguments, if not nil, is called when the client has read the whole
	// list of tools. The connection forgets each tool whose last call of
	// BindArguments was before the given time, as the server no longer lists it.
	ForgetArguments func(before time.Time)

	// StreamLate, if not nil, is true if the peer opens the stream of a session so
	// late that the connection does not wait for it, as behind proxies that buffer
	// it. The connection sets it when a wait has ended without success, and Connect
	// when an earlier client found it.
	StreamLate *atomic.Bool

	// Explain, if not nil, returns err with what the connection knows about its
	// reason, such as the standard error of a program that does not respond: an
	// error that wraps err, with a printable text, or nil if it has nothing to
	// add. Connect calls it with its own error, and the client with that of a
	// call that has failed without an error response of the peer, both before they
	// add the name of the operation. A connection around another one calls the
	// Explain of that one first.
	Explain func(err error) error

	// Owner is the connection whose results belong to its caller alone: nothing
	// reads them after Call has returned. A client that calls Owner itself
	// decodes long texts in place, so that they change. A client that calls a
	// connection around Owner, which may keep results, does not. Nil means none;
	// otherwise it is a pointer.
	Owner Conn
}

// TransportFeatures describe what opens connections: a Transport of package mcp. A
// struct that embeds a Transport has its features, too.
type TransportFeatures struct {
	// Name is the name of the server for errors, such as a URL or a command line,
	// without secrets. It may be empty.
	Name string

	// Kind is the name of the protocol, such as "Streamable HTTP", for the errors
	// of FirstOf of package mcp. It may be empty.
	Kind string

	// SingleUse reports that Open can be called only once. Some servers close the
	// connection if the first request is not initialize. As Connect could not open
	// another connection, it sends initialize first, and server/discover only if
	// the server refuses initialize. If the server supports both eras, the client
	// therefore uses the legacy era.
	SingleUse bool
}
