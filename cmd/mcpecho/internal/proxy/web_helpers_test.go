package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/webserver"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A memory is a listener for connections in memory, for bubbles of synctest.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), done: make(chan struct{})} }

func (l *memory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *memory) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (l *memory) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// A front is a proxy with clients over HTTP.
type front struct {
	t      testing.TB
	url    string
	client *http.Client
}

// serveWeb serves h: in memory in a bubble, otherwise on a loopback address.
func serveWeb(t testing.TB, h http.Handler, bubble bool) *front {
	t.Helper()
	transport := &http.Transport{}
	var l net.Listener
	if bubble {
		memory := newMemory()
		transport.DialContext, l = memory.dial, memory
	} else {
		var err error
		if l, err = webserver.Listen("127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	s := webserver.Serve(l, h)
	f := &front{t, webserver.Base(l.Addr().String()) + "/mcp", &http.Client{Transport: transport}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
		if web, ok := h.(*Web); ok {
			web.Close()
		}
		<-s.Failed
	})
	return f
}

// do sends a request.
func (f *front) do(ctx context.Context, method, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, f.url, strings.NewReader(body))
	if err != nil {
		f.t.Error(err)
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return f.client.Do(r)
}

// messages returns the messages of a response.
func messages(resp *http.Response) (all []string, err error) {
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != eventStream {
		body, err := io.ReadAll(resp.Body)
		if len(bytes.TrimSpace(body)) > 0 {
			all = append(all, string(body))
		}
		return all, err
	}
	for r := eventstream.NewReader(resp.Body, 0); ; {
		ev, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, string(ev.Data))
	}
}

// post sends a message and returns the status and the messages of the response.
func (f *front) post(body string, header ...string) (status int, all []string) {
	f.t.Helper()
	resp, err := f.do(f.t.Context(), "POST", body, header...)
	if err != nil {
		f.t.Fatal(err)
	}
	if all, err = messages(resp); err != nil {
		f.t.Error(err)
	}
	return resp.StatusCode, all
}

// call sends a request and returns its response.
func (f *front) call(body string, header ...string) jsonrpc.Message {
	f.t.Helper()
	_, all := f.post(body, header...)
	if len(all) == 0 {
		f.t.Fatalf("no response to %s", body)
	}
	m, err := jsonrpc.Parse([]byte(all[len(all)-1]))
	if err != nil {
		f.t.Errorf("%s: %v", all, err)
	}
	return m
}

// session opens a session and returns its header.
func (f *front) session() []string {
	f.t.Helper()
	resp, err := f.do(f.t.Context(), "POST", initialize)
	if err != nil {
		f.t.Fatal(err)
	}
	all, err := messages(resp)
	id := resp.Header.Get(sessionHeader)
	if err != nil || resp.StatusCode != 200 || id == "" {
		f.t.Fatal(resp.Status, all, err)
	}
	header := []string{sessionHeader, id, versionHeader, "2025-11-25"}
	if status, all := f.post(initialized, header...); status != 202 {
		f.t.Fatal(status, all)
	}
	return header
}

// modern returns a request of the modern era, and the headers that repeat it.
func modern(id, method, name, params string) (body string, header []string) {
	meta := strings.TrimSuffix(strings.TrimPrefix(modernMeta, `{"_meta":{`), "}}")
	params = strings.Replace(strings.TrimSuffix(params, "}"), `"_meta":{`, `"_meta":{`+meta+",", 1)
	if !strings.Contains(params, meta) {
		params += `,"_meta":{` + meta + "}"
	}
	body = `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + strings.Replace(params, "{,", "{", 1) + "}}"
	header = []string{versionHeader, "2026-07-28", "Mcp-Method", method}
	if name != "" {
		header = append(header, "Mcp-Name", name)
	}
	return body, header
}
