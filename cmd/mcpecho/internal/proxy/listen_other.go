//go:build !linux

package proxy

import "net"

// listen listens at address.
func listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }
