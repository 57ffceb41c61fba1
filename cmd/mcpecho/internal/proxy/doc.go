// Package proxy relays messages between MCP clients and a server, for
// "mcpecho proxy". It passes lines and not calls: negotiation, ids, unknown members
// and mistakes of either side arrive as they were sent, where the transports allow
// it.
//
// The client is at the front: [ServeLines] serves one over standard input and
// output, and a [Web] serves several over Streamable HTTP. The server is at the back:
// a [jsonrpc.Stream] for each session of a client, which [Options.Open] opens. The
// streams of package stdio start a program; [NewWebStream] makes one of HTTP
// requests. A [Forwarder] passes HTTP requests to a server over Streamable HTTP
// without such a stream.
package proxy

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxMessage limits a message of a client, in bytes.
	maxMessage = 64 << 20

	// maxQueued limits the messages that wait for the client of a session, in
	// bytes, if there is more than one.
	maxQueued = 1 << 20

	// stallTime is how long a client may read nothing of what is sent to it, or
	// send nothing in the middle of a request.
	stallTime = time.Minute
)

// Options describe a proxy.
type Options struct {
	// Open opens a connection to the server for one session of a client, whose Tap is
	// tap. dropped is
	// called with each line of the server that Read does not return: one that is no
	// message, and with a reason one that the client cannot receive.
	Open func(ctx context.Context, tap *Tap, dropped func(line []byte, reason string)) (jsonrpc.Stream, error)

	// Tap, if not nil, is called for each session, and in the era without sessions for
	// each request.
	Tap func() *Tap

	// Note is called with one line for the user.
	Note func(line string)

	// Modern serves requests without a session over HTTP, through one connection
	// for all of them. It is true for a server that is started.
	Modern bool
}

// tap returns the Tap of a new session.
func (o *Options) tap() *Tap {
	if o.Tap == nil {
		return new(Tap)
	}
	return o.Tap()
}
