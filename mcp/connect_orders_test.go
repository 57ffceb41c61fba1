package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestConnectToOddStarters covers servers that mistreat the first requests.
func TestConnectToOddStarters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server testserver.Options
		want   string
		sent   []string // over all connections
		opened int
		atMost time.Duration
	}{
		{
			name: "loses the probe and says that it is modern", server: testserver.Options{Fault: "discover-lost", ProtocolVersions: []string{modern}},
			want: modern, sent: []string{"server/discover", "initialize", "server/discover"}, opened: 1, atMost: 1250 * time.Millisecond,
		},
		{
			name: "does not cope with two requests at once", server: testserver.Options{Fault: "starts-once", Delay: 2 * time.Second},
			want: legacy, sent: []string{"server/discover", "initialize", "initialize", "notifications/initialized"}, opened: 2, atMost: 2 * time.Second,
		},
		{
			name: "begins a session for whichever request is the first", server: testserver.Options{Fault: "starts-once", Delay: 100 * time.Millisecond},
			want: legacy, sent: []string{"server/discover", "initialize", "initialize", "notifications/initialized"}, opened: 2, atMost: time.Second,
		},
		{
			name: "does not cope with two requests at once, and hangs", server: testserver.Options{Fault: "starts-once", Delay: time.Minute},
			want: legacy, sent: []string{"server/discover", "initialize", "initialize", "notifications/initialized"}, opened: 2, atMost: 3 * time.Second,
		},
		{
			name: "exits on initialize, and is modern", server: testserver.Options{Fault: "dies-on-initialize", ProtocolVersions: []string{modern}, Delay: 1100 * time.Millisecond},
			want: modern, sent: []string{"server/discover", "initialize", "server/discover"}, opened: 2, atMost: 2300 * time.Millisecond,
		},
		{
			name: "sends one version", server: testserver.Options{Fault: "discover-one-version"},
			want: legacy, sent: []string{"server/discover", "initialize", "notifications/initialized"}, opened: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all []*testserver.Server
				tr := streamFunc(func() io.ReadWriteCloser {
					s := testserver.New(&tt.server)
					all = append(all, s)
					return s.Pipe()
				})
				start := time.Now()
				c := connectTransport(t, tr, nil)
				if took := time.Since(start); took > tt.atMost {
					t.Errorf("took %v", took)
				}
				synctest.Wait()
				var sent []string
				for _, s := range all {
					sent = append(sent, receivedMethods(s)...)
				}
				if got := c.Server().ProtocolVersion; got != tt.want || !slices.Equal(sent, tt.sent) || len(all) != tt.opened {
					t.Errorf("version %s after %d connections and %q", got, len(all), sent)
				}
				if _, err := c.CallTool(t.Context(), "image", nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestUnauthorizedProbe: every other request would be refused, too.
func TestUnauthorizedProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := route{legacy, "http"}
		s := p.server(testserver.Options{Fault: "discover-401"})
		_, err := mcp.Connect(t.Context(), p.transport(t, s), nil)
		var status *streamhttp.StatusError
		if !errors.As(err, &status) || status.Status != http.StatusUnauthorized || !strings.Contains(err.Error(), "server/discover") {
			t.Errorf("%v", err)
		}
		if got := receivedMethods(s); slices.Contains(got, "initialize") {
			t.Errorf("sent %q", got)
		}
	})
}

// TestConnectIsCanceledInEveryState: Connect returns at once.
func TestConnectIsCanceledInEveryState(t *testing.T) {
	for _, fault := range []string{"mute", "discover-silent", "starts-once", "initialize-silent", "discover-lost"} {
		for _, after := range []time.Duration{0, time.Millisecond, time.Second, 1100 * time.Millisecond, 2 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(after, cancel)
				start := time.Now()
				c, err := mcp.Connect(ctx, stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
					return testserver.New(&testserver.Options{Fault: fault, Delay: time.Minute}).Pipe(), nil
				}), nil)
				if err == nil {
					c.Close()
				} else {
					wantError(t, err, context.Canceled)
				}
				if took := time.Since(start); took > after {
					t.Errorf("%s: took %v after a cancellation at %v", fault, took, after)
				}
			})
		}
	}
}
