package testutil

import (
	"net"
	"testing"
)

// Refusing returns an address of this machine that refuses connections until the
// test ends. The address of a listener that is closed may be that of another one
// at once; this one is in use by a connection.
func Refusing(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("tcp", l.Addr().String())
	Must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}
