package growth_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestGrowthOfMessages(t *testing.T) {
	nested := []string{"nested deeper than 128"}
	growth.Test(t, &growth.Reader{Name: "wire", Base: "0", Limits: nested, Dimensions: growth.JSON(),
		Prepare: func(input string) func() error {
			text := []byte(input)
			return func() error {
				r := wire.NewReader(text)
				r.Skip()
				return r.End()
			}
		}})
	growth.Test(t, &growth.Reader{Name: "values", Base: "0", Limits: append(nested, "more than 512 members"), Dimensions: growth.JSON(),
		Bytes: 64, Reason: "an empty object of 3 bytes is a map of 48 bytes, in a slice that doubles; an object has at most 512 members",
		Prepare: func(input string) func() error {
			text := []byte(input)
			return func() error { _, err := mcp.DecodeValue(text); return err }
		}})
	growth.Test(t, &growth.Reader{Name: "jsonrpc", Base: "0", Limits: nested, Dimensions: growth.JSON(),
		Prepare: func(input string) func() error {
			text := []byte(`{"jsonrpc":"2.0","id":1,"result":` + input + `}`)
			return func() error { _, err := jsonrpc.Parse(text); return err }
		}})
	dimensions := growth.In(1, growth.JSON()[4:]...)
	growth.Test(t, &growth.Reader{Name: "lists", Base: "\x000", Limits: nested,
		Dimensions: append(dimensions, growth.In(0, growth.Beside("tools", "", `{"name":"t00000000","inputSchema":{}},`, ""))...),
		Prepare: func(input string) func() error {
			tools, value, _ := strings.Cut(input, "\x00")
			text := []byte(`{"tools":[` + tools + `{"name":"a","inputSchema":{"x":` + value + `}}]}`)
			return func() error { return new(mcp.ListToolsResult).UnmarshalJSON(text) }
		}})
}

func TestGrowthOfResults(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "results", Base: "x", Flat: true,
		Bytes: 64, Reason: "a block of 26 bytes is a struct of 300, in a slice that doubles",
		Dimensions: []growth.Dimension{
			growth.Beside("text", "", "x", ""),
			growth.Beside("escapes", "", `\n`, ""),
			growth.Beside("blocks", "", `"},{"type":"text","text":"`, ""),
			growth.Beside("images", "", `"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"text","text":"`, ""),
		},
		Prepare: func(input string) func() error {
			text := []byte(`{"content":[{"type":"text","text":"` + input + `"}]}`)
			return func() error { return new(mcp.CallToolResult).UnmarshalJSON(text) }
		}})
	growth.Test(t, &growth.Reader{Name: "base64", Base: "AAAA", Flat: true,
		Dimensions: []growth.Dimension{growth.Beside("length", "", "AAAA", "")},
		Prepare: func(input string) func() error {
			return func() error { _, err := wire.DecodeBase64(input); return err }
		}})
}

// A recorded is a transport that receives messages.
type recorded struct{ messages []string }

func (recorded) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (r recorded) Open(_ context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	for _, m := range r.messages {
		h.Trace(false, []byte(m))
	}
	return closedConn{}, nil
}

// A closedConn is a connection that the client has closed.
type closedConn struct{ jsonrpc.Conn }

func (closedConn) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (closedConn) Err() error { return jsonrpc.ErrClosed }

// The input is a list of messages and a value in the last one.
func TestGrowthOfRecordings(t *testing.T) {
	dimensions := append(growth.In(1, growth.JSON()...), growth.In(0,
		growth.Beside("messages", "", "{\"method\":\"m00000000\"}\n", ""),
		growth.Beside("secrets", "", "{\"token\":\"hunter2 00000000\"}\n", ""))...)
	growth.Test(t, &growth.Reader{Name: "recordings", Base: "\x000",
		Bytes: 80, Reason: "a message of 24 bytes is an entry of 200, in a slice that doubles",
		Limits: []string{"nested deeper than 128"}, Dimensions: dimensions,
		Prepare: func(input string) func() error {
			messages, value, _ := strings.Cut(input, "\x00")
			list := strings.Split(messages+`{"jsonrpc":"2.0","method":"m","params":{"v":`+value+`}}`, "\n")
			return func() error {
				if err := wire.Valid([]byte(list[len(list)-1])); err != nil {
					return err // which is not recorded
				}
				var file bytes.Buffer
				w := recording.NewWriter(&file, "hunter2")
				_, err := w.Wrap(recorded{list}).Open(context.Background(), jsonrpc.Handler{})
				if err == nil {
					err = w.Close()
				}
				if err != nil {
					return err
				}
				entries, err := recording.Read(&file)
				if err == nil && len(entries) != len(list) {
					err = fmt.Errorf("%d messages, want %d", len(entries), len(list))
				}
				return err
			}
		}})
}

