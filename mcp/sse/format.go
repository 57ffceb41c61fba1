package sse

import "fmt"

// The Format methods keep the headers and the URL's password out of logs, whatever
// the verb is, and the MarshalText methods out of JSON. Neither type can be decoded
// from such a text.

// Format implements fmt.Formatter.
func (o Options) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("sse.Options")) }

// MarshalText implements encoding.TextMarshaler.
func (o Options) MarshalText() ([]byte, error) { return []byte("sse.Options"), nil }

// Format implements fmt.Formatter.
func (t Transport) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// MarshalText implements encoding.TextMarshaler.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
