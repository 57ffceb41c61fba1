package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// Behaviors for which the tests of other clients require something else; see
// docs/evidence/tables/peer-behaviors.md.

// TestMalformedServerInfoReadsAsAbsent: a name is for display only.
func TestMalformedServerInfoReadsAsAbsent(t *testing.T) {
	for _, info := range []string{"null", "7", `"x"`, "{}", `{"name":7}`} {
		synctest.Test(t, func(t *testing.T) {
			answer := `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}}`
			c := connectStream(t, testserver.Replies(greetings(answer)).Pipe(), nil)
			if s := c.Server(); s.ProtocolVersion != modern || s.Name != "" {
				t.Errorf("%s: %+v", info, s)
			}
		})
	}
}

// TestInitializeWithModernVersion: a modern version has no initialize.
func TestInitializeWithModernVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := greetings(`"error":{"code":-32601,"message":"no"}`)
		answers["initialize"] = strings.Replace(answers["initialize"], "2025-06-18", modern, 1)
		_, err := mcp.Connect(t.Context(), overStream(testserver.Replies(answers).Pipe()), nil)
		wantError(t, err, mcp.ErrUnsupportedVersion, `requested 2025-11-25, the server supports "2026-07-28"`)
	})
}

// TestInputRequiredFromLegacyServer: before 2026-07-28 resultType is a member as any
// other one.
func TestInputRequiredFromLegacyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if m.Method == "tools/call" {
				p.answer(m, `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"content":[{"type":"text","text":"x"}]}`)
			}
		})
		c := connectStream(t, rwc, nil)
		res, err := c.CallTool(t.Context(), "x", nil)
		if err != nil || res.Text() != "x" || res.Extra["inputRequests"] == nil {
			t.Errorf("%+v, %v", res, err)
		}
		if n := len(p.messages("tools/call")); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

// TestMalformedAcknowledgment: the client reports it, and cancels the subscription when
// the caller's time ends.
func TestMalformedAcknowledgment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			if m.Method == "subscriptions/listen" {
				p.notify("notifications/subscriptions/acknowledged",
					`{"notifications":{"toolsListChanged":"yes"},"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(m.ID)+`}}`)
			}
		})
		var discarded []error
		c := connectStream(t, rwc, &mcp.Options{Trace: &mcp.Trace{Discarded: func(_ context.Context, err error, _ []byte) { discarded = append(discarded, err) }}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
		wantError(t, err, context.DeadlineExceeded)
		synctest.Wait()
		if len(discarded) != 1 || len(p.messages("notifications/cancelled")) != 1 {
			t.Errorf("discarded %v, %d cancellations", discarded, len(p.messages("notifications/cancelled")))
		}
	})
}
