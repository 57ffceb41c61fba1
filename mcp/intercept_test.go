package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestInterceptorReceivesEveryRequest(t *testing.T) {
	for _, version := range eras {
		o := onlyVersion(version)
		s := testserver.New(&o)
		var seen []string
		c := connect(t, s, &mcp.Options{
			ProtocolVersions: []string{version},
			Handlers:         []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}},
			Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				params := call.Params()
				res, err := call.Send(ctx)
				seen = append(seen, strings.TrimSpace(call.Method+" "+call.Name))
				if call.Name == "echo" && (string(params) != `{"name":"echo","arguments":{"message":"hi"},"_meta":{"own":1}}` ||
					!strings.Contains(string(res), `"hi"`) || err != nil || call.Server != "stdmcp-echo") {
					t.Errorf("%s from %q: %s, %v", params, call.Server, res, err)
				}
				return res, err
			}},
		})
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": "hi"}, Meta: map[string]any{"own": 1}})
		if err != nil {
			t.Error(err)
		}
		if _, err := c.CallTool(t.Context(), "ask_roots", nil); err != nil {
			t.Error(err)
		}
		want := []string{"server/discover", "tools/call echo", "tools/call ask_roots", "tools/call ask_roots"} // two rounds
		if version == legacy {
			want = []string{"initialize", "tools/call echo", "tools/call ask_roots"}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%s: saw %q, want %q", version, seen, want)
		}
	}
}

// TestOtherTransportsIgnoreHeaders, whatever they are.
func TestOtherTransportsIgnoreHeaders(t *testing.T) {
	for _, version := range eras {
		o := onlyVersion(version)
		c := connect(t, testserver.New(&o), nil)
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Header: map[string][]string{"Content-Type": {"a\r\nb"}}})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestInterceptorAddsMeta(t *testing.T) {
	for _, version := range eras {
		o := onlyVersion(version)
		s := testserver.New(&o)
		own := map[string]any{"traceparent": "the caller's", "own": true}
		c := connect(t, s, &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			call.SetMeta("traceparent", "00-1-2-01")
			return call.Send(ctx)
		}}})
		if _, err := c.Do(t.Context(), &mcp.ToolCall{Name: "image", Meta: own}); err != nil {
			t.Error(err)
		}
		if own["traceparent"] != "the caller's" {
			t.Errorf("the caller's map was changed: %v", own)
		}
		for _, m := range s.Received() {
			if strings.HasPrefix(m.Method, "notifications/") {
				continue
			}
			if !strings.Contains(m.Line, `"traceparent":"00-1-2-01"`) || strings.Count(m.Line, "traceparent") != 1 ||
				(m.Method == "tools/call") != strings.Contains(m.Line, `"own":true`) {
				t.Errorf("sent %s", m.Line)
			}
		}
	}
}

func TestInterceptorReplacesResult(t *testing.T) {
	s := testserver.New(nil)
	refusal := errors.New("not on a Sunday")
	var answer mcp.RawMessage
	c := connect(t, s, &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		switch {
		case call.Method != "tools/call":
			return call.Send(ctx)
		case answer != nil:
			return answer, nil
		}
		return nil, refusal
	}}})
	_, err := c.CallTool(t.Context(), "echo", nil)
	wantError(t, err, refusal, "tools/call", `"echo"`, "stdmcp-echo")
	answer = mcp.RawMessage(`{"content":[{"type":"text","text":"made up"}]}`)
	if res, err := c.CallTool(t.Context(), "echo", nil); err != nil || res.Text() != "made up" {
		t.Errorf("%+v, %v", res, err)
	}
	answer = mcp.RawMessage(`x`)
	_, err = c.CallTool(t.Context(), "echo", nil)
	wantError(t, err, mcp.ErrMalformed)
	if slices.Contains(receivedMethods(s), "tools/call") {
		t.Error("the server was asked")
	}
}

// TestInterceptorRetries also passes params that cannot be encoded.
func TestInterceptorRetries(t *testing.T) {
	c := connect(t, testserver.New(nil), &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		_, _ = call.Send(ctx)
		call.SetMeta("again", 1)
		return call.Send(ctx)
	}}})
	if res, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := c.CallTool(t.Context(), "echo", func() {}); err == nil {
		t.Error("no error")
	}
}

// TestOutgoingCallIsForTraces: each interceptor sees the id of the last request of its
// Send, the transport and the address.
func TestOutgoingCallIsForTraces(t *testing.T) {
	tr, _ := process(nil)
	var outer, inner, sent []string
	c := connectTransport(t, tr, &mcp.Options{
		Trace: &mcp.Trace{Message: func(_ context.Context, isSent bool, data []byte) {
			if m, err := jsonrpc.Parse(data); err == nil && isSent && m.Method == "tools/call" {
				sent = append(sent, m.ID.String())
			}
		}},
		Interceptors: []mcp.Interceptor{
			func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				before := call.ID
				res, err := call.Send(ctx)
				if call.Method == "tools/call" {
					outer = append(outer, call.ID.String())
				}
				if !before.IsZero() || call.ID.IsZero() || call.Transport != "stdio" || call.Address != tr.String() {
					t.Errorf("%+v", call)
				}
				return res, err
			},
			func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				for range 2 {
					if res, err := call.Send(ctx); err != nil || call.Method != "tools/call" {
						return res, err
					}
					inner = append(inner, call.ID.String())
				}
				return call.Send(ctx)
			},
		},
	})
	if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 3 || !slices.Equal(inner, sent[:2]) || len(outer) != 1 || outer[0] != sent[2] {
		t.Errorf("sent %q; the outer one sees %q, the inner one %q", sent, outer, inner)
	}
}
