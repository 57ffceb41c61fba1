package faulttest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// manyItems is how many items a server sends of each kind.
const manyItems = 60

// A byteScenario is a kind of item of which a client keeps something: a server
// sends it manyItems times, in messages of the greatest length.
type byteScenario struct {
	name    string
	on      string // S, H
	version string

	// item returns the JSON text of item i. What is called pad in it, if
	// anything, is as long as the message permits.
	item func(i int, pad string) string

	// handlers returns the options of the client. What it has the library call
	// waits for release.
	handlers func(release <-chan struct{}) *mcp.Options

	// run makes the server send the items. measure measures what the client
	// keeps.
	run func(ctx context.Context, c *mcp.Client, measure func()) error
}

func wait[T any](release <-chan struct{}) func(T) { return func(T) { <-release } }

func byteScenarios() []byteScenario {
	notification := func(method string, item func(i int, pad string) string) func(int, string) string {
		return func(i int, pad string) string {
			return `{"jsonrpc":"2.0","method":"` + method + `","params":` + item(i, pad) + `}`
		}
	}
	page := func(members string) func(int, string) string {
		return func(i int, pad string) string {
			next := `,"nextCursor":"` + strconv.Itoa(i+1) + `"`
			if i == manyItems-1 {
				next = ""
			}
			return `{"resultType":"complete",` + fmt.Sprintf(strings.ReplaceAll(members, "PAD", pad), i) + next + `}`
		}
	}
	none := func(<-chan struct{}) *mcp.Options { return &mcp.Options{} }
	pages := func(ctx context.Context, c *mcp.Client, measure func()) error {
		for _, err := range c.Tools(ctx) {
			if err != nil {
				return err
			}
			measure()
		}
		return nil
	}
	wholeList := func(ctx context.Context, c *mcp.Client, measure func()) error {
		tools, err := c.ListTools(ctx)
		measure()
		runtime.KeepAlive(tools)
		return err
	}
	return []byteScenario{
		{name: "log lines", on: "SH", version: legacy,
			item: notification("notifications/message", func(i int, pad string) string {
				return `{"level":"info","data":"line ` + strconv.Itoa(i) + `","pad":"` + pad + `"}`
			}),
			handlers: func(release <-chan struct{}) *mcp.Options {
				return &mcp.Options{Log: func(context.Context, *mcp.LogMessage) { <-release }}
			}},
		{name: "log lines in padded messages", on: "SH", version: legacy,
			item: func(i int, pad string) string {
				return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line"},"pad":"` + pad + `"}`
			},
			handlers: func(release <-chan struct{}) *mcp.Options {
				return &mcp.Options{Log: func(context.Context, *mcp.LogMessage) { <-release }}
			}},
		{name: "other notifications", on: "SH", version: legacy,
			item: notification("notifications/odd", func(i int, pad string) string { return `{"pad":"` + pad + `"}` }),
			handlers: func(release <-chan struct{}) *mcp.Options {
				return &mcp.Options{Handlers: []mcp.Handler{mcp.NotificationFunc(func(context.Context, string, mcp.RawMessage) { <-release })}}
			}},
		{name: "elicitation ids", on: "SH", version: legacy,
			item: notification("notifications/elicitation/complete", func(i int, pad string) string {
				return `{"elicitationId":"id` + strconv.Itoa(i) + `","pad":"` + pad + `"}`
			}), handlers: pageHandlers},
		{name: "long elicitation ids", on: "SH", version: legacy,
			item: notification("notifications/elicitation/complete", func(i int, pad string) string {
				return `{"elicitationId":"` + strconv.Itoa(i) + pad + `"}`
			}), handlers: pageHandlers},
		{name: "requests of the server", on: "SH", version: legacy,
			item: func(i int, pad string) string {
				return `{"jsonrpc":"2.0","id":"r` + strconv.Itoa(i) + `","method":"odd/request","params":{"pad":"` + pad + `"}}`
			}, handlers: requestHandlers},
		{name: "long ids of requests of the server", on: "SH", version: legacy,
			item: func(i int, pad string) string {
				return `{"jsonrpc":"2.0","id":"` + strconv.Itoa(i) + pad + `","method":"odd/request"}`
			}, handlers: requestHandlers},
		{name: "resource URIs", on: "SH", version: legacy,
			item: notification("notifications/resources/updated", func(i int, pad string) string {
				return `{"uri":"r:/` + strconv.Itoa(i) + `","pad":"` + pad + `"}`
			}), handlers: none, run: subscribed},
		{name: "long resource URIs", on: "SH", version: legacy,
			item: notification("notifications/resources/updated", func(i int, pad string) string {
				return `{"uri":"r:/` + strconv.Itoa(i) + pad + `"}`
			}), handlers: none, run: subscribed},
		{name: "progress", on: "SH", version: legacy,
			item: notification("notifications/progress", func(i int, pad string) string {
				return `{"progressToken":1,"progress":` + strconv.Itoa(i+1) + `,"message":"m","pad":"` + pad + `"}`
			}),
			handlers: none},
		{name: "tool names", on: "S", version: legacy, item: page(`"tools":[{"name":"t%d","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}],"pad":"PAD"`),
			handlers: taskHandlers, run: pages},
		{name: "long tool names", on: "S", version: legacy, item: page(`"tools":[{"name":"t%dPAD","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]`),
			handlers: taskHandlers, run: pages},
		{name: "tools with headers", on: "H", version: modern, item: page(`"tools":[{"name":"t%d","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}],"pad":"PAD"`),
			handlers: none, run: pages},
		{name: "tools with headers and long names", on: "H", version: modern, item: page(`"tools":[{"name":"t%dPAD","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]`),
			handlers: none, run: pages},
		{name: "tools with long header names", on: "H", version: modern, item: page(`"tools":[{"name":"t%d","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"APAD"}}}}]`),
			handlers: none, run: pages},
		{name: "pages with one tool each", on: "SH", version: modern, item: page(`"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"pad":"PAD"`),
			handlers: none, run: wholeList},
		{name: "pages with white space", on: "SH", version: modern, item: func(i int, pad string) string {
			return page(`"tools":[{"name":"t%d","inputSchema":{"type":"object"}}`+strings.Repeat(" ", len(pad))+`]`)(i, "")
		}, handlers: none, run: wholeList},
		{name: "pages with long tools", on: "SH", version: modern, item: page(`"tools":[{"name":"t%d","description":"PAD","inputSchema":{"type":"object"}}]`),
			handlers: none, run: wholeList},
		{name: "long cursors", on: "SH", version: modern, item: func(i int, pad string) string {
			return `{"resultType":"complete","tools":[{"name":"t` + strconv.Itoa(i) + `","inputSchema":{"type":"object"}}],"nextCursor":"` + strconv.Itoa(i+1) + pad + `"}`
		}, handlers: none, run: pages},
		{name: "cache entries", on: "SH", version: modern, item: func(i int, pad string) string {
			return `{"resultType":"complete","ttlMs":100000,"contents":[{"uri":"r:/","text":"` + pad + `"}]}`
		}, handlers: func(<-chan struct{}) *mcp.Options { return &mcp.Options{Cache: mcp.CacheSize(byteLimit())} },
			run: func(ctx context.Context, c *mcp.Client, measure func()) error {
				for i := range manyItems {
					if _, err := c.ReadResource(ctx, "r:/"+strconv.Itoa(i)); err != nil {
						return err
					}
					measure()
				}
				return nil
			}},
		{name: "empty cache entries", on: "SH", version: modern, item: func(i int, pad string) string {
			return `{"resultType":"complete","ttlMs":100000,"contents":[]}` + "\x00" + pad // see answer
		}, handlers: func(<-chan struct{}) *mcp.Options { return &mcp.Options{Cache: mcp.CacheSize(byteLimit())} },
			run: func(ctx context.Context, c *mcp.Client, measure func()) error {
				for i := range manyItems {
					if _, err := c.ReadResource(ctx, "r:/"+strconv.Itoa(i)); err != nil {
						return err
					}
				}
				measure()
				return nil
			}},
	}
}

