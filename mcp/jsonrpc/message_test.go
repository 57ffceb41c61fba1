package jsonrpc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	deep := strings.Repeat("[", 127) + strings.Repeat("]", 127)
	for _, tt := range []struct{ text, id, method, params, result, err string }{
		{text: `{"jsonrpc":"2.0","method":"m"}`, method: "m"},
		{text: ` { "jsonrpc" : "2.0" , "id" : "a" , "method" : "m" , "params" : { "x" : 1 } } `, id: `"a"`, method: "m", params: `{ "x" : 1 }`},
		{text: `{"result":{},"id":1,"jsonrpc":"2.0"}`, id: "1", result: "{}"},
		{text: `{"\u006asonrpc":"\u0032.0","i\u0064":1,"result":0}`, id: "1", result: "0"},
		{text: `{"jsonrpc":"2.0","id":1,"result":null}`, id: "1", result: "null"},
		{text: `{"jsonrpc":"2.0","id":1,"result":null,"error":null}`, id: "1", result: "null"},
		{text: `{"jsonrpc":"2.0","id":1,"result":5,"error":null}`, id: "1", result: "5"},
		{text: `{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"x"},"result":null}`, id: "1", err: "x (code 2)"},
		{text: `{"jsonrpc":"2.0","id":1,"error":"quota"}`, id: "1", err: "quota"},
		{text: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, id: "null", err: "x (code -32700)"},
		{text: `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`, id: "null", err: "x (code -32700)"},
		{text: `{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,"e":1e400,"z":-0,"f":1.0}}`, id: "1", result: `{"n":9007199254740993,"e":1e400,"z":-0,"f":1.0}`},
		{text: `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`, id: "1", result: `{"a":1,"a":2}`}, // not interpreted here
		{text: `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`, id: "1", result: deep},
		// A text that was cut in the middle of a character.
		{text: `{"jsonrpc":"2.0","id":1,"result":["\ud800","\ud83d\ude00"]}`, id: "1", result: `["\ufffd","\ud83d\ude00"]`},
		{text: `{"result":["a"],"id":1,"jsonrpc":"2.0","x":"\udfff"}`, id: "1", result: `["a"]`},
		{text: `{"jsonrpc":"2.0","method":"m","params":{"a":"\ud800"}}`, method: "m", params: `{"a":"\ufffd"}`},
		{text: `{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"x\ud800"}}`, id: "1", err: "x\uFFFD (code 2)"},
		{text: `{"jsonrpc":"2.0","method":"m","params":null}`, method: "m"},
		{text: `{"jsonrpc":"2.0","id":"a","method":"m","params":null}`, id: `"a"`, method: "m"},
		// Keys in another case, with a look-alike letter or a NUL are other keys.
		{text: `{"jsonrpc":"2.0","id":1,"ID":2,"Id":3,"id\u0000":4,"re\u017Fult":5,"Result":6,"result":7,"METHOD":"m"}`, id: "1", result: "7"},
	} {
		m, err := Parse([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if m.ID.String() != tt.id || m.Method != tt.method || string(m.Params) != tt.params || string(m.Result) != tt.result ||
			(m.Error == nil) != (tt.err == "") || m.Error != nil && m.Error.Error() != tt.err {
			t.Errorf("%s: %+v", tt.text, m)
		}
	}
}

// What cannot be used fails the call that it answers, and no other.
func TestParseRecoversTheIDOfAMalformedMessage(t *testing.T) {
	for _, tt := range []struct{ text, id string }{
		// Answers, whose call must not wait.
		{`{"jsonrpc":"2.0","id":1}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":null}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":false}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":[]}}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result":1,"result":2}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"re\u017Fult":1}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result\u0000":1}`, "1"},
		{`{"id":1,"result":1}`, "1"},
		{`{"jsonrpc":"1.0","id":1,"result":1}`, "1"},
		{`{"jsonrpc":2.0,"id":1,"result":1}`, "1"},
		{`{"jsonrpc":"2.0","id":"1","result":"` + "\xff" + `"}`, `"1"`},
		{"{\"result\":\"\x01\",\"jsonrpc\":\"2.0\",\"id\":1}", "1"},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":1`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result":01}`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result":1} x`, "1"},
		{`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 100_000), "1"},
		{`{"jsonrpc":"2.0","id":1,"res`, "1"},
		// Responses without a usable id.
		{`{"jsonrpc":"2.0","result":1}`, "null"},
		{`{"jsonrpc":"2.0","id":null,"result":1,"error":{}}`, "null"},
		{`{"jsonrpc":"2.0","id":{"n":1},"result":1}`, "null"},
		{`{"result":{"a":1`, "null"},
		{`{"result":` + strings.Repeat("[", 100_000), "null"},
		// Requests of the peer: their ids are not ours.
		{`{"jsonrpc":"2.0","id":1,"method":""}`, ""},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, ""},
		{`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`, ""}, // the response would have another id
		{`{"jsonrpc":"2.0","id":1,"method":5}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{`, ""},
		{`{"jsonrpc":"2.0","id":1,"params":{"a":01},"method":"m"}`, ""},
		{`{"id":1,"method":"m"}`, ""},
		{`{"jsonrpc":"2.0","method":"m","method":"n","id":1}`, ""},
		// Neither, mostly logs on the wrong stream.
		{`{"level":"error","error":"connection refused"}`, ""},
		{`{"level":"info","id":1,"msg":"x"}`, ""},
		{`{"status":"ok","result":"done"}`, ""},
		{`{"jsonrpc":"2.0"}`, ""},
		{`{"jsonrpc":"2.0","id":null}`, ""},
		{`{}`, ""},
		{`[]`, ""},
		{`"id"`, ""},
		{`listening on port 80`, ""},
		{``, ""},
		{"\x00", ""},
	} {
		m, err := Parse([]byte(tt.text))
		if !errors.Is(err, ErrMalformed) || m.ID.String() != tt.id || m.Method != "" || m.Result != nil || m.Error != nil {
			t.Errorf("%.80q: %+v, %v; want the id %s", tt.text, m, err, tt.id)
		}
	}
}

