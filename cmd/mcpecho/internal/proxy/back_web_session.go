package proxy

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// open returns the connection to the server. It opens another one if a connection with
// a session, such as one of HTTP+SSE, has ended: the client's next request then begins
// a session as the client began the first one.
func (s *webStream) open(ctx context.Context) (jsonrpc.Conn, error) {
	s.mu.Lock()
	conn, sessions := s.conn, s.sessions
	begun := s.first != nil
	s.mu.Unlock()
	switch {
	case conn == nil:
		return s.connect(ctx)
	case conn.Err() == nil:
		return conn, nil
	case !begun:
		return nil, conn.Err()
	}
	if err := s.renew(ctx, sessions, conn.Err()); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn, nil
}

// connect opens a connection with the current transport, unless there is one.
func (s *webStream) connect(ctx context.Context) (jsonrpc.Conn, error) {
	s.mu.Lock()
	t := s.transports[0]
	s.mu.Unlock()
	conn, err := t.Open(ctx, jsonrpc.Handler{Message: s.received, Dropped: s.dropped})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	before := s.conn
	lost := before != nil && before.Err() == nil // another call was faster
	if !lost {
		s.conn = conn
	}
	closed := s.life.Err() != nil
	s.mu.Unlock()
	switch {
	case closed:
		_ = conn.Close()
		return nil, jsonrpc.ErrClosed
	case lost:
		_ = conn.Close()
		return before, nil
	}
	return conn, nil
}

// useOther changes to the next transport. It reports false if there is none.
func (s *webStream) useOther() bool {
	s.mu.Lock()
	if len(s.transports) < 2 {
		s.mu.Unlock()
		return false
	}
	s.transports = s.transports[1:]
	conn := s.conn
	s.conn = nil
	s.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
	return true
}

// needsOtherTransport reports whether the server apparently uses another transport.
func needsOtherTransport(err error) bool {
	var other mcp.OtherTransportError
	return errors.As(err, &other) && other.OtherTransport()
}

// received passes a request or a notification of the server to the client.
func (s *webStream) received(_ jsonrpc.Conn, m *jsonrpc.Message) {
	params := m.Params
	if !m.Call.IsZero() {
		s.mu.Lock()
		id := s.clientIDs[m.Call]
		s.mu.Unlock()
		if id != "" {
			params = replace(params, id, "_meta", metaSubscription)
		}
	}
	s.deliver(jsonrpc.AppendRequest(nil, m.ID, &jsonrpc.Request{Method: m.Method, Params: params}))
}

// dropped passes a response on that comes a second time, or after the call was canceled,
// and notes what else is no message for the client. The id of another response could be
// that of another request of the client.
func (s *webStream) dropped(reason error, data []byte) {
	if !errors.Is(reason, jsonrpc.ErrUnknownID) {
		why := "the server has sent what is no message, or has ended a stream: " + s.o.Explain(reason)
		if len(data) == 0 {
			s.o.Note(why)
		} else {
			s.lost(data, why)
		}
		return
	}
	m, err := jsonrpc.Parse(data)
	if err != nil || m.Method != "" || m.ID.IsZero() {
		return // the result of a canceled call
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.recent, func(p idPair) bool { return p.own == m.ID })
	id := ""
	if i >= 0 {
		id = s.recent[i].client
	}
	s.mu.Unlock()
	if id != "" {
		s.deliver(replace(data, id, "id"))
	} else {
		s.lost(data, "the server has sent a response with the id "+m.ID.String()+", which no request of the proxy has; the client cannot receive it")
	}
}

var errOtherVersion = errors.New("the server has forgotten the session, and begins the next one with another protocol version: start the client again")

// renew opens another session in place of one that the server has forgotten because of
// reason, as the client opened the first one, unless another call has done so. sessions
// counts those that were opened before the call.
func (s *webStream) renew(ctx context.Context, sessions int, reason error) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	done, first, v, conn := s.sessions != sessions, s.first, s.version, s.conn
	s.mu.Unlock()
	switch {
	case done:
		return nil
	case first == nil:
		return reason
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	if errors.Is(reason, jsonrpc.ErrSessionInDoubt) { // a ping shows whether it is lost
		_, err := conn.Call(ctx, &jsonrpc.Request{Method: "ping", HTTP: jsonrpc.HTTP{ProtocolVersion: v, Session: jsonrpc.InSession}})
		if !errors.Is(err, jsonrpc.ErrSessionInDoubt) && !errors.Is(err, jsonrpc.ErrNoSession) {
			return reason
		}
	}
	if conn.Err() != nil {
		var err error
		if conn, err = s.connect(ctx); err != nil {
			return err
		}
	}
	result, err := conn.Call(ctx, &jsonrpc.Request{Method: "initialize", Params: first, HTTP: jsonrpc.HTTP{Session: jsonrpc.OpensSession}})
	if err != nil {
		return err
	}
	if text(wire.Lookup(result, "protocolVersion")) != v {
		return errOtherVersion
	}
	if err := conn.Notify(ctx, &jsonrpc.Request{Method: "notifications/initialized", HTTP: jsonrpc.HTTP{ProtocolVersion: v, Session: jsonrpc.BeginsSession}}); err != nil {
		return err
	}
	s.mu.Lock()
	s.sessions++
	s.mu.Unlock()
	s.o.Note("the server has forgotten the session; the proxy has opened another one as the client did")
	return nil
}

// listTools reads the list of tools with the _meta of the call m, so that the
// connection knows which arguments of the tools headers repeat. It does so once.
func (s *webStream) listTools(ctx context.Context, m *jsonrpc.Message) error {
	s.mu.Lock()
	conn, known := s.conn, s.bound
	s.bound = true
	s.mu.Unlock()
	if known {
		return errors.New("the tools are known")
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	began := time.Now()
	for cursor, pages := []byte(nil), 0; ; pages++ {
		params := append([]byte(`{"_meta":`), wire.Lookup(m.Params, "_meta")...)
		if cursor != nil {
			params = append(append(params, `,"cursor":`...), cursor...)
		}
		params = append(params, '}')
		result, err := conn.Call(ctx, &jsonrpc.Request{Method: "tools/list", Params: params, HTTP: jsonrpc.HTTP{ProtocolVersion: version(m)}})
		if err != nil {
			return err
		}
		bind(conn, result)
		if cursor = wire.Lookup(result, "nextCursor"); len(cursor) == 0 || cursor[0] != '"' || pages == 100 {
			if forget := conn.Features().ForgetArguments; forget != nil {
				forget(began)
			}
			return nil
		}
	}
}

// bind makes the connection repeat arguments of the listed tools in headers.
func bind(conn jsonrpc.Conn, result jsonrpc.RawMessage) {
	f := conn.Features()
	r := wire.NewReader(wire.Lookup(result, "tools"))
	if f.BindArguments == nil || r.Kind() != wire.Array {
		return
	}
	for r.Array(); r.More(); {
		tool := r.Raw()
		if name := text(wire.Lookup(tool, "name")); name != "" {
			_ = f.BindArguments(name, wire.Lookup(tool, "inputSchema")) // the server refuses the call of a wrong one
		}
	}
}