// The input has eight bytes for each HTTP request without a message and each response to none.
func TestGrowthOfReplays(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "replays", Base: "\x000", Dimensions: growth.In(0, growth.Beside("exchanges", "", "00000000", "")),
		Bytes: 100, Reason: "eight bytes are two lines of a recording",
		Prepare: func(input string) func() error {
			var entries []recording.Entry
			for i := range strings.Index(input, "\x00") / 8 {
				entries = append(entries, recording.Entry{Conn: 1, HTTP: &recording.HTTP{Exchange: i, Method: "POST"}})
			}
			for i := range entries {
				entries = append(entries, recording.Entry{Conn: 1, HTTP: &recording.HTTP{Exchange: -1 - i, Status: 202}})
			}
			return func() error {
				recording.NewReplay(entries, nil)
				return nil
			}
		}})
}

func TestGrowthOfEventStream(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "event stream", Base: "data: x\n\n", Flat: true, Limits: []string{"event type or id of more than 8192 bytes"},
		Dimensions: []growth.Dimension{
			growth.Beside("length of data", "data: ", "x", "\n"),
			growth.Beside("lines of data", "", "data: x\n", ""),
			growth.Beside("empty lines of data", "", "data\n", ""),
			growth.Beside("events", "", "data: x\n\n", ""),
			growth.Beside("types", "", "event: 00000000\n", ""),
			growth.Beside("length of a type", "event: ", "x", "\n"),
			growth.Beside("ids", "", "id: 00000000\n\n", ""),
			growth.Beside("length of a comment", ":", "x", "\n"),
			growth.Beside("carriage returns", "", "\r", "\r\n"),
			growth.Beside("digits of retry", "retry: ", "1", "\n"),
		},
		Prepare: func(input string) func() error {
			return func() error {
				for r := eventstream.NewReader(strings.NewReader(input), 0); ; {
					_, err := r.Next()
					if err == io.EOF {
						return nil
					}
					if err != nil {
						return err
					}
				}
			}
		}})
}

// The input is a text and secrets.
func TestGrowthOfRedaction(t *testing.T) {
	texts := func(name, text string) growth.Dimension { return growth.Beside(name, "", text, "") }
	both := func(name, text string) growth.Dimension {
		return growth.Dimension{Name: name, Grow: func(n int, inner string) string {
			before, secret, _ := strings.Cut(inner, "\x00")
			s := growth.Numbered(n/4, text)
			return before + s + s + s + "\x00" + strings.TrimSuffix(secret, "hunter2") + s
		}}
	}
	dimensions := []growth.Dimension{
		texts("text", "a"),
		texts("secrets in the text", "hunter2 "),
		texts("what begins as the secret", "hunter"),
		texts("control sequences", "\x1b[1m"),
		texts("line breaks", "\n"),
		texts("invalid bytes", "\xff"),
		texts("URLs", "http://u:p@h "),
		texts("beginnings of URLs", "://"),
		{Name: "secrets", Grow: func(n int, inner string) string { return inner + growth.Numbered(n, "\x00secret 00000000") }},
		both("a secret that repeats itself", "a"),
		both("a secret with escapes", "</\x01\""),
		both("a long secret", "00000000"),
		both("lines of a secret", "00000000"+strings.Repeat("x", 60)+"\n"),
	}
	growth.Test(t, &growth.Reader{Name: "redaction", Base: "\x00hunter2", Flat: true, Dimensions: dimensions,
		Bytes: 120, Reason: "a secret has 23 forms, and the search for a form that occurs has a table of 8 bytes for each byte of it",
		Prepare: func(input string) func() error {
			parts := strings.Split(input, "\x00")
			return func() error {
				if out := display.Redact(parts[0], parts[1:]...); strings.Contains(out, parts[1]) {
					return fmt.Errorf("%.100q contains the secret", out)
				}
				return nil
			}
		}})
	growth.Test(t, &growth.Reader{Name: "printable text", Base: "x", Flat: true, Dimensions: dimensions[:len(dimensions)-5],
		Prepare: func(input string) func() error {
			return func() error { diag.HideUserinfo(input); diag.Printable(input, 0); return nil }
		}})
	growth.Test(t, &growth.Reader{Name: "masking of messages", Base: "0", Limits: []string{"nested deeper than 128"},
		Dimensions: append(growth.JSON(),
			growth.Dimension{Name: "JSON in strings", Grow: func(n int, inner string) string {
				for n > len(inner) {
					inner = `[` + wire.Quote(inner) + `]`
				}
				return inner
			}}),
		Prepare: func(input string) func() error {
			hide := display.NewRedactor("hunter2").Redact
			return func() error { _, err := recording.MaskJSON([]byte(input), hide); return err }
		}})
}
