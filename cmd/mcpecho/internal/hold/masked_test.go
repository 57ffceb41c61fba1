package hold

import "testing"

// TestTraceMasked: a recording shows what the holder has masked, and no question of the server.
func TestTraceMasked(t *testing.T) {
	got := ""
	trace := traceMasked(func(sent bool, data []byte) { got += string(data) + "\n" })
	for _, m := range []struct {
		sent bool
		text string
	}{
		{true, `{"id":1,"method":"tools/call","params":{"a":1}}`},
		{false, `{"method":"\u0000mcpecho/masked","params":{"id":1,"result":"***"}}`},
		{false, `{"id":1,"result":"secret"}`},
		{false, `{"method":"plain"}`},
		{true, `{"id":2,"method":"elicitation/create","params":{"message":"secret"}}`},
	} {
		trace(m.sent, []byte(m.text))
	}
	const want = `{"id":1,"method":"tools/call","params":{"a":1}}
{"id":1,"result":"***"}
{"method":"plain"}
{"jsonrpc":"2.0","id":2,"method":"elicitation/create"}
`
	if got != want {
		t.Error(got)
	}
}
