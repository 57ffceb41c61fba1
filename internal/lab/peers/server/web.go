package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/stdmcp/stdmcp/internal/lab/peers/answers"
)

// A webServer implements the part of HTTP/1.1 that Go clients send.
type webServer struct {
	kind    string // json, events, sse, tls or http2
	answers *answers.Answerer

	mu       sync.Mutex
	sessions int                     // of HTTP+SSE, so far
	streams  map[string]*eventStream // by the path that messages of the session go to
}

// An eventStream is the stream of responses of HTTP+SSE.
type eventStream struct {
	mu   sync.Mutex
	conn net.Conn
}

func (s *webServer) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			os.Stderr.WriteString("server: " + err.Error() + "\n")
			os.Exit(1)
		}
		go func() { // ends with the connection
			defer conn.Close()
			_ = s.serveConn(conn) // the client closes connections in several ways
		}()
	}
}

// A request holds the parts of an HTTP request that the server uses.
type request struct {
	method, path string
	body         []byte
}

func (s *webServer) serveConn(conn net.Conn) error {
	r := bufio.NewReaderSize(conn, 16<<10)
	var req request
	var msg, out []byte
	for {
		if err := req.read(r); err != nil {
			return err
		}
		switch {
		case req.method == "GET" && s.kind == "sse":
			return s.stream(conn, r)
		case req.method == "DELETE":
			out = append(out[:0], "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"...)
		case req.method != "POST":
			out = append(out[:0], "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"...)
		default:
			msg = s.answers.Append(msg[:0], req.body)
			if s.kind == "sse" {
				if _, err := conn.Write([]byte("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")); err != nil {
					return err
				}
				if err := s.send(req.path, msg); err != nil {
					return err
				}
				continue
			}
			out = s.appendResponse(out[:0], &req, msg)
		}
		if _, err := conn.Write(out); err != nil {
			return err
		}
	}
}

// appendResponse appends the response that holds msg.
func (s *webServer) appendResponse(b []byte, req *request, msg []byte) []byte {
	if len(msg) == 0 {
		return append(b, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"...)
	}
	b = append(b, "HTTP/1.1 200 OK\r\n"...)
	if !s.answers.Modern && answers.Method(req.body) == "initialize" {
		b = append(b, "Mcp-Session-Id: 1868a90c\r\n"...)
	}
	if s.kind != "events" {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = append(strconv.AppendInt(b, int64(len(msg)), 10), "\r\n\r\n"...)
		return append(b, msg...)
	}
	b = append(b, "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"...)
	b = appendEvent(b, "message", msg)
	return append(b, "0\r\n\r\n"...)
}

// appendEvent appends an event as a chunk.
func appendEvent(b []byte, kind string, data []byte) []byte {
	const around = len("event: \ndata: \n\n")
	b = strconv.AppendInt(b, int64(around+len(kind)+len(data)), 16)
	b = append(append(append(b, "\r\nevent: "...), kind...), "\ndata: "...)
	return append(append(b, data...), "\n\n\r\n"...)
}

// stream serves an event stream until the client closes the connection.
func (s *webServer) stream(conn net.Conn, r io.Reader) error {
	out := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
	s.mu.Lock()
	s.sessions++
	path := "/message?session=" + strconv.Itoa(s.sessions)
	s.streams[path] = &eventStream{conn: conn}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, path)
		s.mu.Unlock()
	}()
	if _, err := conn.Write(appendEvent(out, "endpoint", []byte(path))); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r)
	return err
}

// send sends a response over the stream of a session.
func (s *webServer) send(path string, msg []byte) error {
	s.mu.Lock()
	stream := s.streams[path]
	s.mu.Unlock()
	if stream == nil {
		return errors.New("no such session: " + path)
	}
	if len(msg) == 0 {
		return nil
	}
	out := appendEvent(nil, "message", msg)
	stream.mu.Lock()
	defer stream.mu.Unlock()
	_, err := stream.conn.Write(out)
	return err
}

// read reads the next request.
func (req *request) read(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	words := strings.Fields(string(line))
	if len(words) != 3 {
		return errors.New("not HTTP")
	}
	req.method, req.path = words[0], words[1]
	length := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if !ok {
			break
		}
		switch strings.ToLower(string(name)) {
		case "content-length":
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		case "transfer-encoding":
			return errors.New("a request without a length")
		}
	}
	if cap(req.body) < length {
		req.body = make([]byte, length)
	}
	req.body = req.body[:length]
	_, err = io.ReadFull(r, req.body)
	return err
}
