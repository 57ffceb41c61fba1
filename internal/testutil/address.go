package testutil

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreeAddress returns an address of this machine where no process listens. No system
// gives the port to a process that asks for any port, so that it stays free on a busy machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(15000+rand.IntN(15000))); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}
