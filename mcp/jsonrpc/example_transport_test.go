package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// What a transport writes that has messages of its own, each with a line break.
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

// The errors of a transport's connection.
func ExampleOutcomeUnknown() {
	sent := jsonrpc.OutcomeUnknown(jsonrpc.Closed(io.ErrUnexpectedEOF)) // a call that may have been acted on
	fmt.Println(errors.Is(sent, jsonrpc.ErrClosed), errors.Is(sent, jsonrpc.ErrOutcomeUnknown))
	unsent := jsonrpc.Closed(io.ErrUnexpectedEOF) // one that can't have been
	fmt.Println(errors.Is(unsent, jsonrpc.ErrClosed), errors.Is(unsent, jsonrpc.ErrOutcomeUnknown))
	odd := jsonrpc.Malformed(errors.New("the answer is no object"))
	fmt.Println(errors.Is(odd, jsonrpc.ErrMalformed))
	// Output:
	// true true
	// true false
	// true
}
