package mcptest

import "fmt"

// Format implements fmt.Formatter. It prints no variables.
func (p Program) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.Path)) }

// MarshalText implements encoding.TextMarshaler.
func (p Program) MarshalText() ([]byte, error) { return []byte(p.Path), nil }

// Format implements fmt.Formatter.
func (o ReplayOptions) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("mcptest.ReplayOptions")) }

// MarshalText implements encoding.TextMarshaler.
func (o ReplayOptions) MarshalText() ([]byte, error) { return []byte("mcptest.ReplayOptions"), nil }
