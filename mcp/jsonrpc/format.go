package jsonrpc

import "fmt"

// Format implements fmt.Formatter: every verb prints the method, without what Header
// and Params may keep secret. Programs that do not use package fmt do not link it.
func (r Request) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(r.Method)) }

// Format implements fmt.Formatter: every verb prints the protocol version, without what
// Header and Name may keep secret.
func (h HTTP) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(h.ProtocolVersion)) }
