package host

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Dialer makes the transport for a server. It returns soon: the transport is
// what connects.
type Dialer func(*DialParams) (mcp.Transport, error)

// Dialers are dialers by the type of the servers that they are for, as package
// config names the types.
type Dialers map[string]Dialer

// DialParams are what a dialer is given, once for each attempt to connect.
type DialParams struct {
	// Server has the values of its variables filled in, and its token in a
	// header. It must not be changed.
	*Server

	// Stderr takes what the server writes for people.
	Stderr io.Writer

	// Classify may be set by the dialer, to say of what category an error is
	// that only it knows. It returns "" for others.
	Classify func(error) Category

	ttl atomic.Int64 // how long the tools stay good, in nanoseconds; 0 when the server doesn't say
}

var errNoServer = errors.New("DialParams.Server is nil")

// Stdio is the Dialer for servers that are programs.
func Stdio(d *DialParams) (mcp.Transport, error) {
	if d == nil || d.Server == nil {
		return nil, errNoServer
	}
	t := stdio.Command(d.Command, d.Args...)
	t.Env, t.InheritEnv, t.Dir, t.Stderr = d.Env, d.InheritEnv, d.Dir, d.Stderr
	return t, nil
}

// InProcess returns a Dialer for servers in this process, type sdk. Their ID is
// their name in the map, and their own name when there is none. See Pipe.
func InProcess(servers map[string]mcp.Transport) Dialer {
	return func(d *DialParams) (mcp.Transport, error) {
		if d == nil || d.Server == nil {
			return nil, errNoServer
		}
		id := d.ID
		if id == "" {
			id = d.Name
		}
		t := servers[id]
		if t == nil {
			return nil, errors.New("no server " + wire.Quote(id) + " in this process")
		}
		return t, nil
	}
}

// Pipe returns a Transport that opens a stream for each connection. A server in
// this process is served at the other end of it.
func Pipe(open func() (io.ReadWriteCloser, error)) mcp.Transport { return pipe(open) }

type pipe func() (io.ReadWriteCloser, error)

func (p pipe) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	stream, err := p()
	if err != nil {
		return nil, err
	}
	conn, err := stdio.Stream(stream).Open(ctx, h)
	if err != nil {
		_ = stream.Close()
	}
	return conn, err
}

// transport returns the transport for a server. A URL of no type is tried as
// Streamable HTTP, then as SSE.
func (ds Dialers) transport(d *DialParams) (mcp.Transport, error) {
	if d.Type != "" {
		dial := ds[d.Type]
		if dial == nil {
			return nil, errors.New("no dialer for servers of type " + wire.Quote(d.Type))
		}
		return dial(d)
	}
	var list []mcp.Transport
	for _, kind := range [...]string{config.HTTP, config.SSE} {
		if dial := ds[kind]; dial != nil {
			t, err := dial(d)
			if err != nil {
				return nil, err
			}
			list = append(list, t)
		}
	}
	switch len(list) {
	case 0:
		return nil, errors.New("no dialer for servers at a URL")
	case 1:
		return list[0], nil
	}
	return mcp.FirstOf(list...), nil
}
