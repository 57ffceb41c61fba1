package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/lab/peers/library"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// The messages of bare sessions, which parse nothing that they receive.
const (
	bareInit     = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bare","version":"1"}}}`
	bareNote     = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	bareDiscover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + bareMeta + `}}`
	bareList     = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	bareMeta     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bare","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
)

func bareCall(tool string, args map[string]any, modern bool) []byte {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	meta := ""
	if modern {
		meta = "," + bareMeta
	}
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + string(raw) + meta + `}}`)
}

// An exchanger sends a message and returns the length of the response.
type exchanger interface {
	exchange(msg []byte) (int, error)
	send(msg []byte) error // sends a notification
	Close() error
}

// bare is the floor: a session that sends the same bytes over the same connection.
type bare struct {
	exchanger
	modern bool

	mu    sync.Mutex
	calls map[string][]byte // by tool
}

func connectBare(_ context.Context, t *target) (library.Session, error) {
	ex, err := openBare(t)
	if err != nil {
		return nil, err
	}
	s := &bare{exchanger: ex, modern: t.modern, calls: make(map[string][]byte)}
	if t.modern {
		_, err = ex.exchange([]byte(bareDiscover))
	} else if _, err = ex.exchange([]byte(bareInit)); err == nil {
		err = ex.send([]byte(bareNote))
	}
	if err != nil {
		return nil, errors.Join(err, ex.Close())
	}
	if p, ok := ex.(*barePipe); ok {
		return pipelined{s, p}, nil
	}
	return s, nil
}

func openBare(t *target) (exchanger, error) {
	switch t.transport {
	case "stdio":
		return newBarePipe(t.Command)
	case "sse":
		return newBareStream(t.URL)
	}
	h := newBareHTTP(t.URL)
	if t.shared {
		h.client = http.DefaultClient
	}
	return h, nil
}

func (s *bare) Call(_ context.Context, tool string, args map[string]any) (library.Content, error) {
	s.mu.Lock()
	msg := s.calls[tool]
	if msg == nil {
		msg = bareCall(tool, args, s.modern)
		s.calls[tool] = msg
	}
	s.mu.Unlock()
	n, err := s.exchange(msg)
	return library.Content{Size: n}, err
}

func (s *bare) List(context.Context) (int, error) { return s.exchange([]byte(bareList)) }

// A pipelined session makes several calls at once over one pipe, without a
// goroutine for each.
type pipelined struct {
	*bare
	pipe *barePipe
}

// Batch writes n calls at once and reads the responses meanwhile, as the server
// does not continue to read while its output is blocked.
func (s pipelined) Batch(_ context.Context, n int) error {
	line := append(bareCall("echo", arguments, s.modern), '\n')
	written := make(chan error, 1)
	go func() { // ends with the write, or with the pipe
		_, err := s.pipe.In.Write(bytes.Repeat(line, n))
		written <- err
	}()
	for range n {
		if _, err := s.pipe.line(); err != nil {
			return err
		}
	}
	return <-written
}

// A barePipe is a process and its pipes.
type barePipe struct {
	*process.Process
	buf []byte
}

func newBarePipe(command []string) (*barePipe, error) {
	p, err := process.Start(exec.Command(command[0], command[1:]...))
	return &barePipe{Process: p}, err
}

func (p *barePipe) send(msg []byte) error {
	p.buf = append(append(p.buf[:0], msg...), '\n')
	_, err := p.In.Write(p.buf)
	return err
}

func (p *barePipe) exchange(msg []byte) (int, error) {
	if err := p.send(msg); err != nil {
		return 0, err
	}
	return p.line()
}

// line reads a line and returns its length.
func (p *barePipe) line() (n int, err error) {
	for {
		part, err := p.Out.ReadSlice('\n')
		if n += len(part); err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

// A handedPipe reads in a goroutine of its own, which hands each response to the
// caller.
type handedPipe struct {
	*barePipe
	answers chan int // lengths; closed at the end of the pipe
}

func connectHanded(ctx context.Context, t *target) (library.Session, error) {
	s, err := connectBare(ctx, t)
	if err != nil {
		return nil, err
	}
	b := s.(pipelined)
	h := &handedPipe{b.pipe, make(chan int)}
	b.exchanger = h
	go func() { // ends with the pipe
		defer close(h.answers)
		for {
			n, err := h.line()
			if err != nil {
				return
			}
			h.answers <- n
		}
	}()
	return b.bare, nil
}

func (h *handedPipe) exchange(msg []byte) (int, error) {
	if err := h.send(msg); err != nil {
		return 0, err
	}
	n, ok := <-h.answers
	if !ok {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

func (h *handedPipe) Close() error {
	h.In.Close()
	for range h.answers {
	}
	return h.Wait()
}

// A bareHTTP sends each message in a POST.
type bareHTTP struct {
	client *http.Client
	url    string
}

func newBareHTTP(url string) *bareHTTP {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 1000
	return &bareHTTP{&http.Client{Transport: t}, url}
}

func (h *bareHTTP) exchange(msg []byte) (int, error) {
	req, err := http.NewRequest("POST", h.url, bytes.NewReader(msg))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	return int(n), err
}

func (h *bareHTTP) send(msg []byte) error {
	_, err := h.exchange(msg)
	return err
}

func (h *bareHTTP) Close() error {
	if h.client != http.DefaultClient {
		h.client.CloseIdleConnections()
	}
	return nil
}

// A bareStream posts messages and reads the responses from a stream.
type bareStream struct {
	bareHTTP
	body io.Closer

	reading sync.Mutex
	events  *bufio.Reader
}

func newBareStream(url string) (*bareStream, error) {
	s := &bareStream{bareHTTP: *newBareHTTP(url)}
	resp, err := s.client.Get(url)
	if err != nil {
		return nil, err
	}
	s.body, s.events = resp.Body, bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		line, err := s.events.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if path, ok := strings.CutPrefix(line, "data: "); ok {
			s.url = strings.TrimSuffix(url, "/mcp") + strings.TrimSpace(path)
			_, err := s.events.ReadString('\n')
			return s, err
		}
	}
}

// exchange posts a message and waits for any event, as all are alike.
func (s *bareStream) exchange(msg []byte) (n int, err error) {
	if err := s.send(msg); err != nil {
		return 0, err
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	for {
		line, err := s.events.ReadSlice('\n')
		if err == nil && len(line) == 1 {
			return n, nil
		}
		if n += len(line); err != nil && err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

func (s *bareStream) Close() error {
	s.body.Close()
	return s.bareHTTP.Close()
}
