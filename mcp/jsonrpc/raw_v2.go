//go:build goexperiment.jsonv2 && go1.27

package jsonrpc

import "encoding/json/jsontext"

// RawMessage is encoding/json's RawMessage: JSON text as it was received.
//
// From Go 1.27 on, that type is an alias of this one. Naming this one keeps
// encoding/json, which is 0.32 MB, out of programs.
type RawMessage = jsontext.Value
