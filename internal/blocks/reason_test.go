package blocks_test

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TestReasonInData: many servers have the reason in the data of an error.
func TestReasonInData(t *testing.T) {
	words, long := strings.Repeat("word ", 39), strings.Repeat("x", 1000)
	for data, want := range map[string]string{
		`"city must be one of Rome, Oslo"`:       ": city must be one of Rome, Oslo",
		`{"message":"unsupported","x":1}`:        ": unsupported",
		`{"message":"a","reason":"b"}`:           ": b", // the error says a
		`{"detail":"a\u001b[31mb\nc"}`:           ": ab c",
		`{"reason":["a"]}`:                       "",
		`{"reason":"see http://u:pw@h/"}`:        ": see http://***@h/",
		`[1]`:                                    "",
		``:                                       "",
		`"` + words + long + `"`:                 ": " + strings.TrimSpace(words),
		`"` + words + `sk-secret-of-the-user"`:   ": " + strings.TrimSpace(words),
		`"` + long + `"`:                         "",
		`"` + strings.Repeat("é", 150) + `"`:     ": " + strings.Repeat("é", 100),
		`"x` + strings.Repeat("é", 150) + `"`:    ": x" + strings.Repeat("é", 99),
		`"` + strings.Repeat("a b ", 20e3) + `"`: "",
	} {
		err := diag.Op("call", &jsonrpc.Error{Code: -32602, Message: "a", Data: jsonrpc.RawMessage(data)})
		if got := blocks.Reason(err); got != want {
			t.Errorf("%.60s: %q, want %q", data, got, want)
		}
	}
	for _, code := range []int64{-32042, -32022, -32021, -32020} {
		if got := blocks.Reason(&jsonrpc.Error{Code: code, Data: jsonrpc.RawMessage(`"https://example.com/secret"`)}); got != "" {
			t.Error(code, got)
		}
	}
}
