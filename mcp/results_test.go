package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// connectAnswering connects to a server that sends the same result for every request.
func connectAnswering(t *testing.T, version, result string) *mcp.Client {
	t.Helper()
	_, rwc := newPeer(t, version, func(p *peer, m request) { p.answer(m, result) })
	return connectStream(t, rwc, nil)
}

// TestResultsKeepEveryMember: members that the library does not interpret keep every
// byte.
func TestResultsKeepEveryMember(t *testing.T) {
	const (
		structured = `{ "b":1e400,"a" : [9007199254740993, 1.0, -0.0 ] , "é":"\u00e9\/" }`
		hologram   = `{"type":"hologram", "z":[ ] }`
		meta       = `{"example.com/x": 1.50}`
	)
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			res, err := connectAnswering(t, version, `{"structuredContent":`+structured+`,"content":[`+hologram+
				`,{"type":"text","text":"t","color":"red","_meta":`+meta+`}],"_meta":`+meta+`,"weather": {"rain" :true}}`).
				CallTool(t.Context(), "any", nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				what, want string
				got        json.RawMessage
			}{
				{"Structured", structured, res.StructuredContent},
				{"Meta", meta, res.Meta},
				{"Extra", `{"rain" :true}`, res.Extra["weather"]},
				{"unknown content", hologram, res.Content[0].Raw},
				{"Extra of content", `"red"`, res.Content[1].Extra["color"]},
				{"Meta of content", meta, res.Content[1].Meta},
			} {
				if string(tt.got) != tt.want {
					t.Errorf("%s is %s, want %s", tt.what, tt.got, tt.want)
				}
			}
		})
	}
}

func TestSchemasKeepEveryByte(t *testing.T) {
	const schema = `{ "$schema":"https://json-schema.org/draft-07/schema#", "type":"object", "oneOf":[ {"$ref":"#/x"} ], "x":1.0 }`
	synctest.Test(t, func(t *testing.T) {
		tools, err := connectAnswering(t, legacy, `{"tools":[{"name":"t","inputSchema":`+schema+`,"outputSchema":`+schema+`}]}`).ListTools(t.Context())
		if err != nil || string(tools[0].InputSchema) != schema || string(tools[0].OutputSchema) != schema {
			t.Errorf("%+v, %v", tools, err)
		}
	})
}

func TestRawCallReturnsTheResultAsWritten(t *testing.T) {
	const result = `{ "any" : [ 1 , 2.0 ], "any": 3 }`
	synctest.Test(t, func(t *testing.T) {
		raw, err := connectAnswering(t, modern, result).Call(t.Context(), "x/y", nil)
		if err == nil && string(raw) != result {
			t.Errorf("result is %s, want %s", raw, result)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// TestUnknownResultTypes: an unknown type of 2026-07-28 may mean that the result is
// not final; earlier versions have no types.
func TestUnknownResultTypes(t *testing.T) {
	const riddle = `{"resultType":"riddle","content":[]}`
	synctest.Test(t, func(t *testing.T) {
		_, err := connectAnswering(t, modern, riddle).CallTool(t.Context(), "any", nil)
		wantError(t, err, mcp.ErrMalformed, `tools/call "any"`, "riddle")
		res, err := connectAnswering(t, legacy, riddle).CallTool(t.Context(), "any", nil)
		if err != nil || res.ResultType != "riddle" {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

func TestMalformedResultFailsCall(t *testing.T) {
	for _, result := range []string{`null`, `1`, `"x"`, `[1]`, `{"content":1}`, `{"content":[],"content":[]}`, `{"isError":"yes"}`} {
		t.Run(result, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connectAnswering(t, legacy, result)
				_, err := c.CallTool(t.Context(), "any", nil)
				wantError(t, err, mcp.ErrMalformed, `server "peer": tools/call "any"`)
				wantNoCode(t, err)
				if err := c.Ping(t.Context()); err != nil {
					t.Errorf("the connection suffers: %v", err)
				}
			})
		})
	}
}

// wantNoCode checks that an error of the client does not look like an error
// response.
func wantNoCode(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; {
		if answer, ok := e.(*jsonrpc.Error); ok {
			t.Errorf("%v has the code %d, which the server did not send", err, answer.Code)
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			return
		}
		e = u.Unwrap()
	}
}

func TestPingAcceptsAnyResponse(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			c := connectStream(t, testserver.Script(func(line string) []string {
				switch {
				case strings.Contains(line, `"server/discover"`) && asked == 0 && version == modern:
					asked++
					return []string{`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}` + "\n"}
				case strings.Contains(line, `"server/discover"`):
					asked++
					return []string{`{"jsonrpc":"2.0","id":` + string('0'+byte(asked)) + `,"error":{"code":-32601,"message":"unknown"}}` + "\n"}
				case strings.Contains(line, `"initialize"`):
					asked++
					return []string{`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}` + "\n"}
				case strings.Contains(line, `"ping"`):
					return []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"unknown"}}` + "\n"}
				}
				return nil
			}).Pipe(), nil)
			if err := c.Ping(t.Context()); err != nil {
				t.Errorf("%s: %v", version, err)
			}
		})
	}
}

// TestMetaIsMerged: _meta has the members of the caller and of the client.
func TestMetaIsMerged(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := onlyVersion(version)
			s := testserver.New(&o)
			c := connect(t, s, nil)
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Meta: map[string]any{
				"example.com/b": []any{1}, "example.com/a": "x", "traceparent": json.RawMessage(`"00-1-2-00"`),
			}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Call(t.Context(), "tools/list", json.RawMessage(`{ "_meta" : {"example.com/c":1.0} , "x":[ ]}`)); err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, m := range s.Received() {
				lines = append(lines, m.Line)
			}
			for i, want := range []string{
				`"example.com/a":"x","example.com/b":[1],"traceparent":"00-1-2-00"}`,
				`"example.com/c":1.0}`,
			} {
				line := lines[len(lines)-2+i]
				if !strings.Contains(line, want) || strings.Contains(line, "protocolVersion") != (version == modern) {
					t.Errorf("sent %s, want %s in it", line, want)
				}
				if n := strings.Count(line, `"_meta"`); n != 1 {
					t.Errorf("%d times _meta in %s", n, line)
				}
			}
		})
	}
}

// TestReservedMetaKeys: a duplicate key would make the request invalid.
func TestReservedMetaKeys(t *testing.T) {
	for _, key := range []string{
		"progressToken",
		"io.modelcontextprotocol/protocolVersion",
		"io.modelcontextprotocol/clientInfo",
		"io.modelcontextprotocol/clientCapabilities",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := testserver.New(nil)
			c := connect(t, s, nil)
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Meta: map[string]any{key: "x"}})
			wantError(t, err, nil, `tools/call "image"`, key)
			if got := receivedMethods(s); len(got) != 1 {
				t.Errorf("sent %q, want the probe only", got)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), nil)
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Meta: map[string]any{"x": func() {}}})
		wantError(t, err, nil, `tools/call "image"`, `"x"`)
	})
}

// TestLogLevelOfOneCall replaces the level of the client.
func TestLogLevelOfOneCall(t *testing.T) {
	const key = "io.modelcontextprotocol/logLevel"
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(nil)
		c := connect(t, s, &mcp.Options{LogLevel: mcp.LevelError})
		for _, meta := range []map[string]any{nil, {key: "debug"}} {
			if _, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Meta: meta}); err != nil {
				t.Fatal(err)
			}
		}
		got := s.Received()
		for i, want := range []string{`"error"`, `"debug"`} {
			line := got[len(got)-2+i].Line
			if strings.Count(line, key) != 1 || !strings.Contains(line, key+`":`+want) {
				t.Errorf("sent %s, want the level %s once", line, want)
			}
		}
	})
}

// TestInvalidArgumentsAreNotSent: not even in part.
func TestInvalidArgumentsAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(nil)
		c := connect(t, s, nil)
		for _, args := range []any{struct{}{}, map[string]any{"a": 1, "b": func() {}}, json.RawMessage(`{"a"}`), []any{}} {
			if _, err := c.CallTool(t.Context(), "add", args); err == nil {
				t.Errorf("%T was sent", args)
			}
		}
		if _, err := c.Call(t.Context(), "x/y", 1); err == nil {
			t.Error("params that are a number were sent")
		}
		synctest.Wait()
		if got := receivedMethods(s); len(got) != 1 {
			t.Errorf("sent %q, want the probe only", got)
		}
	})
}

