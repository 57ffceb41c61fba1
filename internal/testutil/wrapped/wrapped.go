// Package wrapped has a wrapper around a transport that is made by embedding, as a
// program makes one to log or to count. Tests pass through it with the same results.
package wrapped

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxKept limits the results that a connection keeps, in bytes.
const maxKept = 32 << 20

// A Transport is an mcp.Transport.
type Transport interface {
	Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error)
	Features() jsonrpc.TransportFeatures
}

// Again returns tr, in a wrapper if the environment has STDMCP_WRAP, with which
// tests run once more. FirstOf of package mcp cannot be wrapped.
func Again(tr Transport) Transport {
	if tr == nil || os.Getenv("STDMCP_WRAP") == "" || fmt.Sprintf("%T", tr) == "*mcp.firstOf" {
		return tr
	}
	return New(tr)
}

// New returns tr in a wrapper. Closing a connection panics if a result has changed
// after Call had returned it.
func New(tr Transport) Transport { return transport{tr} }

type transport struct{ Transport }

func (t transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	c, err := t.Transport.Open(ctx, h)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

type conn struct {
	jsonrpc.Conn
	mu         sync.Mutex
	kept, were [][]byte // results, and copies of them
	size       int
}

func (c *conn) Call(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	res, err := c.Conn.Call(ctx, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(res); c.size <= maxKept {
		c.kept, c.were = append(c.kept, res), append(c.were, bytes.Clone(res))
	}
	return res, err
}

func (c *conn) Close() error {
	err := c.Conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, res := range c.kept {
		if !bytes.Equal(res, c.were[i]) {
			panic(fmt.Sprintf("result %d of %d bytes changed after Call had returned it: %.60q was %.60q", i, len(res), res, c.were[i]))
		}
	}
	return err
}