func pageHandlers(<-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{OpenURL: func(context.Context, *mcp.URLRequest) (string, error) {
		return mcp.ElicitDecline, nil
	}}}}
}

func requestHandlers(release <-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.HandlerFunc("odd/request", func(context.Context, mcp.RawMessage) (any, error) {
		<-release
		return map[string]any{}, nil
	})}}
}

func taskHandlers(<-chan struct{}) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}}
}

// subscribed subscribes to resources, and reads no change.
func subscribed(ctx context.Context, c *mcp.Client, measure func()) error {
	if _, err := c.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"r:/"}}); err != nil {
		return err
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

// answer returns the messages with which the server responds to a request.
func (s *byteScenario) answer(method string, id, params json.RawMessage, limit int) iter.Seq[string] {
	pad := func(used string) string { return strings.Repeat("x", limit-len(used)-200-len(id)) }
	result := func(text string) string {
		text, outside, _ := strings.Cut(text, "\x00")
		if outside != "" {
			outside = `,"outside":"` + outside + `"`
		}
		return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + text + outside + `}`
	}
	caps := `"capabilities":{"tools":{},"resources":{"subscribe":true},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}}`
	return func(yield func(string) bool) {
		if id == nil {
			return
		}
		switch method {
		case "initialize":
			yield(result(`{"protocolVersion":"` + s.version + `",` + caps + `,"serverInfo":{"name":"s","version":"1"}}`))
		case "server/discover":
			yield(result(`{"resultType":"complete","supportedVersions":["` + s.version + `"],` + caps + `}`))
		case "tools/list", "resources/read":
			var p struct {
				Cursor string
				URI    string
			}
			_ = json.Unmarshal(params, &p)
			i, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimRight(p.Cursor, "x"), "r:/"))
			yield(result(s.item(i, pad(s.item(i, "")))))
		case "tools/call":
			for i := range manyItems {
				if !yield(s.item(i, pad(s.item(i, "")))) {
					return
				}
			}
			yield(result(`{"resultType":"complete","content":[]}`))
		default:
			yield(result(`{"resultType":"complete"}`))
		}
	}
}

