package ticket

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// peerUID returns the uid of the process at the other end of a connection over IPv4 within
// this machine, or -1 if the kernel has no such process. It is not known if the kernel
// does not list its connections.
func peerUID(peer, own string) (uid int, known bool) {
	from, to := kernelAddress(peer), kernelAddress(own)
	for _, list := range [...]string{"/proc/net/tcp", "/proc/net/tcp6"} { // a socket of IPv6 can connect to IPv4
		text, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		known = true
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 7 && strings.HasSuffix(f[1], from) && strings.HasSuffix(f[2], to) {
				if uid, err := strconv.Atoi(f[7]); err == nil {
					return uid, true
				}
			}
		}
	}
	return -1, known
}

// kernelAddress returns an address of IPv4 and its port as the kernel lists them.
func kernelAddress(s string) string {
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		return " "
	}
	ip := a.Addr().Unmap().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip[:]), a.Port())
}
