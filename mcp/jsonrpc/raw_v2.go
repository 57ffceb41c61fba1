//go:build goexperiment.jsonv2 && go1.27

package jsonrpc

import "encoding/json/jsontext"

// RawMessage is encoding/json's RawMessage: a JSON value as it was written.
//
// From Go 1.27 on that type is an alias of this one, and naming it here
// instead keeps encoding/json, which has 0.32 MB, out of programs.
type RawMessage = jsontext.Value
