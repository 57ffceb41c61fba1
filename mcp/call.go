package mcp

import (
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A call is a request on its way: what it says, before the server's era has
// added its part.
type call struct {
	method    string
	name      string                                  // the tool, prompt or resource
	args      any                                     // for params
	params    func(q *call, b []byte) ([]byte, error) // appends the members of params; may be nil
	meta      map[string]any                          // the caller's part of _meta
	progress  func(Progress)
	timeout   time.Duration // as the options say when 0
	permanent bool          // must not be cancelled
	open      bool          // the answer may take any time
	started   func(jsonrpc.ID)

	// Of a tool call with Tasks.
	augmented bool   // asks to become a task
	token     int64  // for progress that goes on beyond the answer
	told      any    // func(*Task), hears of the task that the call becomes; not every program links Task
	taskID    string // the task that the request is about; HTTP transports name it

	caches bool        // the result may be kept
	place  *cachePlace // where
	asks   bool        // the server may ask for input
	rounds int         // how often it has
	inputs []byte      // members with the answers, for the next round
	again  bool        // a refusal was overcome, which is tried once

	req jsonrpc.Request // what becomes of it
}

// serverName returns the name of the server in errors: the program's for it,
// else its own.
func (c *Client) serverName() string {
	if c.opts.Name != "" {
		return c.opts.Name
	}
	return c.server.Name
}

// failed says which call err concerns. It stays out of line, as it is called
// from many places.
//
//go:noinline
func (c *Client) failed(q *call, err error) error {
	return &CallError{Server: c.serverName(), Method: q.method, Name: q.name, Err: err}
}
