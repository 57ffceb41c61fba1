package hold

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/secrets"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	maxCalls   = 1000                  // of a caller without a response
	maxWaiting = 256                   // notifications that wait for a caller to read, or for a watch
	keptSize   = 1 << 20               // bytes of those for a watch, but for the last
	waitSize   = 8 << 20               // bytes of those for a caller
	followTime = 2 * time.Second       // for the server to agree to report changes before callers come
	lastTime   = time.Second           // for a caller to read what is left when the session ends
	failWait   = 50 * time.Millisecond // after an error of Accept
)

// A Session is what a holder serves.
type Session struct {
	Client   *mcp.Client
	Greeting mcp.RawMessage                                                    // the server's result of initialize, or of server/discover
	Handlers []mcp.Handler                                                     // answer the server
	Sent     func(context.Context) (_ context.Context, result *mcp.RawMessage) // has the result of a request stored as the server sent it
	Explain  func(error) *failure.Error                                        // what the holder knows about an error
	Entry    *config.Server                                                    // of the server; may be nil
	Level    mcp.LoggingLevel                                                  // of the logs that hold shows; empty for none
}

// A Holder serves callers. They wait until it has a session.
type Holder struct {
	name     Name
	path     string
	server   string              // its name
	hide     func(string) string // masks secrets of the server's settings
	release  func()              // called when a caller releases the session
	listener net.Listener
	ctx      context.Context // of the callers
	cancel   context.CancelFunc
	running  lock.Group
	begun    chan struct{} // closed after session is set
	ended    atomic.Bool
	session  atomic.Pointer[Session]
	answerer *mcp.Client  // answers what responses request; nil until Serve
	asker    jsonrpc.Conn // to the answerer

	mu       lock.Mutex
	callers  map[*caller]bool
	kept     []notification // while no caller watches
	keptSize int
	asking   int    // open questions
	shown    string // the note of the last that the user sees, while questions are open
	unsaid   string // a note of Tell for the next caller
}

// OnTerminal begins the note for Asking if the user sees the question.
const OnTerminal = "The terminal of hold shows a question of the server, which waits for an answer: "

const logLevel = "io.modelcontextprotocol/logLevel" // in _meta

// A notification is one of the server, or of the holder.
type notification struct {
	method string
	params mcp.RawMessage
}

// Hold returns the Holder of a session with a server. hide masks secrets in texts of the
// server. release is called when a caller releases the session, maybe more than once. The
// caller must call End and then Close.
func (n Name) Hold(ctx context.Context, server string, hide func(string) string, release func()) (*Holder, error) {
	l, path, err := n.listen(ctx)
	if err != nil {
		return nil, err
	}
	h := &Holder{name: n, path: path, server: server, hide: hide, release: release, listener: l, begun: make(chan struct{}), callers: make(map[*caller]bool)}
	h.describe("")
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.running.Go(h.accept) // ends with the listener
	return h, nil
}

// describe writes what About returns.
func (h *Holder) describe(version string) {
	about := map[string]any{"server": h.server[:min(len(h.server), maxState/8)], "pid": os.Getpid()}
	if version != "" {
		about["protocolVersion"] = version
	}
	b, _ := wire.AppendValue([]byte(held), about)
	_ = statefile.Replace(h.path+stateFile, b)
}

// Serve lets the callers use a session.
func (h *Holder) Serve(s *Session) error {
	if err := h.connectAnswerer(s.Handlers); err != nil {
		return err
	}
	h.describe(s.Client.Server().ProtocolVersion)
	h.session.Store(s)
	following := make(chan struct{})
	h.running.Go(func() { h.follow(s.Client, following) }) // ends with the client, or with the callers
	retry.Await(following, followTime)
	close(h.begun)
	return nil
}

// End ends the session, unless it has ended. Callers, and later ones, learn the reason until
// another session has the name, or it is released. The reason is empty if the user has ended
// the session.
func (h *Holder) End(reason string) {
	if h.ended.Swap(true) {
		return
	}
	if text := ended + h.hide(reason); reason == "" {
		_ = os.Remove(h.path + stateFile)
	} else {
		_ = statefile.Replace(h.path+stateFile, []byte(text[:min(len(text), maxState)])) // later commands do not know the secrets
	}
	_ = h.listener.Close() // which removes the socket
}

// Close returns when all callers have been disconnected.
func (h *Holder) Close() {
	h.cancel()
	h.running.Wait()
	if h.answerer != nil {
		_ = h.answerer.Close()
	}
}

func (h *Holder) accept() {
	for {
		conn, err := h.listener.Accept()
		switch {
		case err == nil:
			h.running.Go(func() { h.serve(conn) }) // ends with the caller, or with the session
		case errors.Is(err, net.ErrClosed):
			return
		default:
			retry.Sleep(h.ctx, failWait)
		}
	}
}

