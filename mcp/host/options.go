package host

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A Server is what package config makes of an entry of a file: how a server is
// reached and how it is used.
type Server = config.Server

// Options are the settings of a host. The zero value works, and has servers
// that are programs only.
type Options struct {
	// Dialers say how servers of each type are reached. Nil has Stdio for
	// those that are programs; package dialers has the others. They must not be
	// changed any more.
	Dialers Dialers

	// Client is what the clients of all servers have in common, such as the
	// handlers for what servers ask for, and mcp.Tasks for tools that take
	// longer than a call may. It may be nil. Its time-outs do not count.
	// ServerOf tells a handler which server asks.
	Client *mcp.Options

	// Vars has the values of variables in the settings of servers.
	Vars config.Vars

	// Naming says what tools are called for a model.
	Naming Naming

	// Describe returns the description of a tool for a model. By default it is
	// the server's with "[MCP:server] " in front of it.
	Describe func(server string, tool *mcp.Tool) string

	// Filter hides the tools for which it returns false, beside those that the
	// settings of the server hide. It must return soon.
	Filter func(server string, tool *mcp.Tool) bool

	// Approve is asked before each call of a tool. Without it every call is
	// allowed, and Tool.RequiresPermission reports true, for programs that ask
	// before they call Execute.
	Approve Approver

	// Parallel is how many servers are connected at once. 8 when 0.
	Parallel int

	// MaxServers is how many servers there may be. No limit when 0.
	MaxServers int

	// ConnectTimeout is how long connecting may take: 30 seconds when 0, since
	// npx may have to download the server first. A call may take Timeout, a
	// minute when 0, longer if it makes progress, and never longer than
	// MaxTimeout, an hour when 0. The settings of a server may say otherwise.
	ConnectTimeout, Timeout, MaxTimeout time.Duration

	// Retry says how connections that failed are made again.
	Retry Retry

	// Event is called for each event, one at a time, besides what goes to the
	// channels that Host.Events returns.
	Event func(Event)
}

type serverKey struct{}

// ServerOf returns the name of the server that a handler in Options.Client is
// called for. The user must see it (client/elicitation, Security Considerations).
func ServerOf(ctx context.Context) string {
	name, _ := ctx.Value(serverKey{}).(string)
	return name
}

// A Retry says how often and when to try to connect again. Fields that are 0
// have the values in brackets.
type Retry struct {
	Max        int           // tries after the first [3]; none when less than 0
	Initial    time.Duration // before the first of them [1 s]
	Cap        time.Duration // between two of them [30 s]
	Multiplier float64       // what the time grows by [2]

	// A server whose connection ends Crashes [5] times within Window [3 min]
	// is left alone.
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
	if d.Describe == nil {
		d.Describe = Describe
	}
	if d.Parallel <= 0 {
		d.Parallel = 8
	}
	orDefault(&d.ConnectTimeout, 30*time.Second)
	orDefault(&d.Timeout, time.Minute)
	orDefault(&d.MaxTimeout, time.Hour)
	orDefault(&d.Retry.Max, 3)
	orDefault(&d.Retry.Initial, time.Second)
	orDefault(&d.Retry.Cap, 30*time.Second)
	orDefault(&d.Retry.Crashes, 5)
	orDefault(&d.Retry.Window, 3*time.Minute)
	if d.Retry.Multiplier < 1 {
		d.Retry.Multiplier = 2
	}
	return d
}

func orDefault[T ~int | ~int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// delay returns how long to wait before a try; the first is 1. It is up to a
// fifth shorter than computed, so that servers that died together are not
// started together.
func (r *Retry) delay(try int) time.Duration {
	limit := float64(r.Cap)
	if r.Cap < 0 {
		limit = math.MaxInt64 / 2
	}
	d := max(float64(r.Initial), 0)
	for ; try > 1 && d < limit; try-- {
		d *= r.Multiplier
	}
	return time.Duration(min(d, limit) * (1 - rand.Float64()/5))
}

// retries returns how often to try again to connect to a server.
func (o *Options) retries(s *Server) int {
	n := o.Retry.Max
	if s.MaxRetries != 0 {
		n = s.MaxRetries
	}
	return max(n, 0)
}

// timeouts returns how long connecting and calls may take.
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

// Describe returns a description that says which server the tool is from.
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

// PlainDescription returns the server's own description.
func PlainDescription(_ string, tool *mcp.Tool) string {
	if tool == nil {
		return ""
	}
	return tool.Description
}

// within returns ctx with a timeout of limit, if limit is more than 0.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// sleep waits, and reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
