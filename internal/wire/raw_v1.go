//go:build !(goexperiment.jsonv2 && go1.27)

package wire

import "encoding/json"

// rawMessage is json.RawMessage.
type rawMessage = json.RawMessage
