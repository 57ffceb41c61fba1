package stdio

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// defaultMaxMessage is the longest message that is taken unless set.
const defaultMaxMessage = 64 << 20

// A Transport starts a program and talks to it over its standard streams. The
// zero value of every field but Name works. Open reads the fields and changes
// none of them.
type Transport struct {
	// Name is the program: a path, or a name that is looked up in the PATH of
	// this process. A relative path is taken from Dir.
	Name string

	// Args are its arguments, without the name.
	Args []string

	// Env is added to the environment that the program gets, as "KEY=value".
	// Of several entries with one key the last counts.
	Env []string

	// InheritEnv passes on the whole environment of this process instead of a
	// short list of what programs need. See the package documentation.
	InheritEnv bool

	// Dir is the program's working directory, by default that of this process.
	Dir string

	// Stderr gets everything that the program writes to its standard error, in
	// order, from one goroutine per connection. If it returns an error it gets
	// nothing more. If it blocks, the program is held up for a second, and
	// what then finds no room is lost.
	Stderr io.Writer

	// CloseWait is how long Close waits for the program to exit after the end
	// of its standard input, and again after SIGTERM. Zero means 1.5 seconds.
	CloseWait time.Duration

	// MaxMessage is the length in bytes of the longest message that is taken.
	// Zero means 64 MiB.
	MaxMessage int
}

// Command returns a Transport that starts the program name with args.
func Command(name string, args ...string) *Transport {
	return &Transport{Name: name, Args: args}
}

// Open starts the program. Each call starts another one. ctx is looked at
// before that and not used any more afterwards.
//
// The error names the program and wraps the cause: [os/exec.ErrNotFound],
// [io/fs.ErrNotExist], [io/fs.ErrPermission] and so on. A program that starts
// and exits at once is no error of Open; the connection ends with an
// [*ExitError].
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	p, err := t.start(ctx, h)
	if err != nil {
		return nil, err
	}
	return jsonrpc.NewConn(p, h), nil
}

func (t *Transport) start(ctx context.Context, h jsonrpc.Handler) (*process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	cmd, err := t.command()
	if err != nil {
		return nil, diag.Op("start "+t.server(), err)
	}
	p, err := start(cmd, t.Stderr)
	if err != nil {
		return nil, diag.Op("start "+t.server(), err)
	}
	p.server, p.wait = t.server(), t.CloseWait
	if p.wait <= 0 {
		p.wait = closeWait
	}
	p.lines = newLines(p.stdout, t.MaxMessage, h.Dropped)
	return p, nil
}

// server is what errors call the server.
func (t *Transport) server() string { return "server " + wire.Quote(t.String()) }

// String returns the program and its arguments as errors quote them: cut if
// they are long, and with *** in place of the value of a flag whose name is
// that of a secret.
func (t *Transport) String() string {
	const long = 100
	s := t.Name
	hide := false
	for _, arg := range t.Args {
		flag, _, hasValue := strings.Cut(arg, "=")
		switch secret := diag.IsSecretName(flag); {
		case hide && !strings.HasPrefix(arg, "-"):
			arg, hide = diag.Mask, false
		case secret && hasValue:
			arg = flag + "=" + diag.Mask
		default:
			hide = secret && strings.HasPrefix(flag, "-")
		}
		s += " " + arg
	}
	if len(s) > long {
		s = s[:long] + "..."
	}
	return s
}

// A StreamTransport talks to a server over a stream that is already there.
type StreamTransport struct {
	// MaxMessage is the length in bytes of the longest message that is taken.
	// Zero means 64 MiB.
	MaxMessage int

	rwc    io.ReadWriteCloser
	opened atomic.Bool
}

// Stream returns a StreamTransport over rwc: a socket, or one end of an
// in-memory pipe. Closing rwc must make a Read or Write that is waiting
// return, as it does for connections of package net.
func Stream(rwc io.ReadWriteCloser) *StreamTransport { return &StreamTransport{rwc: rwc} }

// Open returns the connection, which closes the stream when it ends. It can be
// called once; [ErrOpened] is returned for a second call.
func (t *StreamTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if t.opened.Swap(true) {
		return nil, ErrOpened
	}
	return jsonrpc.NewConn(&stream{t.rwc, newLines(t.rwc, t.MaxMessage, h.Dropped)}, h), nil
}

// ErrOpened is returned when a stream is opened a second time.
var ErrOpened = errors.New("stream already in use")

type stream struct {
	io.WriteCloser
	lines *lines
}

func (s *stream) Read() ([]byte, error) { return s.lines.next() }
