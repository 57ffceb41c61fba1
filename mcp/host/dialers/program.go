package dialers

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// readyPoll is the time between two attempts to reach a program that was started.
const readyPoll = 50 * time.Millisecond

// A program is the program of a server that has a command and a URL. It starts
// when the connection is opened, and the host closes it after the connection.
type program struct {
	mcp.Transport // to the URL

	command mcp.Transport // starts the program
	address string        // of the URL

	once    sync.Once
	process jsonrpc.Conn // of the standard streams; nil if err is not
	err     error
}

// withProgram returns a Transport that starts the program of to before it
// connects to the URL.
func withProgram(to *host.DialParams, web mcp.Transport) (mcp.Transport, error) {
	u, err := url.Parse(to.URL)
	if err != nil || u.Hostname() == "" {
		return nil, errInvalidURL
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	command, err := host.Stdio(to)
	if err != nil {
		return nil, err
	}
	p := &program{Transport: web, command: command, address: net.JoinHostPort(u.Hostname(), port)}
	to.Unreachable = nil // the host starts a process that has ended again
	to.Cleanup = p.close
	return p, nil
}

// String implements mcp.Named.
func (p *program) String() string {
	if t, ok := p.Transport.(mcp.Named); ok {
		return t.String()
	}
	return p.address
}

// Open starts the program, once, and waits until it accepts connections.
func (p *program) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	p.once.Do(func() { p.err = p.start(ctx, h.Panic) })
	if p.err != nil {
		return nil, p.err
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

func (p *program) start(ctx context.Context, panicked func(any, []byte)) error {
	process, err := p.command.Open(ctx, jsonrpc.Handler{Panic: panicked}) // what it prints is no message
	if err != nil {
		return err
	}
	p.process = process
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", p.address)
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

// close ends the program.
func (p *program) close() {
	p.once.Do(func() {
		p.err = errors.New("the program was closed before it was started at " + strconv.Quote(p.address))
	})
	if p.process != nil {
		_ = p.process.Close()
	}
}
