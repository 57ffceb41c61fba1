//go:build !(goexperiment.jsonv2 && go1.27)

package jsonrpc

import "encoding/json"

// RawMessage is [json.RawMessage]: JSON text as it was received.
type RawMessage = json.RawMessage
