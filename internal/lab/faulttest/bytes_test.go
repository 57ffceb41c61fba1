package faulttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// manyItems is how many items a server sends of each kind.
const manyItems = 60

// A byteScenario is a kind of item of which a client keeps something: a server
// sends it manyItems times, in messages of the greatest length.
type byteScenario struct {
	name    string
	on      string // S, E, H
	version string
	item    string // JSON text; see text

	// handlers returns the options of the client. What it has the library call
	// waits for release.
	handlers func(release <-chan struct{}) *mcp.Options

	// run makes the server send the items. measure measures what the client
	// keeps. If run is nil, or returns without an item, a call has them sent.
	run func(ctx context.Context, c *mcp.Client, measure func()) error
}

// text returns item i. $i stands for the number and $j for the next one, $pad for
// text that is as long as the message permits, $space for as many spaces, and
// $next for the member with the cursor of the next page, if there is one.
func (s *byteScenario) text(i int, pad string) string {
	next := `,"nextCursor":"` + strconv.Itoa(i+1) + `"`
	if i == manyItems-1 {
		next = ""
	}
	space := ""
	if strings.Contains(s.item, "$space") {
		space = strings.Repeat(" ", len(pad))
	}
	return strings.NewReplacer("$i", strconv.Itoa(i), "$j", strconv.Itoa(i+1), "$pad", pad, "$space", space, "$next", next).Replace(s.item)
}

func wait[T any](release <-chan struct{}) func(T) { return func(T) { <-release } }

func notice(method, params string) string {
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `","params":` + params + `}`
}

// page returns a page of tools: $j is the cursor.
func page(tool, more string) string {
	return `{"resultType":"complete","tools":[` + tool + `]` + more + `$next}`
}

const (
	taskTool   = `{"name":"t$i$long","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`
	headerTool = `{"name":"t$i$long","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A$header"}}}}`
	simpleTool = `{"name":"t$i","inputSchema":{"type":"object"}}`
)

