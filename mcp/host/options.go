package host

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os/exec"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
)

// A Server describes how to reach a server and how to use it. Package config
// reads servers from files; a program may also fill in the fields.
type Server = config.Server

// Options configure a host. Nil and the zero value are valid: such a host can
// start servers as child processes.
type Options struct {
	// Dialers creates the transports for servers, by type. The default is
	// [Stdio] for child processes; package dialers has the others. The map must
	// not be modified after New.
	Dialers Dialers

	// Client holds the options that the clients of all servers share, such as
	// handlers for requests from servers, and mcp.Tasks for tools that run as
	// tasks. Handlers find the server that sent a request with [ServerOf]. The
	// host sets Name, Timeout, MaxTimeout and CachedServer itself. May be nil.
	Client *mcp.Options

	// Vars provides the values of variables in the settings of servers.
	Vars config.Vars

	// Expand, if not nil, is called before each attempt to connect, to fill in
	// templates of the program's own or secrets from a keychain. It returns a copy
	// of s with other strings, or nil to use s; it must not modify s. Then the host
	// calls Server.Expand, which replaces no variables if Literal is set. Statuses
	// and the catalog contain the settings before Expand. An error has the category
	// Configuration; it must contain no secrets.
	Expand func(ctx context.Context, s *Server) (*Server, error)

	// Naming names the tools for models: [MCPServerTool], which is the default,
	// [ServerTool], [MCPUnderscore], [Underscore], or a function of the program. It
	// must not call methods of the host.
	Naming Naming

	// Describe returns the description of a tool for a model. The default is
	// the function [Describe]. It must not call methods of the host.
	Describe func(server string, tool *mcp.Tool) string

	// Filter reports whether models may see a tool, in addition to the filter
	// in the server's settings. It must not call methods of the host. Nil hides
	// nothing.
	Filter func(server string, tool *mcp.Tool) bool

	// Approve decides about each tool call. When nil, all calls are made, and
	// Tool.RequiresPermission returns true, for programs that ask before they
	// call Execute.
	Approve Approver

	// Called, if not nil, is called after each tool call, on the goroutine of the
	// caller: for an audit log, or to measure calls. An unknown name calls no tool.
	// Called must not modify the report or what it refers to.
	Called func(ctx context.Context, r *CallReport)

	// Limits limits the results of tools; see [ResultLimits]. When nil, results are
	// as servers send them.
	Limits ResultLimiter

	// Parallel is the number of servers that the host connects to at the same time,
	// without those that have been silent for 300 ms. The default is 8; negative means
	// no limit.
	Parallel int

	// MaxServers is the maximum number of servers. The default, like a
	// negative number, means no limit.
	MaxServers int

	// ConnectTimeout limits a connection attempt, from starting the program to
	// the list of tools. The default is 30 seconds, because npx may have to
	// download the server first. Timeout limits a call that makes no progress
	// (default 1 minute), and MaxTimeout a call that does (default 1 hour). Negative
	// means no limit. A server's settings take precedence over ConnectTimeout and
	// Timeout.
	ConnectTimeout, Timeout, MaxTimeout time.Duration

	// StrictTypes connects to a server of type config.HTTP or config.SSE over no
	// other transport. By default, if the response is status 400, 404, 405, 406 or
	// 415 or has the wrong content type, the host tries the other one of the two at
	// the same URL, and emits a TransportChanged event if that succeeds.
	StrictTypes bool

	// InheritEnv passes the whole environment of this process to all programs
	// that the host starts, as the setting inheritEnv of a server does for one.
	InheritEnv bool

	// Start, if not nil, is called instead of cmd.Start for each program that the
	// host starts, with the name of its server: to run it in a sandbox or with
	// other attributes. See stdio.Transport.Start.
	Start func(server string, cmd *exec.Cmd) error

	// KeepAlive is the interval at which the host pings an idle server at a
	// URL, to detect that it is unreachable or that the connection is
	// half-open. The default is 30 seconds; negative means no pings. The host
	// does not ping child processes and servers in this process.
	KeepAlive time.Duration

	// Retry configures how the host reconnects to servers.
	Retry Retry

	// Pins decides about tools whose definitions have changed. The default is
	// PinReport.
	Pins PinPolicy

	// Catalog keeps what servers said, so that the host shows their tools
	// before it connects to them. See OpenCatalog. Nil keeps nothing.
	Catalog *Catalog
}

