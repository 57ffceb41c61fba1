package host

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Dialer creates the transport for a server. It does not connect: Open does.
type Dialer func(*DialParams) (mcp.Transport, error)

// Dialers maps the types of servers, such as config.HTTP, to dialers.
type Dialers map[string]Dialer

// DialParams are the parameters of a Dialer for one connection attempt.
type DialParams struct {
	// Server holds the settings after expansion: variables are replaced and the
	// token is in a header. It must not be modified.
	*Server

	// Stderr receives the standard error of a child process.
	Stderr io.Writer

	// Classify may be set by the dialer to assign a Category to errors of its
	// transport. It returns "" for other errors.
	Classify func(error) Category

	// Unreachable may be set by the dialer of a server at a URL. It reports
	// whether an error means that the server is unreachable for now: the
	// connection was refused or broke, or a gateway responded with status 502
	// to 504. The host then checks without limit until the server is reachable.
	Unreachable func(error) bool

	// Start, if not nil, starts the prepared command of a child process; see
	// Options.Start.
	Start func(cmd *exec.Cmd) error

	// Cleanup may be set by the dialer. The host calls it when the connection has
	// ended, or if the attempt has failed.
	Cleanup func()

	transport string // the type whose transport was opened last; empty if unknown

	live liveness
	ttl  atomic.Int64 // TTL of the list of tools in nanoseconds; 0 if the server sent none
}

// end calls Cleanup.
func (d *DialParams) end() {
	if d.Cleanup != nil {
		d.Cleanup()
	}
}

var errNoServer = errors.New("DialParams.Server is nil")

// Stdio is the Dialer for child processes.
func Stdio(d *DialParams) (mcp.Transport, error) {
	if d == nil || d.Server == nil {
		return nil, errNoServer
	}
	t := stdio.Command(d.Command, d.Args...)
	t.Env, t.InheritEnv, t.Dir, t.Stderr, t.Start = d.Env, d.InheritEnv, d.Dir, d.Stderr, d.Start
	return t, nil
}

// InProcess returns a Dialer for servers in this process, which have the type
// config.SDK. servers is indexed by Server.ID, or by Server.Name if ID is
// empty.
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
			return nil, errors.New("no in-process server " + wire.Quote(id))
		}
		return t, nil
	}
}

// otherType returns a hint if err suggests that a server does not speak the
// transport that its settings name, and it does speak the other one.
func (h *Host) otherType(ctx context.Context, d *DialParams, err error) string {
	other := map[string]string{config.HTTP: config.SSE, config.SSE: config.HTTP}[d.Type]
	dial := h.opts.Dialers[other]
	if e, ok := diag.Find[mcp.OtherTransportError](err); !ok || !e.OtherTransport() || dial == nil || d.Command != "" {
		return ""
	}
	t, err := dial(&DialParams{Server: d.Server})
	if err != nil {
		return ""
	}
	ctx, cancel := retry.WithTimeout(ctx, otherTypeTimeout, nil)
	defer cancel()
	client, err := mcp.Connect(ctx, t, nil)
	if err != nil {
		return ""
	}
	_ = client.Close()
	return "; the server speaks the transport " + wire.Quote(other) + ": set its type to that, or leave the type out"
}

// otherTypeTimeout limits the attempt of otherType.
const otherTypeTimeout = 5 * time.Second

// transport returns the transport for a server. For a URL without a type, it
// prefers Streamable HTTP and falls back to SSE.
func (ds Dialers) transport(d *DialParams) (mcp.Transport, error) {
	kind := d.Type
	switch {
	case kind == "" && d.Command != "" && d.URL != "":
		kind = config.HTTP
	case kind == "" && d.Command != "":
		kind = config.Stdio
	}
	if kind != "" {
		dial := ds[kind]
		if dial == nil {
			return nil, errors.New("no dialer for servers of type " + wire.Quote(kind) + "; see package dialers")
		}
		d.transport = kind
		return dial(d)
	}
	if d.URL == "" {
		return nil, errors.New("the server has neither a command nor a URL")
	}
	var list []mcp.Transport
	for _, kind := range [...]string{config.HTTP, config.SSE} {
		if dial := ds[kind]; dial != nil {
			t, err := dial(d)
			if err != nil {
				return nil, err
			}
			if k, ok := t.(mcp.Kinded); ok {
				t = &typed{t, k, &d.transport, kind}
			}
			list = append(list, t)
		}
	}
	switch len(list) {
	case 0:
		return nil, errors.New("no dialer for servers with a URL; see package dialers")
	case 1:
		return list[0], nil
	}
	return mcp.FirstOf(list...), nil
}

// A typed is a transport for a server without a type. It records which of the
// types was used.
type typed struct {
	mcp.Transport
	mcp.Kinded
	used *string // not the *DialParams: a type in an interface links its methods
	kind string
}

func (t *typed) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	*t.used = t.kind
	return t.Transport.Open(ctx, h)
}

func (t *typed) String() string { return diag.NameOf(t.Transport) }
