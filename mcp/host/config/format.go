package config

import (
	"fmt"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// The Format methods keep secrets out of logs, whatever the verb is, and the
// MarshalText methods out of JSON. No type here can be decoded from such a text.

// Format implements fmt.Formatter.
func (s Server) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// Format implements fmt.Formatter.
func (c Config) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte("config.Config(" + strconv.Itoa(len(c.Servers)) + " servers, " + strconv.Itoa(len(c.Problems)) + " problems)"))
}

// Format implements fmt.Formatter.
func (a Auth) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(a.text())) }

// MarshalText implements encoding.TextMarshaler.
func (a Auth) MarshalText() ([]byte, error) { return []byte(a.text()), nil }

func (a *Auth) text() string { return "config.Auth(" + a.Type + ")" }

// Format implements fmt.Formatter.
func (o OAuth) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(o.text())) }

// MarshalText implements encoding.TextMarshaler.
func (o OAuth) MarshalText() ([]byte, error) { return []byte(o.text()), nil }

func (o *OAuth) text() string { return "config.OAuth(" + o.ClientID + ")" }

// Format implements fmt.Formatter.
func (o Override) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(o.text())) }

// MarshalText implements encoding.TextMarshaler.
func (o Override) MarshalText() ([]byte, error) { return []byte(o.text()), nil }

func (o *Override) text() string { return "config.Override(" + o.Name + ")" }

// Format implements fmt.Formatter.
func (in Input) Format(f fmt.State, _ rune) {
	text := "config.Input(" + in.ID + ")"
	if !in.Password && in.Default != "" {
		text = "config.Input(" + in.ID + ", " + strconv.Quote(in.Default) + ")"
	}
	_, _ = f.Write([]byte(text))
}

// MarshalJSON returns the fields. The Default of a Password is masked.
func (in Input) MarshalJSON() ([]byte, error) {
	o := jsonWriter{b: []byte{'{'}}
	if in.Password && in.Default != "" {
		in.Default = diag.Mask
	}
	o.settings([]setting{{"ID", &in.ID}, {"Description", &in.Description}, {"Default", &in.Default}, {"Password", &in.Password}, {"Options", &in.Options}})
	return append(o.b, '}'), nil
}
