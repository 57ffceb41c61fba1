// Package one has the shared parts of programs that make one call.
package one

import "os"

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// Result prints the result of the call and waits until standard input is
// closed, so that the memory of the program can be measured.
func Result(text string) {
	os.Stdout.WriteString(text + "\n")
	os.Stdin.Read(make([]byte, 1))
}

// The messages of the programs without a library.
const (
	Initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"one","version":"1"}}}`
	Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	Call        = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`
)

// A Request is the same for encoding/json.
type Request struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      int            `json:"id,omitempty"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params,omitempty"`
}

// Requests returns the three messages.
func Requests() []*Request {
	return []*Request{
		{"2.0", 1, "initialize", map[string]any{"protocolVersion": "2025-11-25",
			"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "one", "version": "1"}}},
		{"2.0", 0, "notifications/initialized", nil},
		{"2.0", 2, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"message": "hello"}}},
	}
}

// A Response is the result of a call.
type Response struct {
	Result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}
