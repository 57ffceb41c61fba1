package webserver

import (
	"context"
	"net"
	"syscall"
)

// userTimeout is TCP_USER_TIMEOUT, which package syscall lacks: how long the other end
// may leave data unacknowledged.
const userTimeout = 18

// listen listens at address. A client that has vanished, whose network is gone, is
// noticed after unackedTime and not only after the quarter of an hour of the system.
func listen(address string) (net.Listener, error) {
	c := net.ListenConfig{Control: func(_, _ string, conn syscall.RawConn) error {
		return conn.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(unackedTime.Milliseconds()))
		})
	}}
	return c.Listen(context.Background(), "tcp", address)
}
