//go:build !linux

package proxy

import "net"

func listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }
