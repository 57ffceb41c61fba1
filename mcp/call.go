package mcp

import (
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A request describes what a feature wants from the server. It is not changed
// once it has been sent.
type request struct {
	method   string
	name     string                                     // the tool, prompt or resource
	task     string                                     // the id of the task concerned; transports state it as the name
	args     any                                        // for params
	params   func(q *request, b []byte) ([]byte, error) // appends the members of params; may be nil
	meta     map[string]any                             // the caller's members of _meta
	header   map[string][]string                        // the caller's, for HTTP transports
	progress func(Progress)                             // may be nil
	token    int64                                      // for progress that continues after the response; 0 for none
	timeout  time.Duration                              // 0 for that of the options
	traits   traits
	started  func(jsonrpc.ID)                  // may be nil
	cancel   func(jsonrpc.ID) *jsonrpc.Request // the notification that cancels it; nil for the usual one
}

// A call is a request on its way to the server and back.
type call struct {
	request
	inputs inputRounds     // written by call_inputs.go, and by task_run.go for tasks/update
	wire   jsonrpc.Request // written by call_send.go
}

// newCall stays out of line: it has many callers, and the binary is 2 KB
// smaller.
//
//go:noinline
func newCall(method, name string, params func(*request, []byte) ([]byte, error)) *call {
	q := new(call)
	q.method, q.name, q.params, q.traits = method, name, params, traitsOf(method)
	return q
}

// serverName returns the server's name for errors: the one in the options, or
// else the server's own.
func (c *Client) serverName() string {
	if c.opts.Name != "" {
		return c.opts.Name
	}
	return c.agreed.Load().server.Name
}

// failed returns err with the server, method and name of the call. It stays out
// of line, as it has many callers.
//
//go:noinline
func (c *Client) failed(q *call, err error) error {
	return &CallError{Server: c.serverName(), Method: q.method, Name: q.name, Err: err}
}
