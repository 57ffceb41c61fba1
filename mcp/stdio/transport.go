package stdio

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Transport starts a program and connects to it over its standard input and
// output. Only Name is required. Open reads the fields and changes none of them.
type Transport struct {
	// Name is the program, which other libraries call the command: a path, or a
	// name that Open looks up in the PATH of the environment that the program
	// gets. A relative path starts at Dir.
	Name string

	// Args are the arguments, without Name.
	Args []string

	// Env holds additional environment variables, as "KEY=value". The last of
	// several entries with the same key takes effect.
	Env []string

	// InheritEnv passes on the whole environment of this process instead of a
	// short list of variables. See the package documentation.
	InheritEnv bool

	// Dir is the working directory. It defaults to that of this process.
	Dir string

	// Stderr receives everything that the program writes to its standard error,
	// in order, from one goroutine per connection. After an error it receives
	// nothing more. If its Write blocks, the program waits for at most 1
	// second; after that, output that does not fit into the buffer is lost.
	Stderr io.Writer

	// CloseWait is how long Close waits for the program to exit after the end
	// of its standard input, and again after SIGTERM. The default is 1.5 s; negative
	// means that it does not wait.
	CloseWait time.Duration

	// MaxMessage is the maximum length in bytes of a message of the server.
	// The default is 64 MiB; negative means the same, as there is always a limit.
	MaxMessage int

	// Start, if set, is called instead of cmd.Start. It can change the prepared
	// command, to run it in a sandbox or with other attributes, and must start
	// it: cmd.Process is set when it returns nil. The Transport manages the
	// standard streams, the process group and the end of the process, so Start
	// must not change the standard streams, and must add to cmd.SysProcAttr
	// instead of replacing it. If the program was not found, cmd.Err holds the
	// error, which cmd.Start returns. For a batch file of Windows,
	// cmd.SysProcAttr.CmdLine takes the place of cmd.Args.
	//
	// Start runs on a goroutine of its own, while Open waits for it.
	Start func(cmd *exec.Cmd) error
}

// Command returns a Transport that starts the program name with args.
func Command(name string, args ...string) *Transport {
	return &Transport{Name: name, Args: args}
}

// Open starts the program. Each call starts another process. ctx has no effect
// after Open has returned.
//
// The error includes the program and wraps the cause: [os/exec.ErrNotFound],
// [io/fs.ErrNotExist], [io/fs.ErrPermission] and so on. If a program starts and
// exits at once, Open succeeds, and the connection ends with an [*ExitError].
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	p, err := t.start(ctx, h)
	if err != nil {
		return nil, err
	}
	return jsonrpc.NewConn(p, h), nil
}

// OpenStream starts the program as Open does, and returns the stream of its messages,
// to relay them. It uses the functions Dropped and Panic of h. The stream is a
// [jsonrpc.TryWriter], [jsonrpc.SlowCloser], [jsonrpc.MessageLimiter] and
// [jsonrpc.Explainer]. Its method CloseWrite, which returns an error, closes the
// standard input of the program, whose last messages Read still returns.
func (t *Transport) OpenStream(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Stream, error) {
	p, err := t.start(ctx, h)
	if err != nil {
		return nil, err
	}
	return p, nil
}

const errNoName = diag.Message("the Name of the stdio.Transport is empty")

func (t *Transport) start(ctx context.Context, h jsonrpc.Handler) (*process, error) {
	if ctx.Err() != nil {
		return nil, retry.Cause(ctx)
	}
	if t.Name == "" {
		return nil, errNoName
	}
	cmd, err := t.command()
	if err != nil {
		return nil, diag.Op("start "+t.server(), err)
	}
	stderr := t.Stderr
	if stderr != nil {
		stderr = &guardedWriter{stderr, h.Panic}
	}
	p, err := start(cmd, t.Start, stderr)
	if err != nil {
		if e, ok := err.(*os.PathError); ok && e.Path == cmd.Path {
			err = diag.Error(e.Err.Error(), nil, e)
		}
		return nil, diag.Op("start "+t.server(), err)
	}
	p.server, p.hidden, p.wait = t.server(), t.secrets(), max(t.CloseWait, 0)
	if t.InheritEnv {
		p.env = nil // which may be long
	}
	if t.CloseWait == 0 {
		p.wait = closeWait
	}
	p.lines = newLines(p.stdout, t.MaxMessage, h)
	p.lines.hidden = p.hidden
	return p, nil
}

// A guardedWriter is a writer of the program. A panic is an error.
type guardedWriter struct {
	w      io.Writer
	report func(value any, stack []byte)
}

func (g *guardedWriter) Write(p []byte) (n int, err error) {
	if v := diag.Guard(g.report, func() { n, err = g.w.Write(p) }); v != nil {
		return 0, v
	}
	return n, err
}

// Features names the server as String does, and the transport "stdio".
func (t *Transport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: t.String(), Kind: "stdio"}
}

// server returns the description of the server in errors.
func (t *Transport) server() string { return "server " + wire.Quote(t.String()) }

// secrets returns what is secret in Args and Env.
func (t *Transport) secrets() []string {
	_, secrets := diag.PublicArgs(t.Args...)
	for _, entry := range t.Env {
		if key, value, _ := strings.Cut(entry, "="); diag.IsSecretName(key) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// String returns the program and its arguments as errors quote them: truncated to
// 100 bytes, and with *** instead of what may be secret, such as the values of flags
// with such names and the passwords of URLs.
func (t *Transport) String() string {
	words, _ := diag.PublicArgs(append([]string{t.Name}, t.Args...)...)
	return diag.Cut(strings.Join(words, " "), 100)
}
