package hold

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	maxCalls   = 1000 // of a caller without a response
	maxSoon    = 256  // notifications that wait for a caller to read
	maxKept    = 256  // notifications that wait for a watch
	keptSize   = 1 << 20
	followTime = 2 * time.Second       // for the server to agree to report changes before callers come
	lastTime   = time.Second           // for a caller to read what is left when the session ends
	failWait   = 50 * time.Millisecond // after an error of Accept
)

// A Session is what a holder serves.
type Session struct {
	Client   *mcp.Client
	Greeting mcp.RawMessage                                                             // the server's result of initialize, or of server/discover
	Handlers []mcp.Handler                                                              // answer the server
	List     func(ctx context.Context, cursor *string) (page mcp.RawMessage, err error) // reads a page of tools as the client does
	Check    func(tool string) error                                                    // whether the entry of the server allows the tool
	Explain  func(error) *failure.Error                                                 // what the holder knows about an error
	Tools    config.Filter                                                              // of the entry of the server
}

// A Holder serves callers. They wait until it has a session.
type Holder struct {
	Released chan struct{} // closed when a caller has released the session

	name, path, key string
	hide            func(string) string // masks secrets of the server's settings
	listener        net.Listener
	ctx             context.Context // of the callers
	cancel          context.CancelFunc
	running         lock.Group
	begun           chan struct{} // closed when session is set, or when reason is
	over            chan struct{} // closed when all callers have been told the reason
	session         *Session
	answerer        *mcp.Client  // answers what results request; nil before 2026-07-28
	asker           jsonrpc.Conn // to the answerer

	mu       lock.Mutex
	reason   *failure.Error // why there is no session
	callers  map[*caller]bool
	kept     []notification // while no caller watches
	keptSize int
	watchers int
	asking   int // questions
	released bool
}

// A notification is one of the server, or of the holder.
type notification struct {
	method string
	params mcp.RawMessage
}

// New returns the Holder of a session with this name. hide masks secrets in texts of the
// server. The caller must call End and then Close.
func New(ctx context.Context, name string, hide func(string) string) (*Holder, error) {
	l, path, err := listen(ctx, name)
	if err != nil {
		return nil, err
	}
	h := &Holder{Released: make(chan struct{}), name: name, path: path, hide: hide, key: rand.Text(), listener: l, begun: make(chan struct{}), over: make(chan struct{}), callers: make(map[*caller]bool)}
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.running.Go(h.accept) // ends with the listener
	return h, nil
}

// Serve lets the callers use a session.
func (h *Holder) Serve(s *Session) error {
	if s.Client.Server().Modern() {
		if err := h.connectAnswerer(s.Handlers); err != nil {
			return err
		}
	}
	h.session = s
	following := make(chan struct{})
	h.running.Go(func() { h.follow(following) }) // ends with the client, or with the callers
	retry.Await(following, followTime)
	close(h.begun)
	return nil
}

// End ends the session, unless it has ended: callers learn the reason. With keep, it is left
// for later ones, until another session has the name, or it is released.
func (h *Holder) End(reason *failure.Error, keep bool) {
	h.mu.Lock()
	again := h.reason != nil
	if !again {
		h.reason = ended(h.name, reason.Message, nil)
	}
	h.mu.Unlock()
	if again {
		return
	}
	if keep {
		_ = statefile.Replace(h.path+".ended", []byte(reason.Message[:min(len(reason.Message), maxReason)]))
	}
	_ = h.listener.Close() // which removes the socket
	if h.session == nil {
		close(h.begun)
	}
}

// Close returns when all callers have been told why the session has ended.
func (h *Holder) Close() {
	h.cancel()
	close(h.over)
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
			h.running.Go(func() { h.greet(conn) }) // ends with the caller, or with the session
		case errors.Is(err, net.ErrClosed):
			return
		default:
			retry.Sleep(h.ctx, failWait)
		}
	}
}

