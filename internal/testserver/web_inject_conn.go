package testserver

import (
	"context"
	"io"
	"net"
	"net/http"
)

// hijack takes over the connection, which is closed when the server is. If the
// connection is HTTP/2, hijack resets the stream instead.
func (x *exchange) hijack() net.Conn {
	conn, _, err := x.ctl.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	context.AfterFunc(x.h.ctx, func() { _ = conn.Close() })
	return conn
}

func (x *exchange) reset() {
	conn := x.hijack()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // RST instead of FIN
	}
	_ = conn.Close()
}

// endServer ends the server as the end of its process does.
func (x *exchange) endServer() {
	if x.h.down != nil {
		x.h.down()
	}
	x.reset()
}

// bare sends bytes in place of a response and closes the connection.
func bare(text string) func(*exchange) {
	return func(x *exchange) {
		text := x.expand(text)
		conn := x.hijack()
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func (x *exchange) endlessHeader() {
	conn := x.hijack()
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Endless: ")
	if x.repeat(conn, "x") {
		_, _ = io.Copy(io.Discard, conn) // until the client closes it
	}
}

// trickleHeader sends a byte of the header every Delay.
func (x *exchange) trickleHeader() {
	conn := x.hijack()
	defer conn.Close()
	go func() { // ends with the connection
		_, _ = io.Copy(io.Discard, conn)
		x.cancel()
	}()
	const line = "X: 1\r\n"
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
	for i := 0; x.wait(x.h.srv.opts.Delay); i++ {
		_, _ = io.WriteString(conn, line[i%len(line):][:1])
	}
}
