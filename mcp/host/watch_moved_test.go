package host_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// TestWatchesEndWithTheirServer: a subscription and a poll go on after a change of a header.
// They end when another server takes the name, which would receive the URI of the first one.
func TestWatchesEndWithTheirServer(t *testing.T) {
	for change, ends := range map[string]bool{"header": false, "url": true, "replaced": true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(nil)
			fs := fakes{"x": f}
			h := fs.start(t, host.Options{})
			tools := h.ResourceTools()
			for tool, input := range map[int]string{2: `{"server":"x","uri":"echo://text"}`, 4: `{"type":"resource","server":"x","uri":"echo://text"}`} {
				if _, err := tools[tool].Execute(t.Context(), raw(input)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
			before := requests(f.Server, "resources/read")
			subscribed := watched(f)
			other := fs.servers()
			switch change {
			case "header":
				other[0].Headers = map[string]string{"Tenant": "b"}
			case "url":
				other[0].URL = "https://b.example"
			case "replaced":
				now, cancel := context.WithCancel(t.Context())
				cancel() // the poll does not notice
				h.SetServers(now, nil)
			}
			h.SetServers(t.Context(), other)
			time.Sleep(time.Minute)
			if n := requests(f.Server, "resources/read") - before; ends != (n == 0) {
				t.Errorf("%s: %d reads", change, n)
			}
			if n := watched(f) - subscribed; ends != (n == 0) {
				t.Errorf("%s: %d subscriptions", change, n)
			}
		})
	}
}

// watched returns how many requests have subscribed to the resource.
func watched(f *fake) (n int) {
	for _, m := range f.Received() {
		if (m.Method == "subscriptions/listen" || m.Method == "resources/subscribe") && strings.Contains(m.Line, "echo://text") {
			n++
		}
	}
	return n
}

// TestSubscriptionOfAServerThatIsReplaced: the settings change while the server responds.
func TestSubscriptionOfAServerThatIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}})
		fs := fakes{"x": f}
		var slow atomic.Bool
		o := host.Options{Client: &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			raw, err := call.Send(ctx)
			if call.Method == "resources/subscribe" && slow.Swap(false) {
				time.Sleep(time.Second)
			}
			return raw, err
		}}}}
		h := fs.start(t, o)
		slow.Store(true)
		go func() {
			time.Sleep(time.Second / 2)
			other := fs.servers()
			other[0].URL = "https://b.example"
			h.SetServers(context.Background(), other)
		}()
		_, err := h.ResourceTools()[2].Execute(t.Context(), raw(`{"server":"x","uri":"echo://text"}`))
		if time.Sleep(time.Minute); err == nil || watched(f) != 1 {
			t.Errorf("%v, %d subscriptions", err, watched(f))
		}
	})
}
