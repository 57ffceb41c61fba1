package mcp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// callList returns the items of a list, at most n.
func callList(t *testing.T, c *mcp.Client, uri string, n int) (items []string, err error) {
	err = c.CallList(t.Context(), "notes/list", uri, "notes", func(item mcp.RawMessage) bool {
		items = append(items, string(item))
		return len(items) < n
	})
	return items, err
}

func TestCallListFollowsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, stream := newPeer(t, mcp.ProtocolVersion20251125, func(p *peer, m request) {
			switch {
			case m.Method != "notes/list":
			case strings.Contains(m.line, `"cursor":"2"`):
				p.answer(m, `{"notes":[{"n":2},[3]]}`)
			case strings.Contains(m.line, `"uri":"x://none"`):
				p.answer(m, `{"more":[]}`)
			case strings.Contains(m.line, `"uri":"x://text"`):
				p.answer(m, `{"notes":"text"}`)
			case strings.Contains(m.line, `"uri":"x://again"`):
				p.answer(m, `{"notes":[1],"nextCursor":"1"}`)
			default:
				p.answer(m, `{"nextCursor":"2","notes":[1,"a"]}`)
			}
		})
		c := connectStream(t, stream, &mcp.Options{MaxItems: 4})
		items, err := callList(t, c, "", 10)
		if got := strings.Join(items, " "); got != `1 "a" {"n":2} [3]` || err != nil {
			t.Errorf("%s, %v", got, err)
		}
		if items, err = callList(t, c, "", 2); len(items) != 2 || err != nil || len(p.messages("notes/list")) != 3 {
			t.Errorf("%q, %v, %d pages", items, err, len(p.messages("notes/list")))
		}
		for _, uri := range []string{"x://none", "x://text"} {
			items, err := callList(t, c, uri, 10)
			wantError(t, err, mcp.ErrMalformed, uri)
			if items != nil {
				t.Error(items)
			}
		}
		_, err = callList(t, c, "x://again", 10)
		wantError(t, err, mcp.ErrListLimit, "occurs twice")

		_, stream = newPeer(t, mcp.ProtocolVersion20251125, func(p *peer, m request) {
			if m.Method == "notes/list" {
				p.answer(m, `{"notes":[1,2,3,4,5]}`)
			}
		})
		items, err = callList(t, connectStream(t, stream, &mcp.Options{MaxItems: 4}), "", 10)
		wantError(t, err, mcp.ErrListLimit, "more than 4 items")
		if len(items) != 4 {
			t.Error(items)
		}
	})
}

func TestCallListFailsAsOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, stream := newPeer(t, mcp.ProtocolVersion20251125, func(p *peer, m request) {
			if m.Method == "notes/list" {
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"unknown"}}`)
			}
		})
		_, err := callList(t, connectStream(t, stream, &mcp.Options{Name: "acme"}), "x://y", 10)
		wantCode(t, err, jsonrpc.CodeMethodNotFound)
		wantError(t, err, nil, `server "acme": notes/list "x://y"`)
	})
}