func byteScenarios() []byteScenario {
	short := strings.NewReplacer("$long", "", "$header", "").Replace
	long := strings.NewReplacer("$long", "$pad", "$header", "").Replace
	const pad = `,"pad":"$pad"`
	return []byteScenario{
		{"log lines", "SEH", legacy, notice("message", `{"level":"info","data":"line $i","pad":"$pad"}`), logHandlers, nil},
		{"log lines in padded messages", "SEH", legacy, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line"},"pad":"$pad"}`, logHandlers, nil},
		{"other notifications", "SEH", legacy, notice("odd", `{"pad":"$pad"}`), func(release <-chan struct{}) *mcp.Options {
			return &mcp.Options{Handlers: []mcp.Handler{mcp.HandleNotification("", func(context.Context, string, mcp.RawMessage) { <-release })}}
		}, nil},
		{"elicitation ids", "SEH", legacy, notice("elicitation/complete", `{"elicitationId":"id$i","pad":"$pad"}`), pageHandlers, nil},
		{"long elicitation ids", "SEH", legacy, notice("elicitation/complete", `{"elicitationId":"$i$pad"}`), pageHandlers, nil},
		{"requests of the server", "SEH", legacy, `{"jsonrpc":"2.0","id":"r$i","method":"odd/request","params":{"pad":"$pad"}}`, requestHandlers, nil},
		{"long ids of requests of the server", "SEH", legacy, `{"jsonrpc":"2.0","id":"$i$pad","method":"odd/request"}`, requestHandlers, nil},
		{"resource URIs", "SEH", legacy, notice("resources/updated", `{"uri":"r:/$i","pad":"$pad"}`), noHandlers, subscribed},
		{"long resource URIs", "SEH", legacy, notice("resources/updated", `{"uri":"r:/$i$pad"}`), noHandlers, subscribed},
		{"progress", "SEH", legacy, notice("progress", `{"progressToken":1,"progress":$j,"message":"m","pad":"$pad"}`), noHandlers, nil},
		{"tool names", "S", legacy, page(short(taskTool), pad), taskHandlers, eachTool},
		{"long tool names", "S", legacy, page(long(taskTool), ""), taskHandlers, eachTool},
		{"tools with headers", "H", modern, page(short(headerTool), pad), noHandlers, eachTool},
		{"tools with headers and long names", "H", modern, page(long(headerTool), ""), noHandlers, eachTool},
		{"tools with long header names", "H", modern, page(strings.NewReplacer("$long", "", "$header", "$pad").Replace(headerTool), ""), noHandlers, eachTool},
		{"schemas of outputs", "SH", modern, page(`{"name":"t$i","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, pad), func(<-chan struct{}) *mcp.Options {
			return &mcp.Options{Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept}}
		}, eachTool},
		{"pages with one tool each", "SH", modern, page(simpleTool, pad), noHandlers, allTools},
		{"pages with white space", "SH", modern, page(simpleTool+"$space", ""), noHandlers, allTools},
		{"pages with long tools", "SH", modern, page(`{"name":"t$i","description":"$pad","inputSchema":{"type":"object"}}`, ""), noHandlers, allTools},
		{"long cursors", "SH", modern, `{"resultType":"complete","tools":[` + simpleTool + `],"nextCursor":"$j$pad"}`, noHandlers, eachTool},
		{"cache entries", "SH", modern, `{"resultType":"complete","ttlMs":100000,"contents":[{"uri":"r:/","text":"$pad"}]}`, cacheHandlers, eachResource},
		{"empty cache entries", "SH", modern, `{"resultType":"complete","ttlMs":100000,"contents":[]}` + outside + "$pad", cacheHandlers, eachResource},
	}
}

// outside ends the result: what follows is beside it in the response.
const outside = "\x00"

func noHandlers(<-chan struct{}) *mcp.Options { return &mcp.Options{} }

func logHandlers(release <-chan struct{}) *mcp.Options {
	return &mcp.Options{Log: func(context.Context, *mcp.LogMessage) { <-release }}
}

func cacheHandlers(<-chan struct{}) *mcp.Options {
	return &mcp.Options{Cache: mcp.CacheSize(byteLimit())}
}

func pageHandlers(<-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) {
		return mcp.ElicitDecline, nil
	}}}}
}

func requestHandlers(release <-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.HandleRequest("odd/request", func(context.Context, mcp.RawMessage) (any, error) {
		<-release
		return map[string]any{}, nil
	})}}
}

func taskHandlers(<-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}}
}

// subscribed subscribes to resources, and reads no change.
func subscribed(ctx context.Context, c *mcp.Client, _ func()) error {
	_, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"r:/"}})
	return err
}

func eachTool(ctx context.Context, c *mcp.Client, measure func()) error {
	for _, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		measure()
	}
	return nil
}

func allTools(ctx context.Context, c *mcp.Client, measure func()) error {
	tools, err := c.ListTools(ctx)
	measure()
	runtime.KeepAlive(tools)
	return err
}

func eachResource(ctx context.Context, c *mcp.Client, measure func()) error {
	for i := range manyItems {
		if _, err := c.ReadResource(ctx, "r:/"+strconv.Itoa(i)); err != nil {
			return err
		}
		measure()
	}
	return nil
}

// byteLimit is the limit of messages: 8 MiB in the long checks.
func byteLimit() int {
	if os.Getenv("STDMCP_LONG") != "" {
		return 8 << 20
	}
	return 512 << 10
}

// slack is what goroutines, the HTTP server and others keep.
const slack = 256 << 10

// TestKeptBytes: whatever a server sends, a client keeps no more than a message
// or two of it, however small the part is that it has a use for.
func TestKeptBytes(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector needs memory of its own")
	}
	limit := byteLimit()
	for _, s := range byteScenarios() {
		for _, on := range s.on {
			t.Run(s.name+" "+string(on), func(t *testing.T) {
				s := s
				if on == 'E' {
					s.version = oldest
				}
				arriving, idle := s.keeps(t, on, limit)
				figures.add(fmt.Sprintf("bytes kept of %d messages of %s: %s, %c", manyItems, mib(int64(limit)), s.name, on),
					"2.5 × and 1 × a message", "%s while they arrive, %s idle", mib(int64(arriving)), mib(int64(idle)))
				if max := limit*5/2 + slack; arriving > max {
					t.Errorf("the client keeps %d bytes while items arrive, want at most %d", arriving, max)
				}
				if max := limit + slack; idle > max {
					t.Errorf("the idle client keeps %d bytes, want at most %d", idle, max)
				}
			})
		}
	}
}

// keeps returns how many bytes a client keeps while the items arrive and when it
// is idle again.
func (s *byteScenario) keeps(t *testing.T, on rune, limit int) (arriving, idle int) {
	var transport mcp.Transport
	if on == 'S' {
		toClient, fromServer := io.Pipe()
		toServer, fromClient := io.Pipe()
		go s.serveStream(toServer, fromServer, limit) // ends when the client closes
		stream := stdio.Stream(duplex{toClient, fromClient, toClient})
		stream.MaxMessage = limit
		transport = stream
	} else if on == 'E' {
		server := httptest.NewServer(s.serveSSE(limit))
		defer server.Close()
		transport = sse.New(server.URL, &sse.Options{MaxMessage: limit, Client: server.Client()})
	} else {
		server := httptest.NewServer(s.serveHTTP(limit))
		defer server.Close()
		transport = streamhttp.New(server.URL, &streamhttp.Options{MaxMessage: limit, Client: server.Client()})
	}
	release := make(chan struct{})
	opts := s.handlers(release)
	opts.ProtocolVersions = []string{s.version}
	var received atomic.Int64
	opts.Trace = &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
		if !sent && len(data) > limit/2 {
			received.Add(1)
		}
	}}
	c, err := mcp.Connect(t.Context(), transport, opts)
	testutil.Must(t, err)
	defer c.Close()
	before := inUse()
	n := 0
	measure := func() {
		if n++; n%10 == 1 {
			arriving = max(arriving, inUse()-before)
		}
	}
	if s.run != nil {
		if err := s.run(t.Context(), c, measure); err != nil && !errors.Is(err, mcp.ErrListLimit) {
			t.Fatal(err)
		}
	}
	if received.Load() == 0 {
		ended := make(chan error, 1)
		go func() {
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "flood", Progress: wait[mcp.Progress](release)})
			ended <- err
		}()
		if !testutil.Eventually(func() bool { return received.Load() == manyItems }) {
			t.Fatalf("%d items arrived", received.Load())
		}
		// The last one is being handled for a moment.
		testutil.Eventually(func() bool { arriving = inUse() - before; return arriving <= limit*5/2+slack })
		close(release)
		testutil.Check(t, <-ended)
	}
	// What handlers still do takes them a moment.
	testutil.Eventually(func() bool { idle = inUse() - before; return idle <= limit+slack })
	runtime.KeepAlive(c)
	return arriving, idle
}

// inUse returns how many bytes are in use. Two collections empty pools, too.
func inUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