// follow keeps the changes of the server's lists while no caller watches. It closes following
// when the server reports them, or does not.
func (h *Holder) follow(client *mcp.Client, following chan struct{}) {
	sub, err := client.Subscribe(h.ctx, nil)
	close(following)
	if err != nil {
		return // there are none
	}
	defer sub.Close()
	for {
		change, err := sub.Next(h.ctx)
		if err != nil {
			return
		}
		h.mu.Lock()
		h.keepLocked(notification{string(change.Kind), nil})
		h.mu.Unlock()
	}
}

// keepLocked keeps a notification for the next watch, and reports whether there is none now.
func (h *Holder) keepLocked(n notification) bool {
	for c := range h.callers {
		if c.watching {
			return false
		}
	}
	if n.params == nil && slices.ContainsFunc(h.kept, func(k notification) bool { return k.method == n.method }) {
		return true
	}
	h.kept = append(h.kept, n)
	for h.keptSize += len(n.params); len(h.kept) > maxWaiting || h.keptSize > keptSize; h.kept = h.kept[1:] {
		h.keptSize -= len(h.kept[0].params)
	}
	return true
}

// Wrap returns a transport whose notifications callers receive before the response that
// follows, but for those of calls and what imitates the holder. From 2026-07-28 on, changes
// come by the subscription of each. A nil Holder has no callers.
func (h *Holder) Wrap(t mcp.Transport) mcp.Transport {
	if h == nil {
		return t
	}
	return &heldTransport{t, h}
}

type heldTransport struct {
	mcp.Transport
	h *Holder
}

func (t *heldTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	message := h.Message
	h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		if !m.IsRequest() {
			t.h.receive(m.Method, m.Params)
		}
		message(conn, m)
	}
	return t.Transport.Open(ctx, h)
}

func (h *Holder) receive(method string, params mcp.RawMessage) {
	s := h.session.Load()
	switch {
	case strings.HasPrefix(method, ownMethods), method == "notifications/progress", method == "notifications/cancelled":
		return
	case isSubscribed(method) && s != nil && s.Client.Server().Modern():
		return
	}
	n := notification{method, secrets.HideJSON(params, h.hide)}
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := method == "notifications/message" && h.keepLocked(n)
	for c := range h.callers {
		if !kept || !c.watches {
			c.send(n)
		}
	}
}

func isSubscribed(method string) bool {
	switch mcp.ChangeKind(method) {
	case mcp.ToolsChanged, mcp.PromptsChanged, mcp.ResourcesChanged, mcp.ResourceUpdated, "notifications/subscriptions/acknowledged":
		return true
	}
	return false
}

// sendLocked queues a notification for each caller.
func (h *Holder) sendLocked(n notification) {
	for c := range h.callers {
		c.send(n)
	}
}

// Asking stops the clocks of all callers until done is called, while a question of the server
// is open. They say note, unless it is empty. Without a Holder, there are no callers.
func (h *Holder) Asking(note string) (done func()) {
	if h == nil {
		return func() {}
	}
	ask := func(n int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if n > 0 && strings.HasPrefix(note, OnTerminal) {
			h.shown = note
		}
		if h.asking += n; h.asking == 0 {
			h.shown = ""
		}
		if n > 0 || h.asking == 0 {
			h.sendLocked(asking(n > 0, note))
		}
	}
	ask(1)
	return func() { ask(-1) }
}

// Tell has all callers say note, and the next one if all of them watch.
func (h *Holder) Tell(note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unsaid = note
	for c := range h.callers {
		if c.say(note); !c.watching {
			h.unsaid = ""
		}
	}
}

func asking(now bool, note string) notification {
	b := wire.AppendBool(wire.AppendKey([]byte{'{'}, "now"), now)
	return notification{methodAsking, append(wire.AppendString(wire.AppendKey(b, "note"), note), '}')}
}

// Idle reports whether no call waits for the server.
func (h *Holder) Idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.callers {
		if len(c.calls) > 0 {
			return false
		}
	}
	return true
}

// connectAnswerer connects a client with these handlers to the holder, which sends it as its
// server what they are to answer.
func (h *Holder) connectAnswerer(handlers []mcp.Handler) (err error) {
	ours, theirs := jsonrpc.Pipe()
	h.asker = jsonrpc.NewConn(ours, jsonrpc.Handler{Message: func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		if m.IsRequest() {
			_ = conn.Reply(h.ctx, m.ID, mcp.RawMessage(`{"protocolVersion":"`+mcp.ProtocolVersion20251125+`","capabilities":{},"serverInfo":{"name":"","version":""}}`), nil)
		}
	}})
	h.answerer, err = mcp.Connect(h.ctx, streamTransport{theirs}, &mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}, Handlers: handlers})
	return err
}

type streamTransport struct{ jsonrpc.Stream }

func (t streamTransport) Features() (f jsonrpc.TransportFeatures) { return f }
func (t streamTransport) Open(_ context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return jsonrpc.NewConn(t.Stream, h), nil
}
