package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// toolsPerServer is how many tools the server lists.
const toolsPerServer = 10

// A server answers the requests of every client, over any transport and in both
// eras.
type server struct {
	mu      sync.Mutex
	held    []func() // respond to the calls of the tool hold
	waiting []waiter // for calls of the tool held
	streams map[string]chan []byte
}

// A waiter responds when as many calls are held.
type waiter struct {
	calls   int
	respond func()
}

type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments struct{ Calls int }
	}
}

// answer calls respond, possibly later, with the response to a request, or at
// once with nil for a notification.
func (s *server) answer(msg []byte, respond func([]byte)) {
	var r request
	if err := json.Unmarshal(msg, &r); err != nil {
		respond([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`))
		return
	}
	if r.ID == nil {
		respond(nil)
		return
	}
	result := func(members string) {
		respond(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}`, r.ID, members))
	}
	text := func() { result(`"content":[{"type":"text","text":"done"}]`) }
	switch r.Method {
	case "initialize":
		result(`"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scale","version":"1"}`)
	case "server/discover":
		result(`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"`)
	case "tools/list":
		var tools []string
		for i := range toolsPerServer {
			tools = append(tools, fmt.Sprintf(`{"name":"tool%d","description":"Does the work of number %d.","inputSchema":{"type":"object","properties":{"calls":{"type":"integer"}}}}`, i, i))
		}
		result(`"tools":[` + strings.Join(tools, ",") + `],"ttlMs":0,"cacheScope":"private"`)
	case "ping":
		respond(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID))
	case "tools/call":
		s.call(&r, text)
	default:
		respond(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, r.ID))
	}
}

// call carries out a tool. hold responds at the next release, held as soon as a
// number of calls is held.
func (s *server) call(r *request, respond func()) {
	s.mu.Lock()
	var ready []func()
	switch r.Params.Name {
	case "hold":
		s.held = append(s.held, respond)
	case "held":
		s.waiting = append(s.waiting, waiter{r.Params.Arguments.Calls, respond})
	case "release":
		ready, s.held = append(s.held, respond), nil
	default:
		ready = []func(){respond}
	}
	kept := s.waiting[:0]
	for _, w := range s.waiting {
		if len(s.held) >= w.calls {
			ready = append(ready, w.respond)
		} else {
			kept = append(kept, w)
		}
	}
	s.waiting = kept
	s.mu.Unlock()
	for _, f := range ready {
		f()
	}
}

// serveLines serves a client of the stdio transport.
func (s *server) serveLines(in io.Reader, out io.Writer) {
	r, mu := bufio.NewReaderSize(in, 1<<10), sync.Mutex{}
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		s.answer(line, func(b []byte) {
			if b != nil {
				mu.Lock()
				defer mu.Unlock()
				_, _ = out.Write(append(b, '\n')) // the client may be gone
			}
		})
	}
}

// serveUnix serves every connection of l.
func (s *server) serveUnix(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() { // ends with the connection
			defer c.Close()
			s.serveLines(c, c)
		}()
	}
}

// ServeHTTP serves Streamable HTTP at /mcp and HTTP+SSE at /sse.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet:
		s.serveStream(w, r)
		return
	case r.Method != http.MethodPost:
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	done := make(chan []byte, 1)
	s.answer(body, func(b []byte) { done <- b })
	if session := r.URL.Query().Get("session"); session != "" {
		s.mu.Lock()
		stream := s.streams[session]
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
		go func() { // ends with the response to the call
			if b := <-done; b != nil && stream != nil {
				stream <- b
			}
		}()
		return
	}
	b := <-done
	if b == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(string(body), `"initialize"`) {
		w.Header().Set("Mcp-Session-Id", "s")
	}
	_, _ = w.Write(b) // the client may be gone
}

// serveStream serves a stream until the client closes it.
func (s *server) serveStream(w http.ResponseWriter, r *http.Request) {
	flush := w.(http.Flusher).Flush
	w.Header().Set("Content-Type", "text/event-stream")
	var stream chan []byte
	if r.URL.Path == "/sse" {
		stream = make(chan []byte, 64)
		s.mu.Lock()
		session := fmt.Sprint(len(s.streams) + 1)
		s.streams[session] = stream
		s.mu.Unlock()
		fmt.Fprintf(w, "event: endpoint\ndata: /message?session=%s\n\n", session)
	}
	flush()
	for {
		select {
		case b := <-stream:
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", b)
			flush()
		case <-r.Context().Done():
			return
		}
	}
}
