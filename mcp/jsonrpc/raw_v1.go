//go:build !(goexperiment.jsonv2 && go1.27)

package jsonrpc

import "encoding/json"

// RawMessage is [json.RawMessage]: a JSON value as it was written.
type RawMessage = json.RawMessage
