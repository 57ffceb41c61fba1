package ui

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Config describes the target of a [Bench] and what the program does for it.
type Config struct {
	Target  string // the name of the target, without secrets
	Version string // the only protocol version at first; empty means any

	// Connect connects to the target. The caller calls end in place of Client.Close.
	Connect func(context.Context, *Setup) (client *mcp.Client, end func(), err error)

	// Explain returns why Connect or a call failed, for the user.
	Explain func(error) string

	// CommandLine returns the command line for a command with the same target.
	CommandLine func(command string, args ...cmdline.Word) string

	// Hide returns a text without secrets, for recordings; nil hides none.
	Hide func(string) string

	// Watch calls changed when files of the server have changed, with their names, until
	// ctx ends. Nil means that no file is watched.
	Watch func(ctx context.Context, changed func(files string))

	// Watched describes the watched files, such as "3 files".
	Watched string
}

// A Setup is how the bench wants the program to connect.
type Setup struct {
	Version  string                            // the only protocol version; empty means any
	Handlers []mcp.Handler                     // of the requests of the server
	Trace    *mcp.Trace                        // without Message
	Wrap     func(mcp.Transport) mcp.Transport // wraps each transport, to see the messages
	Stderr   func(line string)                 // receives the server's standard error
	HTTP     func(line string, failed bool)    // receives the HTTP requests and responses
}

// A Bench is the state of the page. Create one with [New].
type Bench struct {
	config   Config
	again    chan string        // asks for a new connection, with the reason; holds one
	relist   chan struct{}      // asks for new lists; holds one
	refollow chan struct{}      // another resource is followed; holds one
	ctx      context.Context    // of the calls; ends with the bench
	cancel   context.CancelFunc // ends ctx

	mu           lock.Mutex
	changed      chan struct{} // closed and replaced at each change
	pages        int           // open event streams
	pagesChanged chan struct{} // closed and replaced when pages changes
	versions     map[string]int64
	ring         ring
	conns        int // opened so far
	client       *mcp.Client
	connection   connection
	followed     followed // what the page is subscribed to
	lists        lists
	asks         []*ask
	calls        []*call
	lastID       int

	endComparison context.CancelCauseFunc // of the latest comparison; may be nil
}

// maxReason limits why something failed, in bytes: a server can send a long error.
const maxReason = 16 << 10

// New returns a bench. The caller calls Run.
func New(c Config) *Bench {
	explain := c.Explain
	c.Explain = func(err error) string { return cut(explain(err), maxReason) }
	b := &Bench{
		config: c, again: make(chan string, 1), relist: make(chan struct{}, 1), refollow: make(chan struct{}, 1),
		changed: make(chan struct{}), pagesChanged: make(chan struct{}),
		versions: make(map[string]int64), ring: ring{limit: ringBytes},
	}
	b.connection = connection{Target: c.Target, Status: statusConnecting, Version: c.Version, Versions: mcp.ProtocolVersions(), Watched: c.Watched}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Parts of the state that the page receives whole when they change.
const (
	partConnection = "connection"
	partLists      = "lists"
	partAsks       = "asks"
	partCalls      = "calls"
	partFollowed   = "followed"
)

var parts = [...]string{partConnection, partLists, partAsks, partCalls, partFollowed}

// touchLocked records that a part has changed and wakes the event streams. An empty part
// means the traffic.
func (b *Bench) touchLocked(part string) {
	b.versions[part]++
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Bench) update(part string, f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	b.touchLocked(part)
}

// note adds an observation to the traffic.
func (b *Bench) note(name, text string) {
	b.update("", func() { b.ring.text(kindTrace, name, text) })
}

// page records that an event stream has been opened or closed.
func (b *Bench) page(n int) {
	b.mu.Lock()
	b.pages += n
	close(b.pagesChanged)
	b.pagesChanged = make(chan struct{})
	b.mu.Unlock()
}

// nextIDLocked returns an id for a call or a question.
func (b *Bench) nextIDLocked() int {
	b.lastID++
	return b.lastID
}

// now returns the time for the page: milliseconds since 1970.
func now() float64 { return float64(time.Now().UnixMicro()) / 1000 }
