package failure

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestReasonInData: many servers have the reason in the data of an error.
func TestReasonInData(t *testing.T) {
	for data, want := range map[string]string{
		`"city must be one of Rome, Oslo"`: "Invalid params (code -32602): city must be one of Rome, Oslo",
		`{"message":"unsupported","x":1}`:  "Invalid params (code -32602): unsupported",
		`{"detail":"a\u001b[31mb"}`:        "Invalid params (code -32602): ab",
		`{"reason":["a"]}`:                 "Invalid params (code -32602)",
		`[1]`:                              "Invalid params (code -32602)",
		``:                                 "Invalid params (code -32602)",
	} {
		f := Classify(&jsonrpc.Error{Code: -32602, Message: "Invalid params", Data: jsonrpc.RawMessage(data)})
		if f.Message != want {
			t.Errorf("%s: %s", data, f.Message)
		}
	}
	long := Classify(&jsonrpc.Error{Code: 1, Message: "m", Data: jsonrpc.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)})
	if len(long.Message) > 230 {
		t.Errorf("%d bytes", len(long.Message))
	}
	if f := Classify(&jsonrpc.Error{Code: -32042, Message: "m", Data: jsonrpc.RawMessage(`"https://example.com/secret"`)}); strings.Contains(f.Message, "secret") {
		t.Error(f.Message)
	}
}
