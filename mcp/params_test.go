package mcp_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
)

// TestArguments checks what a server receives for the arguments of a program.
func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		args any
		want string
	}{
		{nil, `{}`},
		{json.RawMessage(nil), `{}`},
		{json.RawMessage{}, `{}`},
		{json.RawMessage("null"), `{}`},
		{[]byte{}, `{}`},
		{[]byte("null"), `{}`},
		{map[string]any(nil), `{}`},
		{json.RawMessage(`{"a":1}`), `{"a":1}`},
		{[]byte(`{"a":1}`), `{"a":1}`},
		{map[string]string{"a": "1"}, `{"a":"1"}`},
		{map[string]int{"a": 1}, `{"a":1}`},
		{map[string]float64{"a": 0.5}, `{"a":0.5}`},
		{map[string]bool{"a": true}, `{"a":true}`},
		{map[string]json.RawMessage{"a": json.RawMessage("1.0")}, `{"a":1.0}`},
		{map[string]any{"a": map[string]json.RawMessage{"b": json.RawMessage("1.0")}}, `{"a":{"b":1.0}}`},
		{map[string][]string{"a": {"b"}}, `{"a":["b"]}`},
		{map[string]map[string]any{"a": {"b": int64(1)}}, `{"a":{"b":1}}`},
		{map[string]any{"a": []string{"b"}}, `{"a":["b"]}`},
		{map[string]any{"a": []map[string]any{{"b": []int{1, 2}}}, "c": map[string]string{"d": "e"}}, `{"a":[{"b":[1,2]}],"c":{"d":"e"}}`},
		{map[string]any{"a": int64(1 << 53), "b": uint8(1), "c": float32(0.5), "d": nil, "e": true}, `{"a":9007199254740992,"b":1,"c":0.5,"d":null,"e":true}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, legacy, func(p *peer, m request) { p.answer(m, done) })
			c := connectStream(t, rwc, nil)
			if _, err := c.CallTool(t.Context(), "any", tt.args); err != nil {
				t.Fatalf("%T %v: %v", tt.args, tt.args, err)
			}
			if _, err := c.Call(t.Context(), "x/y", tt.args); err != nil {
				t.Fatalf("params %T %v: %v", tt.args, tt.args, err)
			}
			if got := string(p.messages("tools/call")[0].Params.Arguments); got != tt.want {
				t.Errorf("%T %v is sent as %s, want %s", tt.args, tt.args, got, tt.want)
			}
		})
	}
}
