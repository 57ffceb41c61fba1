// Package webserver serves the clients of mcpecho over HTTP.
package webserver

import (
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	headerTime  = 10 * time.Second // for the header of a request
	maxHeader   = 64 << 10         // bytes
	idleTime    = 10 * time.Minute // of a connection without a request
	unackedTime = time.Minute      // after which a client that has vanished is noticed, where the system can
)

// A Server serves clients over HTTP.
type Server struct {
	Failed chan error // receives the error with which it ends
	server *http.Server
	ended  chan struct{}
}

// Listen listens at address, which is host:port, or a port of 127.0.0.1.
func Listen(address string) (net.Listener, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	return listen(address)
}

// Base returns the scheme and host of the URL of a listener at address, for clients on
// this machine: localhost if it listens on all addresses.
func Base(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err == nil && net.ParseIP(host).IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + address
}

// Serve serves until Close.
func Serve(l net.Listener, h http.Handler) *Server {
	s := &Server{Failed: make(chan error, 1), ended: make(chan struct{})}
	s.server = &http.Server{Handler: h, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { // ends with Close
		s.Failed <- s.server.Serve(l)
		close(s.ended)
	}()
	return s
}

// Close disconnects all clients.
func (s *Server) Close() {
	_ = s.server.Close()
	<-s.ended
}

// IsLoopback reports whether only programs on this machine can connect to address.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // a port alone
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