// serveStream serves one client until it closes.
func (s *byteScenario) serveStream(r io.Reader, w io.Writer, limit int) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID, Params json.RawMessage
			Method     string
		}
		_ = json.Unmarshal(line, &m)
		if m.Method == "" {
			continue
		}
		for text := range s.answer(m.Method, m.ID, m.Params, limit) {
			if _, err := io.WriteString(w, text+"\n"); err != nil {
				return
			}
		}
	}
}

func (s *byteScenario) serveHTTP(limit int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID, Params json.RawMessage
			Method     string
		}
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if _ = json.NewDecoder(r.Body).Decode(&m); m.Method == "" || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for text := range s.answer(m.Method, m.ID, m.Params, limit) {
			if _, err := io.WriteString(w, "data: "+text+"\n\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
}

// duplex is one end of two pipes.
type duplex struct {
	io.Reader
	io.WriteCloser
	other io.Closer
}

func (d duplex) Close() error { return errors.Join(d.WriteCloser.Close(), d.other.Close()) }

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
				arriving, idle := s.keeps(t, on, limit)
				figures.add(fmt.Sprintf("bytes kept of %d messages of %s: %s, %c", manyItems, mib(int64(limit)), s.name, on),
					"2.5 × and 1 × a message", "%s while they arrive, %s idle", mib(int64(arriving)), mib(int64(idle)))
				const slack = 256 << 10 // of goroutines, the HTTP server and others
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
	} else {
		server := httptest.NewServer(s.serveHTTP(limit))
		defer server.Close()
		transport = streamhttp.New(server.URL, &streamhttp.Options{MaxMessage: limit, Client: server.Client()})
	}
	release := make(chan struct{})
	opts := s.handlers(release)
	opts.ProtocolVersions = []string{s.version}
	var received atomic.Int64
	opts.Trace = &mcp.Trace{Message: func(sent bool, data []byte) {
		if !sent && len(data) > limit/2 {
			received.Add(1)
		}
	}}
	c, err := mcp.Connect(t.Context(), transport, opts)
	if err != nil {
		t.Fatal(err)
	}
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
		time.Sleep(10 * time.Millisecond) // the last one is being handled
		measure()
		close(release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	// What handlers still do takes them a moment.
	for range 20 {
		if idle = inUse() - before; idle < limit {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
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
