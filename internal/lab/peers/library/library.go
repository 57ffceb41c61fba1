// Package library has the MCP clients that are compared behind one interface.
// Each is used as its documentation shows, with default options. With the build tag
// one, the package has only the clients whose tags are set as well.
package library

import "context"

// A Target is the server that a library connects to.
type Target struct {
	SSE     bool     // over HTTP+SSE
	URL     string   // over HTTP
	Command []string // over stdio, when URL is empty
	Env     []string // added to the environment of Command
}

// A Session is a connected client. The context of Connect need not outlive it.
type Session interface {
	Call(ctx context.Context, tool string, args map[string]any) (Content, error)
	List(ctx context.Context) (tools int, err error)
	Close() error
}

// Content is what a tool returned.
type Content struct {
	Text string
	Size int // bytes of text and images; some clients decode base64
}

// A Connector connects a client.
type Connector func(context.Context, *Target) (Session, error)

// Connect has the connectors by library.
var Connect = make(map[string]Connector)
