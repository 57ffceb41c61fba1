package stdio

import "fmt"

// Format implements fmt.Formatter: every verb prints what String returns, without
// the secrets of Args and Env. Programs that do not use package fmt do not link it.
func (t Transport) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// MarshalText implements encoding.TextMarshaler. No Transport can be decoded from
// the text.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
