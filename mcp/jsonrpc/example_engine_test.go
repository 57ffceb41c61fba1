package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Messages end with a line feed.
func ExampleAppendRequest() {
	b := jsonrpc.AppendRequest(nil, jsonrpc.NumberID(1), &jsonrpc.Request{Method: "ping"})
	fmt.Print(string(b))
	b = jsonrpc.AppendRequest(nil, jsonrpc.ID{}, &jsonrpc.Request{Method: "notifications/initialized"})
	fmt.Print(string(b))
	b = jsonrpc.AppendResponse(nil, jsonrpc.StringID("a"), jsonrpc.RawMessage(`{}`), nil)
	fmt.Print(string(b))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"ping"}
	// {"jsonrpc":"2.0","method":"notifications/initialized"}
	// {"jsonrpc":"2.0","id":"a","result":{}}
}

func ExampleOutcomeUnknown() {
	unsent := jsonrpc.Closed(io.ErrUnexpectedEOF)
	fmt.Println(errors.Is(unsent, jsonrpc.ErrClosed), errors.Is(unsent, jsonrpc.ErrOutcomeUnknown))
	sent := jsonrpc.OutcomeUnknown(unsent) // the peer may have carried it out
	fmt.Println(errors.Is(sent, jsonrpc.ErrClosed), errors.Is(sent, jsonrpc.ErrOutcomeUnknown))
	// Output:
	// true false
	// true true
}