// greet reads what a caller wants, and serves it.
func (h *Holder) greet(conn net.Conn) {
	defer conn.Close()
	stop := context.AfterFunc(h.ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	s := &socket{conn, bufio.NewReader(conn)}
	_ = conn.SetReadDeadline(time.Now().Add(greetTime))
	hello, err := s.line()
	stop()
	_ = conn.SetReadDeadline(time.Time{})
	if err != nil || s.checkPeer() != nil {
		return
	}
	switch version := text(hello, "mcpecho"); {
	case text(hello, "wants") == "release":
		if _, err = conn.Write(append(greeting(), '\n')); err == nil {
			h.release()
			<-h.over
		}
	case version != mcp.Version:
		_, _ = conn.Write(append(greeting(), '\n')) // which says the version
	default:
		<-h.begun
		if h.session == nil {
			_, _ = conn.Write(append(greeting("error", h.reason.Message), '\n'))
			return
		}
		b := greeting("key", h.key)
		b = b[:len(b)-1]
		b = appendTexts(b, "allow", h.session.Tools.Allow)
		b = appendTexts(b, "deny", h.session.Tools.Deny)
		if _, err = conn.Write(append(b, "}\n"...)); err == nil {
			h.serve(s)
		}
	}
}

func (h *Holder) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.released {
		h.released = true
		close(h.Released)
	}
}

// follow keeps the changes of the server's lists while no caller watches. It closes following
// when the server reports them, or does not.
func (h *Holder) follow(following chan struct{}) {
	sub, err := h.session.Client.Subscribe(h.ctx, nil)
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
		h.keep(notification{string(change.Kind), nil})
	}
}

// keep keeps a notification for the next watch, if there is none now.
func (h *Holder) keep(n notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers > 0 || n.params == nil && slices.ContainsFunc(h.kept, func(k notification) bool { return k.method == n.method && k.params == nil }) {
		return
	}
	h.kept = append(h.kept, n)
	h.keptSize += len(n.params)
	for len(h.kept) > maxKept || h.keptSize > keptSize {
		h.keptSize -= len(h.kept[0].params)
		h.kept = h.kept[1:]
	}
}

// Log passes a log message to all callers.
func (h *Holder) Log(m *mcp.LogMessage) {
	if params, err := m.MarshalJSON(); err == nil {
		n := notification{"notifications/message", []byte(h.hide(string(params)))}
		h.keep(n)
		h.send(n)
	}
}

// logAll makes the calls of all callers ask for logs from a level on, from 2026-07-28 on:
// before, the server has one level for all of them.
func (h *Holder) logAll(level mcp.LoggingLevel) {
	if h.asker != nil && h.session.Client.Server().Capabilities.Logging != nil {
		_ = h.session.Client.SetLogLevel(h.ctx, level) // sends nothing
	}
}

// Notify passes a notification to all callers. From 2026-07-28 on, changes come by the
// subscription of each.
func (h *Holder) Notify(method string, params mcp.RawMessage) {
	select {
	case <-h.begun:
	default:
		return // there are no callers
	}
	if h.asker == nil || !isSubscribed(method) {
		h.send(notification{method, params})
	}
}

func isSubscribed(method string) bool {
	switch mcp.ChangeKind(method) {
	case mcp.ToolsChanged, mcp.PromptsChanged, mcp.ResourcesChanged, mcp.ResourceUpdated, "notifications/subscriptions/acknowledged":
		return true
	}
	return false
}

// send queues a notification for each caller. One that does not read loses it.
func (h *Holder) send(n notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sendLocked(n)
}

func (h *Holder) sendLocked(n notification) {
	for c := range h.callers {
		c.queue(n)
	}
}

// Asking stops the clocks of all callers while the user answers a question.
func (h *Holder) Asking() (done func()) {
	h.ask(1)
	return func() { h.ask(-1) }
}

func (h *Holder) ask(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.asking
	if h.asking += n; before == 0 || h.asking == 0 {
		h.sendLocked(asking(n > 0))
	}
}

func asking(now bool) notification {
	return notification{methodAsking, append(wire.AppendBool(wire.AppendKey([]byte{'{'}, "now"), now), '}')}
}

// Idle reports whether no call waits for the server.
func (h *Holder) Idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.callers {
		if c.busy() {
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
	h.answerer, err = mcp.Connect(h.ctx, pipe{theirs}, &mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}, Handlers: handlers})
	return err
}

type pipe struct{ jsonrpc.Stream }

func (p pipe) Open(_ context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return jsonrpc.NewConn(p.Stream, h), nil
}

func (pipe) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{SingleUse: true} }

// appendTexts appends a list of strings to an object that has members; nothing for nil.
func appendTexts(b []byte, key string, list []string) []byte {
	if list == nil {
		return b
	}
	b, _ = wire.AppendValue(wire.AppendKey(b, key), list)
	return b
}
