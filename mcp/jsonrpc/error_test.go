package jsonrpc

import (
	"encoding/json"
	"errors"
	"io"
	"testing"
)

func TestErrorFromJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"code":-32601,"message":"no such method"}`, "no such method (code -32601)"},
		{`{"code":7,"message":"a","data":{"x":1e400}}`, "a (code 7)"},
		{`{"code":-3.2601e4,"message":"a"}`, "a (code -32601)"},
		{`{"message":null,"code":-1}`, "error without a message (code -1)"},
		{`"quota exceeded"`, "quota exceeded"},
		{`{"code":-32602,"message":"MCP error -32602: no such tool"}`, "MCP error -32602: no such tool"},
		{`{"code":-32602,"message":"MCP error -32603: no such tool"}`, "MCP error -32603: no such tool (code -32602)"},
		{`{"code":7,"message":"7: a"}`, "7: a (code 7)"},
		{`{}`, "error without a message"},
		{`{"code":"ENOENT","message":"no file"}`, "no file"}, // as some servers have it
		{`{"code":"-32001","message":"no"}`, "no (code -32001)"},
		{`{"code":null,"message":"no"}`, "no"},
		{`{"Code":5,"CODE":6,"me\u017Fsage":"x"}`, "error without a message"},
	} {
		var e Error
		if err := json.Unmarshal([]byte(tt.text), &e); err != nil || e.Error() != tt.want {
			t.Errorf("%s: %q, %v", tt.text, e.Error(), err)
		}
	}
	for _, text := range []string{`null`, `5`, `[]`, `{"code":1.5}`, `{"code":1,"code":2}`, `{"message":5}`, `{} {}`} {
		e := Error{Code: 1}
		if err := e.UnmarshalJSON([]byte(text)); err == nil || e.Code != 1 {
			t.Errorf("%s accepted: %v", text, e)
		}
	}
}

func TestErrorKeepsItsData(t *testing.T) {
	text := `{"code":1,"message":"m","data":{"a": [1.0, 9007199254740993]}}`
	buf := []byte(text)
	var e Error
	if err := e.UnmarshalJSON(buf); err != nil {
		t.Fatal(err)
	}
	clear(buf)
	if b, err := e.MarshalJSON(); err != nil || string(b) != text {
		t.Errorf("%s, %v", b, err)
	}
	e.Data = json.RawMessage{}
	if b, _ := e.MarshalJSON(); string(b) != `{"code":1,"message":"m"}` {
		t.Errorf("with empty data: %s", b)
	}
}

func TestClosedMatchesErrClosedAndItsCause(t *testing.T) {
	err := Closed(io.ErrUnexpectedEOF)
	if !errors.Is(err, ErrClosed) || !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "connection closed: unexpected EOF" {
		t.Errorf("%v", err)
	}
	if again := Closed(err); again != err {
		t.Errorf("closed twice: %v", again)
	}
	if Closed(nil) != ErrClosed || Closed(ErrClosed) != ErrClosed {
		t.Error("without a cause it is not ErrClosed")
	}
	if errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, ErrTooLarge) {
		t.Error("matches what it is not")
	}
}