func TestMessagesAreOneLine(t *testing.T) {
	for _, params := range []string{"", "{}", "{\n \"a\": \"b c\",\r\n\"d\": [1,\n2]}\n", "{\"a\":\r1}"} {
		b := AppendRequest(nil, NumberID(1), &Request{Method: "a\nb", Params: json.RawMessage(params)})
		wantLine(t, b)
		wantLine(t, AppendResponse(nil, StringID("\n"), json.RawMessage(params), nil))
		wantLine(t, AppendResponse(nil, NumberID(1), nil, &Error{Message: "a\r\nb", Data: json.RawMessage(params)}))
		wantLine(t, AppendRequest(nil, ID{}, &Request{Method: "\xff", Params: json.RawMessage(params)}))
	}
}

// TestMessagesHaveNoOtherLineBreaks: the readers of some servers split lines at them.
func TestMessagesHaveNoOtherLineBreaks(t *testing.T) {
	const text = "a\u2028b\u2029c\u0085d"
	for _, b := range [][]byte{
		AppendRequest([]byte("x"), NumberID(1), &Request{Method: text, Params: json.RawMessage(`{"a":"` + text + `","` + text + `":1}`)}),
		AppendResponse([]byte("x"), StringID(text), json.RawMessage(`"`+text+`"`), nil),
		AppendResponse([]byte("x"), NumberID(1), nil, &Error{Message: text, Data: json.RawMessage(`"` + text + `"`)}),
	} {
		var v any
		if strings.ContainsAny(string(b), "\u2028\u2029\u0085") || !strings.Contains(string(b), `a\u2028b\u2029c\u0085d`) || json.Unmarshal(b[1:], &v) != nil {
			t.Errorf("%q", b)
		}
	}
}

func wantLine(t *testing.T, b []byte) {
	t.Helper()
	line, ok := strings.CutSuffix(string(b), "\n")
	if _, err := Parse([]byte(line)); err != nil || !ok || strings.ContainsAny(line, "\r\n") || !json.Valid(b) {
		t.Errorf("%q: %v", b, err)
	}
}

func TestLongParamsAreCopiedOnce(t *testing.T) {
	req := &Request{Method: "m", Params: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}
	if n := testing.AllocsPerRun(5, func() { AppendRequest(nil, NumberID(1), req) }); n > 2 { // one, and one of the race detector

		t.Errorf("%v allocations", n)
	}
}
