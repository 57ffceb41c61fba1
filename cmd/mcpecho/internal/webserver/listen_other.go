//go:build !linux

package webserver

import "net"

func listen(address string) (net.Listener, error) { return net.Listen("tcp", address) }
