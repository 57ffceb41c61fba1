package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestTextsCutInACharacter: JavaScript writes the half of a character that is left as
// an escape of a lone surrogate.
func TestTextsCutInACharacter(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, version, func(p *peer, m request) {
				switch m.Method {
				case "tools/list":
					p.answer(m, `{"resultType":"complete","tools":[{"name":"a","description":"\ud83d…","inputSchema":{"type":"object","description":"\ude00"}},`+
						`{"name":"b\ud83d","inputSchema":{}},{"name":"c"}]}`)
				case "prompts/list":
					p.answer(m, `{"resultType":"complete","prompts":[{"name":"a","arguments":[{"name":"\udead"}]},{"name":"b"}],"nextCursor":"\ud800"}`)
				case "resources/list":
					p.answer(m, `{"resultType":"complete","resources":[{"uri":"a:\ud83d","name":"a"},{"uri":"b:","name":"\ud83d"}]}`)
				case "tools/call":
					p.answer(m, `{"resultType":"complete","content":[{"type":"text","text":"`+strings.Repeat(`x\n`, 3000)+`\ud83d"},{"type":"resource_link","uri":"\ud83d","name":"x"}],`+
						`"structuredContent":{"\ud83d":"\ud83d"},"_meta":{"a":"\udc00"}}`)
				}
			})
			_ = p
			var l dropLog
			c := connectStream(t, rwc, &mcp.Options{Trace: l.trace()})
			tools, err := c.ListTools(t.Context())
			if err != nil || len(tools) != 2 || tools[0].Description != "\uFFFD…" || tools[1].Name != "c" || wire.Valid(tools[0].InputSchema) != nil {
				t.Errorf("%s: tools %v, %v", version, tools, err)
			}
			resources, err := c.ListResources(t.Context())
			if err != nil || len(resources) != 1 || resources[0].URI != "b:" || resources[0].Name != "\uFFFD" {
				t.Errorf("%s: resources %v, %v", version, resources, err)
			}
			if !l.contains("tools[1] left out") || !l.contains("resources[0] left out") {
				t.Errorf("%s: discarded %v", version, l.all())
			}
			if prompts, err := c.ListPrompts(t.Context()); !errors.Is(err, mcp.ErrMalformed) || !strings.Contains(err.Error(), "lone surrogate") {
				t.Errorf("%s: a cursor that cannot be sent back: %v, %v", version, prompts, err)
			}
			res, err := c.CallTool(t.Context(), "a", nil)
			if err != nil || res.Text() != strings.Repeat("x\n", 3000)+"\uFFFD" || res.Content[1].Raw == nil {
				t.Fatalf("%s: %v, %v", version, res, err)
			}
			for _, raw := range []mcp.RawMessage{res.StructuredContent, res.Meta, res.Content[1].Raw} {
				if wire.Valid(raw) != nil {
					t.Errorf("%s: %s is not clean", version, raw)
				}
			}
		})
	}
}

// TestNotificationsWithoutParams: an absent object is null or, in PHP, an empty list.
func TestNotificationsWithoutParams(t *testing.T) {
	for _, params := range []string{"null", "[]", "{}", `{"_meta":null}`} {
		synctest.Test(t, func(t *testing.T) {
			s := testserver.New(&testserver.Options{ProtocolVersions: []string{legacy}})
			c := connect(t, s, nil)
			sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // until the session has begun
			s.Notify("notifications/tools/list_changed", params)
			if change, err := sub.Next(t.Context()); err != nil || change.Kind != mcp.ToolsChanged {
				t.Errorf("%s: %v, %v", params, change, err)
			}
			sub.Close()
		})
	}
}

// TestLateAnswersToTheProbe: the client has caused them, and reports none.
func TestLateAnswersToTheProbe(t *testing.T) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","id":$id,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a notification"}}`,
		`{"jsonrpc":"2.0","id":-32603,"error":{"code":1,"message":"A defect occurred","data":"Unknown request tag: server/discover"}}`, // effect-mcp 0.1.16
	} {
		synctest.Test(t, func(t *testing.T) {
			_, rwc := newPeer(t, legacy, func(p *peer, m request) {
				if m.Method == "tools/call" {
					p.send(strings.ReplaceAll(answer, "$id", string(p.messages("server/discover")[0].ID)))
					p.answer(m, `{"content":[]}`)
				}
			})
			var l dropLog
			c := connectStream(t, rwc, &mcp.Options{Trace: l.trace()})
			if _, err := c.CallTool(t.Context(), "a", nil); err != nil {
				t.Error(err)
			}
			if l.all() != nil {
				t.Errorf("%s: %v", answer, l.all())
			}
		})
	}
}

// TestTimeoutNamesTheResponseToNoCall: the server may have changed the id, or could not
// read the request.
func TestTimeoutNamesTheResponseToNoCall(t *testing.T) {
	for answer, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"call-77","result":{"content":[]}}`:                             `; the server sent a response with the id "call-77", which no call has`, // radare2-mcp#68
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Unexpected character"}}`: `id null, which no call has: Unexpected character (code -32700)`,        // helidon-mcp#65
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			_, rwc := newPeer(t, legacy, func(p *peer, m request) {
				if m.Method == "tools/call" && calls < 2 {
					calls++
					p.send(answer)
				}
			})
			c := connectStream(t, rwc, &mcp.Options{Timeout: 5 * time.Second})
			for i := range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+5*i)*time.Second) // once the context's own deadline
				_, err := c.CallTool(ctx, "a", nil)
				cancel()
				if named := err != nil && strings.HasSuffix(err.Error(), want); named != (i < 2) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("call %d: %v, want %s", i, err, want)
				}
			}
		})
	}
}

// TestByteOrderMarks: some programs on Windows begin their output with one.
func TestByteOrderMarks(t *testing.T) {
	_, rwc := newPeer(t, legacy, func(p *peer, m request) {
		if m.Method == "tools/call" {
			p.conn.Write([]byte("\ufeff"))
			p.answer(m, `{"content":[]}`)
		}
	})
	var odd []string
	c := connectStream(t, rwc, &mcp.Options{Trace: &mcp.Trace{Odd: func(_ context.Context, reason error, _ []byte) { odd = append(odd, reason.Error()) }}})
	if _, err := c.CallTool(t.Context(), "a", nil); err != nil || len(odd) != 1 || !strings.Contains(odd[0], "byte order mark") {
		t.Errorf("%v, reported %q", err, odd)
	}
}
