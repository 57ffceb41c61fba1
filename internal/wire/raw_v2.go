//go:build goexperiment.jsonv2 && go1.27

package wire

import "encoding/json/jsontext"

// rawMessage is json.RawMessage, which is an alias of this type from Go 1.27 on.
// Naming it here as json.RawMessage would link encoding/json: 0.3 MB.
type rawMessage = jsontext.Value
