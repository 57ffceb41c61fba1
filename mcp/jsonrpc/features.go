package jsonrpc

import "time"

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

	// Diagnosis, if not nil, returns in printable form why the peer does not
	// respond, for example from the standard error of a program, or "". Connect
	// asks for the reason when it times out.
	Diagnosis func() string

	// NotPassed, if not nil, returns the variables of the environment that reason,
	// a text of the server, names, that are set in this process and that the
	// server did not get.
	NotPassed func(reason string) []string

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