// expand returns a copy of cfg without variables.
func (o *Options) expand(ctx context.Context, cfg *Server) (*Server, error) {
	if !cfg.Trusted() {
		return nil, config.ErrUntrusted
	}
	if o.Expand != nil {
		s, err := o.Expand(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if s != nil {
			cfg = s
		}
	}
	if o.InheritEnv && !cfg.InheritEnv {
		own := *cfg
		own.InheritEnv = true // so that Expand knows the secrets
		cfg = &own
	}
	return cfg.Expand(ctx, &o.Vars)
}

// ServerOf returns the name of the server that a function of the program is called
// for: a function of Options that takes a context, an Approver, a Dialer, Vars.Input,
// or a function of Options.Client, which are the handlers, an Interceptor, Log, and
// the functions of the Trace. Show it to the user (client/elicitation, Security
// Considerations). It is empty for other contexts.
func ServerOf(ctx context.Context) string {
	return settings.ServerOf(ctx)
}

// A Retry configures reconnection attempts. The defaults are in brackets.
//
// Max, Crashes and Window apply to child processes. The host checks an
// unreachable server at a URL every 1.5 s for 2 minutes, then every 5 to 30 s,
// until it is reachable. The package documentation says when the host tries a
// server again that it has given up.
type Retry struct {
	Max        int           // retries after the first attempt [3]; negative means no retries
	Initial    time.Duration // delay before the first retry [1 s]; negative means no delay
	Cap        time.Duration // maximum delay between retries [30 s]; negative means no limit
	Multiplier float64       // growth of the delay [2]; negative means no growth, as does 1

	// A server whose connection ends Crashes [5] times within Window [3 min] is
	// not restarted. A negative Crashes means no limit of crashes, a negative Window
	// no limit of time: all crashes count.
	Crashes int
	Window  time.Duration
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Dialers == nil {
		d.Dialers = Dialers{config.Stdio: Stdio}
	}
	if d.Naming == nil {
		d.Naming = MCPServerTool
	}
	if d.Describe == nil {
		d.Describe = Describe
	}
	d.Parallel = wire.Limit(d.Parallel, 8, math.MaxInt) // the semaphores store nothing
	d.ConnectTimeout = cmp.Or(d.ConnectTimeout, 30*time.Second)
	d.Timeout = cmp.Or(d.Timeout, time.Minute)
	d.MaxTimeout = cmp.Or(d.MaxTimeout, time.Hour)
	d.KeepAlive = cmp.Or(d.KeepAlive, defaultKeepAlive)
	d.Retry.Max = cmp.Or(d.Retry.Max, 3)
	d.Retry.Initial = cmp.Or(d.Retry.Initial, time.Second)
	d.Retry.Cap = cmp.Or(d.Retry.Cap, 30*time.Second)
	d.Retry.Crashes = cmp.Or(d.Retry.Crashes, 5)
	d.Retry.Window = cmp.Or(d.Retry.Window, 3*time.Minute)
	d.Retry.Multiplier = max(cmp.Or(d.Retry.Multiplier, 2), 1)
	return d
}

// delay returns the delay before a retry; the first is number 1. It is
// shortened by a random 0 to 20 %, so that servers that failed together do not
// restart together.
func (r *Retry) delay(try int) time.Duration {
	limit := float64(r.Cap)
	if r.Cap < 0 {
		limit = math.MaxInt64 / 2
	}
	d := max(float64(r.Initial), 0)
	for ; try > 1 && d < limit; try-- {
		d *= r.Multiplier
	}
	return time.Duration(min(d, limit) * (1 - float64(rand.Uint32())/(5<<32)))
}

// never reports whether the host must not connect to a server again by itself.
func (o *Options) never(s *Server) bool {
	if s.MaxRetries != 0 {
		return s.MaxRetries < 0
	}
	return o.Retry.Max < 0
}

func (o *Options) retries(s *Server) int {
	n := o.Retry.Max
	if s.MaxRetries != 0 {
		n = s.MaxRetries
	}
	return max(n, 0)
}

func (o *Options) timeouts(s *Server) (connect, call time.Duration) {
	connect, call = o.ConnectTimeout, o.Timeout
	if s.ConnectTimeout != 0 {
		connect = s.ConnectTimeout
	}
	if s.Timeout != 0 {
		call = s.Timeout
	}
	return connect, call
}

// Describe is the default of Options.Describe. It returns the server's
// description of the tool after "[MCP:server] ".
func Describe(server string, tool *mcp.Tool) string {
	text := ""
	if tool != nil {
		text = tool.Description
	}
	if text == "" {
		text = "MCP tool from " + server + " server"
	}
	return "[MCP:" + server + "] " + text
}

// PlainDescription returns the server's description of the tool. It is a value
// for Options.Describe.
func PlainDescription(_ string, tool *mcp.Tool) string {
	if tool == nil {
		return ""
	}
	return tool.Description
}

// within returns ctx with a timeout, or without one if limit is not positive.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return retry.WithTimeout(ctx, limit, nil)
	}
	return context.WithCancel(ctx)
}

// guard calls f on a goroutine of the host, for a server if the name is not empty, and
// returns a panic of a function of the program as an error. HandlerPanic of the
// clients' Trace receives it.
func (h *Host) guard(server string, f func()) error {
	var report func(value any, stack []byte)
	if o := h.opts.Client; o != nil && o.Trace != nil && o.Trace.HandlerPanic != nil {
		report = func(value any, stack []byte) {
			o.Trace.HandlerPanic(settings.ForServer(context.Background(), server), value, stack)
		}
	}
	return diag.Guard(report, f)
}