func TestNotify(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, version, nil)
			c := connectStream(t, rwc, nil)
			for _, params := range []any{nil, map[string]any{}, json.RawMessage(nil), json.RawMessage("{}"), map[string]any{"a": 1, "_meta": map[string]any{"k": "v"}}} {
				if err := c.Notify(t.Context(), "notifications/x", params); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			const start = `{"jsonrpc":"2.0","method":"notifications/x"`
			want := []string{start + "}", start + "}", start + "}", start + `,"params":{}}`, start + `,"params":{"a":1,"_meta":{"k":"v"}}}`}
			for i, m := range p.messages("notifications/x") {
				if m.line != want[i] {
					t.Errorf("sent %s, want %s", m.line, want[i])
				}
			}
		})
	}
}

// TestLongTextsOfResults: texts that are decoded in the memory of their message are
// those that the server sent, several at once too. Interceptors and Trace see the result
// as the server sent it, also after the call.
func TestLongTextsOfResults(t *testing.T) {
	const n = 2000
	odd := `{"type":"text","text":"` + strings.Repeat(`odd\n`, n) + `","annotations":1}`
	result := `{"content":[{"type":"text","text":"` + strings.Repeat(`a\n`, n) + `"},` + odd +
		`,{"text":"` + strings.Repeat(`\"b\u0041`, n) + `","type":"text"}],"isError":true}`
	even := `{"content":[{"type":"text","text":"` + strings.Repeat(`a\n`, n) + `"},{"type":"text","text":"` + strings.Repeat(`\"b\u0041`, n) + `"}]}`
	for _, version := range eras {
		for _, intercepted := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var kept []jsonrpc.RawMessage
				o := &mcp.Options{}
				if intercepted {
					o.Interceptors = []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (jsonrpc.RawMessage, error) {
						raw, err := call.Send(ctx)
						kept = append(kept, raw)
						return raw, err
					}}
				}
				_, rwc := newPeer(t, version, func(p *peer, m request) {
					if m.Params.Name == "odd" {
						p.answer(m, result)
					} else {
						p.answer(m, even)
					}
				})
				c := connectStream(t, rwc, o)
				kept = nil
				for _, name := range []string{"plain", "odd"} {
					res, err := c.CallTool(t.Context(), name, nil)
					if err != nil {
						t.Fatal(err)
					}
					last := len(res.Content) - 1
					if res.Content[0].Text != strings.Repeat("a\n", n) || res.Content[last].Text != strings.Repeat(`"bA`, n) {
						t.Errorf("%s: the texts are %.20q and %.20q", name, res.Content[0].Text, res.Content[last].Text)
					}
					if name == "odd" && (string(res.Content[1].Raw) != odd || !res.IsError) {
						t.Errorf("content with a member that does not match is %.40s", res.Content[1].Raw)
					}
				}
				for i, raw := range kept {
					if !json.Valid(raw) {
						t.Errorf("the result %d that an interceptor keeps is not JSON any more: %.40s", i, raw)
					}
				}
			})
		}
	}
}
