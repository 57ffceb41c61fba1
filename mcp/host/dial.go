package host

import (
	"errors"
	"io"
	"os/exec"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
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

	// Start, if not nil, starts the prepared command of a child process; see
	// Options.Start.
	Start func(cmd *exec.Cmd) error

	// Cleanup may be set by the dialer. The host calls it when the connection has
	// ended, or if the attempt has failed.
	Cleanup func()

	transport string // the type whose transport was opened last; empty if unknown

	live *liveness    // of a server at a URL; else nil
	ttl  atomic.Int64 // TTL of the list of tools in nanoseconds; 0 if the server sent none
}

// SetUnreachable is called by the dialer of a server at a URL, which can become
// unreachable and return. f reports whether an error means that the server is
// unreachable for now: the connection was refused or broke, or a gateway responded
// with status 502 to 504. The host then checks without limit until the server is
// reachable, and pings the server while it is idle; see Options.KeepAlive. Nil
// undoes an earlier call.
//
// It is a method instead of a field so that a program without such a dialer does
// not link the checks and pings.
func (d *DialParams) SetUnreachable(f func(error) bool) {
	d.live = nil
	if f != nil {
		d.live = newLiveness(f)
	}
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
			return nil, errors.New("InProcess has no server " + wire.Quote(id))
		}
		return t, nil
	}
}
