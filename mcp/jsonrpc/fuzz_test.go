package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/wire"
)

var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}`,
	`{"result":{},"jsonrpc":"2.0","id":"2"}`,
	` { "id" : 1.0 , "jsonrpc" : "2.0" , "result" : [ 1e400 , -0 , 9007199254740993 ] } `,
	`{"jsonrpc":"2.0","id":-0,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1e3,"method":"m","params":{"a":"\u00e9\ud83d\ude00"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[null]}}`,
	`{"jsonrpc":"2.0","id":1,"error":"quota","result":null}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
	`{"\u006asonrpc":"\u0032.0","i\u0064":"\u0031","result":0}`,
	`{"jsonrpc":"2.0","id":1,"ID":2,"re` + "\u017f" + `ult":1,"result\u0000":2,"result":3}`,
	`{"jsonrpc":"2.0","id":1,"result":1,"result":2}`,
	`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`,
	`{"jsonrpc":"2.0","id":1}`,
	`{"jsonrpc":"2.0","id":1,"result":"` + "\xff" + `"}`,
	`{"jsonrpc":"2.0","id":1,"result":"\ud800"}`,
	`{"jsonrpc":"2.0","method":"m","params":null}`,
	`{"jsonrpc":"2.0","id":1,"result":{"a":`,
	`{"jsonrpc":"2.0","id":9223372036854775808,"result":1}`,
	`{"jsonrpc":"2.0","id":{},"result":` + strings.Repeat("[", 130) + strings.Repeat("]", 130) + `}`,
	`[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":"2","result":2},{"jsonrpc":"2.0","method":"m"},3]`,
	`{"level":"error","id":1,"error":"a log"}`,
	`listening on port 80`,
	``,
}

// FuzzParse compares Parse with what encoding/json makes of the same text.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		m, err := Parse(data)
		if !bytes.Equal(data, before) {
			t.Fatal("Parse changed its input")
		}
		var members map[string]json.RawMessage // exact keys, unlike a struct
		jsonErr := json.Unmarshal(data, &members)
		if err != nil {
			if !errors.Is(err, ErrMalformed) || m.Method != "" || m.Params != nil || m.Result != nil || m.Error != nil {
				t.Fatalf("%v, but %+v", err, m)
			}
			// encoding/json replaces bytes that are not UTF-8.
			if jsonErr == nil && utf8.Valid(data) && !m.ID.IsZero() && m.ID != nullID {
				sameID(t, m.ID, members["id"])
			}
			return
		}
		if jsonErr != nil {
			t.Fatalf("encoding/json rejects what Parse accepts: %v", jsonErr)
		}
		var version, method string
		if json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0" {
			t.Fatalf("version %s", members["jsonrpc"])
		}
		if raw := members["method"]; raw != nil && json.Unmarshal(raw, &method) != nil || m.Method != method {
			t.Fatalf("method %q, want %s", m.Method, raw)
		}
		sameID(t, m.ID, members["id"])
		for key, raw := range members { // escapes of lone surrogates
			if r := wire.NewReader(raw); wire.Valid(raw) != nil {
				r.Mend()
				members[key] = r.Raw()
			}
		}
		if raw := members["params"]; !bytes.Equal(m.Params, raw) && string(raw) != "null" {
			t.Fatalf("params %q, want %q", m.Params, members["params"])
		}
		switch {
		case m.Method != "":
			if m.Result != nil || m.Error != nil || m.ID == nullID {
				t.Fatalf("a request and an answer: %+v", m)
			}
		case m.Error != nil:
			sameError(t, m.Error, members["error"])
			if m.Result != nil {
				t.Fatal("a result and an error")
			}
		case m.ID.IsZero() || m.Result == nil || !bytes.Equal(m.Result, members["result"]):
			t.Fatalf("result %q, want %q", m.Result, members["result"])
		}
	})
}

func sameID(t *testing.T, id ID, raw json.RawMessage) {
	t.Helper()
	text := id.String()
	switch {
	case len(raw) == 0 && (id.IsZero() || id == nullID): // an error may leave its id out
	case len(raw) > 0 && raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil || StringID(s) != id {
			t.Fatalf("id %s, want %s", text, raw)
		}
	case text != string(raw):
		t.Fatalf("id %s, want %s", text, raw)
	}
	var again ID
	if err := again.UnmarshalJSON([]byte(text)); !id.IsZero() && (err != nil || again != id) {
		t.Fatalf("id %s reads back as %s, %v", text, again, err)
	}
}

func sameError(t *testing.T, e *Error, raw json.RawMessage) {
	t.Helper()
	var message string
	if json.Unmarshal(raw, &message) != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatal(err)
		}
		if text := members["message"]; text != nil && json.Unmarshal(text, &message) != nil {
			t.Fatalf("message %s", text)
		}
		if !bytes.Equal(e.Data, members["data"]) {
			t.Fatalf("data %s, want %s", e.Data, members["data"])
		}
	}
	if e.Message != message {
		t.Fatalf("message %q, want %q", e.Message, message)
	}
}

// FuzzConn has a connection with pending calls read arbitrary lines. Each call
// ends once, and Close returns.
func FuzzConn(f *testing.F) {
	f.Add([]byte(strings.Join(seeds, "\n")), true)
	for _, s := range seeds {
		f.Add([]byte(s), len(s)%2 == 0)
	}
	f.Fuzz(func(t *testing.T, lines []byte, batches bool) {
		a, b := Pipe()
		c := NewConn(a, Handler{
			Message: func(c Conn, m *Message) {
				if m.Method == "" {
					t.Error("an answer was handed out as a request")
				}
				if m.IsRequest() {
					_ = c.Reply(t.Context(), m.ID, m.Params, nil)
				}
			},
			Dropped: func(err error, _ []byte) {
				if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnknownID) {
					t.Errorf("dropped for %v", err)
				}
			},
			Trace: func(bool, []byte) {},
		})
		if batches {
			c.Features().AcceptBatches()
		}
		go func() { // ends with the pipe
			for {
				p, err := b.Read()
				if err != nil {
					return
				}
				if _, err := Parse(p); err != nil {
					t.Errorf("sent %q: %v", p, err)
				}
			}
		}()
		var calls [3]<-chan outcome
		for i := range calls {
			started := make(chan struct{})
			calls[i] = start(t.Context(), c, &Request{Method: "m", Started: func(ID) { close(started) }})
			<-started
		}
		_, _ = b.Write(lines)
		began := time.Now()
		if err := c.Close(); err != nil || time.Since(began) > testutil.Timeout {
			t.Errorf("Close took %v: %v", time.Since(began), err)
		}
		for _, done := range calls {
			if got := <-done; (got.err == nil) != (got.result != "") {
				t.Errorf("call returned %q, %v", got.result, got.err)
			}
		}
		if n := pendingCalls(&c.(*conn).table); n != 0 {
			t.Errorf("%d calls pending", n)
		}
	})
}
