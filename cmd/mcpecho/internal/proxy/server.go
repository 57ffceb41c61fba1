package proxy

import (
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

// headerTime limits how long a client may take to send the header of a request.
const headerTime = 10 * time.Second

// A Server serves a front over HTTP.
type Server struct {
	Base   string     // the scheme and host of its URL
	Failed chan error // receives the error with which it ends
	server *http.Server
}

// Start listens at address, which is host:port, or a port of 127.0.0.1.
func Start(address string, h http.Handler) (*Server, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	l, err := listen(address)
	if err != nil {
		return nil, err
	}
	return serve(l, h), nil
}

func serve(l net.Listener, h http.Handler) *Server {
	s := &Server{Base: "http://" + l.Addr().String(), Failed: make(chan error, 1)}
	if host, port, err := net.SplitHostPort(l.Addr().String()); err == nil && net.ParseIP(host).IsUnspecified() {
		s.Base = "http://" + net.JoinHostPort("localhost", port) // for clients on this machine
	}
	s.server = &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { s.Failed <- s.server.Serve(l) }() // ends with Close
	return s
}

// Close disconnects all clients.
func (s *Server) Close() { _ = s.server.Close() }

// IsLoopback reports whether only programs on this machine can connect to address.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // a port alone
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
