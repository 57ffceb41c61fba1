// Package webprogram starts the program of a server that speaks HTTP.
package webprogram

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// readyPoll is the time between two attempts to reach a program that was started.
const readyPoll = 50 * time.Millisecond

// A Program is the program of a server that has a command and a URL, as a
// transport. It starts when the connection is opened; call End after the
// connection.
type Program struct {
	mcp.Transport // to the URL

	command mcp.Transport // starts the program
	address string        // of the URL

	once    sync.Once
	process jsonrpc.Conn // of the standard streams; nil if err is not
	err     error
}

// New returns a Program that command starts and that serves the URL at, to which
// web connects.
func New(command, web mcp.Transport, at string) (*Program, error) {
	u, err := httpx.Parse(at)
	if err != nil {
		return nil, err
	}
	return &Program{Transport: web, command: command, address: net.JoinHostPort(u.Hostname(), httpx.Port(u))}, nil
}

// Open starts the program, once, and waits until it accepts connections.
func (p *Program) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if err := p.Start(ctx, h.Panic); err != nil {
		return nil, err
	}
	conn, err := p.Transport.Open(ctx, h)
	if err != nil {
		return nil, err
	}
	go func() { // ends with the connection, or with the program
		select {
		case <-conn.Done():
		case <-p.process.Done():
			_ = conn.Close()
		}
	}()
	return conn, nil
}

// Start starts the program, once, and waits until it accepts connections. panicked is
// that of jsonrpc.Handler.
func (p *Program) Start(ctx context.Context, panicked func(any, []byte)) error {
	p.once.Do(func() { p.err = p.start(ctx, panicked) })
	return p.err
}

func (p *Program) start(ctx context.Context, panicked func(any, []byte)) error {
	if conn, err := p.dial(ctx); err == nil {
		_ = conn.Close()
		return diag.Message("another program already listens at " + p.address + ", and would receive what is meant for this one; end it, or remove the command to use it")
	}
	process, err := p.command.Open(ctx, jsonrpc.Handler{Panic: panicked}) // what it prints is not a message
	if err != nil {
		return err
	}
	p.process = process
	for {
		conn, err := p.dial(ctx)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-process.Done():
			return diag.Op("wait for "+p.address, process.Err())
		default:
		}
		if !retry.Sleep(ctx, readyPoll) {
			return diag.Op("the program does not listen at "+p.address, errors.Join(context.Cause(ctx), err))
		}
	}
}

// dialTime limits an attempt to reach an address that does not respond.
const dialTime = time.Second

func (p *Program) dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "tcp", p.address)
}

// End ends the program. It may be called more than once.
func (p *Program) End() {
	p.once.Do(func() {
		p.err = errors.New("the program was closed before it was started at " + strconv.Quote(p.address))
	})
	if p.process != nil {
		_ = p.process.Close()
	}
}
