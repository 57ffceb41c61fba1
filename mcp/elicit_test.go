package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// needsPage refuses the first call until the user has been at a page.
func needsPage(url string) testserver.Script {
	calls := 0
	return func(line string) []string {
		id := strings.TrimSuffix(strings.TrimPrefix(line[max(0, strings.Index(line, `"id":`)):], `"id":`), "}")
		if i := strings.IndexAny(id, ",}"); i >= 0 {
			id = id[:i]
		}
		switch {
		case strings.Contains(line, `"initialize"`):
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}` + "\n"}
		case strings.Contains(line, `"tools/call"`):
			if calls++; calls > 1 {
				return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"done"}]}}` + "\n"}
			}
			return []string{`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32042,"message":"log in first","data":{"elicitations":[` +
				`{"mode":"url","message":"Log in","elicitationId":"e1","url":"` + url + `"}]}}}` + "\n",
				`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}}` + "\n"}
		}
		return nil
	}
}

func TestCallIsRepeatedWhenTheUserHasBeenAtThePage(t *testing.T) {
	for _, tt := range []struct {
		action, url string
		ok          bool
	}{
		{mcp.ElicitAccept, "https://xn--exmple-cua.com:8443/login?x=1", true},
		{mcp.ElicitDecline, "https://example.com/", false},
		{mcp.ElicitAccept, "javascript:alert(1)", false},
		{mcp.ElicitAccept, "https://good.example@evil.example/", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var seen *mcp.URLRequest
			user := mcp.Elicitation{OpenURL: func(_ context.Context, r *mcp.URLRequest) (string, error) {
				seen = r
				return tt.action, nil
			}}
			c := dial(t, needsPage(tt.url).Pipe(), &mcp.Options{
				Versions: []string{legacy}, Handlers: []mcp.Handler{user},
				Dropped: func(error, []byte) {},
			})
			res, err := c.CallTool(t.Context(), "x", nil)
			if (err == nil) != tt.ok || tt.ok && res.Text() != "done" {
				t.Errorf("%s %s: %+v, %v", tt.action, tt.url, res, err)
			}
			if tt.ok && (seen.Host != "xn--exmple-cua.com:8443" || !seen.Punycode || seen.URL != tt.url || seen.ID != "e1") {
				t.Errorf("the user was shown %+v", seen)
			}
		})
	}
}

func TestCallIsRepeatedWhenTheServerSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := needsPage("https://example.com/")
		silent := testserver.Script(func(line string) []string {
			answers := script(line)
			return answers[:min(1, len(answers))]
		})
		user := mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (string, error) { return mcp.ElicitAccept, nil }}
		c := dial(t, silent.Pipe(), &mcp.Options{Versions: []string{legacy}, Handlers: []mcp.Handler{user}})
		if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusalStaysWithoutSomebodyToAsk(t *testing.T) {
	c := dial(t, needsPage("https://example.com/").Pipe(), &mcp.Options{Versions: []string{legacy}})
	_, err := c.CallTool(t.Context(), "x", nil)
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || answer.Code != mcp.CodeURLElicitationRequired {
		t.Error(err)
	}
}
