//go:build !goexperiment.jsonv2

package jsonrpc

import "encoding/json"

// RawMessage is [json.RawMessage]: a JSON value as it was written.
type RawMessage = json.RawMessage
