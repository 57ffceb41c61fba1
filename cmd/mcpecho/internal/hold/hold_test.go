package hold

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestMain(m *testing.M) { testutil.Main(m) }

// inFolder makes an empty folder that of the sockets. Its path is short.
func inFolder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "plan9" || runtime.GOOS == "wasip1" || runtime.GOOS == "js" {
		t.Skip("this system has no Unix sockets between processes")
	}
	dir, err := os.MkdirTemp("", "hold")
	testutil.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("LocalAppData", dir)
	return filepath.Join(dir, "mcpecho")
}

// begin begins a session with a server.
func begin(t *testing.T, server *mcptest.Server, name, version string, handlers ...mcp.Handler) *Holder {
	t.Helper()
	h, err := Name{name, "mcpecho"}.Hold(t.Context(), "a server", func(s string) string { return strings.ReplaceAll(s, "secret", "…") }, func() {})
	testutil.Must(t, err)
	t.Cleanup(func() {
		began := time.Now()
		h.End("")
		h.Close()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
	client, err := mcp.Connect(t.Context(), h.Wrap(server), &mcp.Options{ProtocolVersions: []string{version}, Timeout: -1, MaxTimeout: -1, Handlers: []mcp.Handler{mcp.Tasks{}}})
	testutil.Must(t, err)
	t.Cleanup(func() { client.Close() })
	greeting := mcp.RawMessage(`{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"a","version":"1"}}`)
	if client.Server().Modern() {
		greeting, err = client.Call(t.Context(), "server/discover", nil)
		testutil.Must(t, err)
	}
	testutil.Must(t, h.Serve(&Session{
		Client: client, Greeting: greeting, Explain: failure.Classify, Handlers: handlers,
		Sent: func(ctx context.Context) (context.Context, *mcp.RawMessage) { return ctx, new(mcp.RawMessage) },
	}))
	return h
}

// call connects a caller.
func call(t *testing.T, name string) *mcp.Client {
	t.Helper()
	tr := &Transport{Name: Name{name, "mcpecho"}}
	c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Handlers: append(tr.Handlers(), mcp.Tasks{})})
	testutil.Must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// greet connects to a holder, and greets it as a caller does.
func greet(t *testing.T, name string) net.Conn {
	t.Helper()
	path, err := Name{Text: name}.path(false)
	testutil.Must(t, err)
	conn, err := net.Dial("unix", path+".sock")
	testutil.Must(t, err)
	_, err = io.WriteString(conn, `{"jsonrpc":"2.0","id":0,"method":"\u0000mcpecho/hello"}`+"\n"+`{"jsonrpc":"2.0","id":0,"method":"\u0000mcpecho/session"}`+"\n")
	testutil.Must(t, err)
	for lines, b := 0, []byte{0}; lines < 2; { // of the responses
		_, err = conn.Read(b)
		testutil.Must(t, err)
		if b[0] == '\n' {
			lines++
		}
	}
	return conn
}

var versions = []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125}

// echo returns a server with a tool that returns its argument.
func echo(t *testing.T) *mcptest.Server {
	server := mcptest.New(t)
	server.Tool("echo", nil, func(c *mcptest.Call) (any, error) { return c.Text("text"), nil })
	return server
}

// TestNoCallIsLostOrCrossed: many calls of many callers, after which nothing is left.
func TestNoCallIsLostOrCrossed(t *testing.T) {
	const callers, each = 20, 250 // with each version
	dir := inFolder(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			server := echo(t)
			h := begin(t, server, "many", version)
			var group sync.WaitGroup
			for i := range callers {
				group.Go(func() {
					c := call(t, "many")
					defer c.Close()
					for j := range each {
						want := strconv.Itoa(i) + "-" + strconv.Itoa(j)
						res, err := c.CallTool(t.Context(), "echo", map[string]any{"text": want})
						if err != nil || len(res.Content) != 1 || res.Content[0].Text != want {
							t.Errorf("%s: %+v, %v", want, res, err)
							return
						}
					}
				})
			}
			group.Wait()
			if n := len(server.Calls("echo")); n != callers*each && n < 1000 {
				t.Errorf("the server received %d calls", n)
			}
			if !testutil.Eventually(func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.callers) == 0 }) {
				t.Error("callers are left")
			}
		})
		if entries, _ := os.ReadDir(dir); len(entries) != 1 || entries[0].Name() != "lock" {
			t.Errorf("left: %v", entries)
		}
	}
}

// TestLargeResult: a long one, with characters that
// are longer for a caller.
func TestLargeResult(t *testing.T) {
	inFolder(t)
	server := mcptest.New(t)
	size := 30 << 20
	if testing.Short() {
		size = 1 << 20
	}
	text := strings.Repeat("x", size-300) + strings.Repeat("\u2028", 100)
	server.Tool("large", nil, func(*mcptest.Call) (any, error) { return text, nil })
	begin(t, server, "large", versions[0])
	res, err := call(t, "large").CallTool(t.Context(), "large", nil)
	if err != nil || res.Content[0].Text != text {
		t.Errorf("%v", err)
	}
}

// TestCallerVanishes: the server is told that the call is canceled, and others are served.
func TestCallerVanishes(t *testing.T) {
	inFolder(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			server := echo(t)
			began, canceled := make(chan bool), make(chan bool)
			server.Tool("long", nil, func(c *mcptest.Call) (any, error) {
				close(began)
				<-c.Context().Done()
				close(canceled)
				return nil, c.Context().Err()
			})
			h := begin(t, server, "vanish", version)
			s := greet(t, "vanish")
			_, err := io.WriteString(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long"}}`+"\n")
			testutil.Must(t, err)
			<-began
			if h.Idle() {
				t.Error("a call is pending")
			}
			testutil.Must(t, s.Close())
			<-canceled
			if res, err := call(t, "vanish").CallTool(t.Context(), "echo", map[string]any{"text": "a"}); err != nil || res.Content[0].Text != "a" {
				t.Error(err)
			}
		})
	}
}

// TestCancelAndProgress: both belong to the call of one caller.
func TestCancelAndProgress(t *testing.T) {
	inFolder(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			server := mcptest.New(t)
			ended := make(chan bool, 2)
			server.Tool("long", nil, func(c *mcptest.Call) (any, error) {
				c.Progress(1, 2, "a secret "+c.Text("who"))
				<-c.Context().Done()
				ended <- true
				return nil, c.Context().Err()
			})
			begin(t, server, "progress", version)
			for _, who := range []string{"one", "two"} {
				ctx, cancel := context.WithCancel(t.Context())
				_, err := call(t, "progress").Do(ctx, &mcp.ToolCall{Name: "long", Arguments: map[string]any{"who": who}, Progress: func(p mcp.Progress) {
					if p.Message != "a … "+who || p.Progress != 1 || p.Total == nil || *p.Total != 2 {
						t.Errorf("%s: %+v", who, p)
					}
					cancel()
				}})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", who, err)
				}
				<-ended
			}
		})
	}
}

// TestCallersSayWhatTheHolderSays about questions, and nothing without a note.
func TestCallersSayWhatTheHolderSays(t *testing.T) {
	inFolder(t)
	h := begin(t, echo(t), "asks", versions[1])
	defer h.Asking("")()
	said := make(chan string, 10)
	tr := &Transport{Name: Name{"asks", "mcpecho"}, Note: func(note string) { said <- note }}
	c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Handlers: tr.Handlers()})
	testutil.Must(t, err)
	defer c.Close()
	for _, note := range []string{"shown", "", "declined"} {
		h.Asking(note)()
	}
	want := func(notes ...string) {
		t.Helper()
		for _, want := range notes {
			if got := <-said; got != want {
				t.Errorf("%q, not %q", got, want)
			}
		}
	}
	want("shown", "declined")
	h.Tell("lost")
	want("lost")
	c.Close()
	if !testutil.Eventually(func() bool { h.mu.Lock(); defer h.mu.Unlock(); return len(h.callers) == 0 }) {
		t.Fatal("the caller is left")
	}
	h.Tell("lost again") // to the next caller, and no other
	defer h.Asking(OnTerminal + "Who?")()
	for _, lost := range []string{"lost again", ""} {
		c, err := mcp.Connect(t.Context(), tr, &mcp.Options{Handlers: tr.Handlers()})
		testutil.Must(t, err)
		defer c.Close()
		if lost != "" {
			want(lost)
		}
		want(OnTerminal + "Who?")
	}
}

// TestHolderOpensRequiredPages: an error requests a page (2025-11-25), and the call is repeated.
func TestHolderOpensRequiredPages(t *testing.T) {
	inFolder(t)
	server, opened := echo(t), ""
	server.Tool("page", nil, func(c *mcptest.Call) (any, error) {
		if opened == "" {
			return nil, c.RequireURL("Log in", "https://example.com/", "1")
		}
		return "done", nil
	})
	begin(t, server, "pages", versions[1], mcp.Elicitation{OpenURL: func(_ context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
		opened = r.Message + " " + r.URL
		server.PageDone("1")
		return mcp.ElicitAccept, nil
	}})
	result, err := call(t, "pages").CallTool(t.Context(), "page", nil)
	testutil.Must(t, err)
	if result.Content[0].Text != "done" || opened != "Log in https://example.com/" {
		t.Errorf("%q, opened %q", result.Text(), opened)
	}
}

// TestLogsComeBeforeTheResponse, which is all that a caller may wait for.
func TestLogsComeBeforeTheResponse(t *testing.T) {
	inFolder(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			const calls = 100
			server := mcptest.New(t)
			server.Tool("log", nil, func(c *mcptest.Call) (any, error) {
				c.Log("info", "one")
				c.Log("info", "two")
				return "", nil
			})
			begin(t, server, "logs", version)
			for range calls {
				var logs atomic.Int32
				tr := &Transport{Name: Name{"logs", "mcpecho"}}
				c, err := mcp.Connect(t.Context(), tr, &mcp.Options{LogLevel: "debug", Trace: &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
					if !sent && wire.TextOf(data, "method") == "notifications/message" {
						logs.Add(1)
					}
				}}})
				testutil.Must(t, err)
				_, err = c.CallTool(t.Context(), "log", nil)
				if n := logs.Load(); err != nil || n != 2 {
					t.Fatalf("%d logs, %v", n, err)
				}
				c.Close()
			}
		})
	}
}

// TestLevelOfWatch: the calls of all callers have it while one watches, unless they have their own.
func TestLevelOfWatch(t *testing.T) {
	inFolder(t)
	server := echo(t)
	h := begin(t, server, "level", versions[0])
	level := func(own mcp.LoggingLevel) string {
		c := call(t, "level")
		testutil.Must(t, c.SetLogLevel(t.Context(), own))
		_, err := c.CallTool(t.Context(), "echo", map[string]any{"text": "a"})
		testutil.Must(t, err)
		calls := server.Calls("echo")
		raw := wire.Lookup(calls[len(calls)-1].Params, "_meta", logLevel)
		return string(raw)
	}
	watch := call(t, "level")
	testutil.Must(t, watch.SetLogLevel(t.Context(), "info"))
	before := level("")
	_, err := watch.Call(t.Context(), Kept, nil)
	testutil.Must(t, err)
	during, own := level(""), level("error")
	most := call(t, "level")
	testutil.Must(t, most.SetLogLevel(t.Context(), "debug"))
	_, err = most.Call(t.Context(), Kept, nil)
	testutil.Must(t, err)
	for range 20 { // in the order of a map
		if got := level(""); got != `"debug"` {
			t.Errorf("two watch: %s", got)
		}
	}
	most.Close()
	watch.Close()
	if !testutil.Eventually(func() bool { return h.level() == nil }) {
		t.Error("the level is left")
	}
	if got := []string{before, during, own, level("")}; !slices.Equal(got, []string{"", `"info"`, `"error"`, ""}) {
		t.Errorf("%q", got)
	}
}

// TestLogsBeforeKept: a caller that watches receives each log once, in the server's order.
func TestLogsBeforeKept(t *testing.T) {
	inFolder(t)
	h := begin(t, echo(t), "order", versions[1])
	send := func(text string) {
		h.receive("notifications/message", mcp.RawMessage(`{"level":"info","data":"`+text+`"}`))
	}
	send("1")
	tr := &Transport{Name: Name{"order", "mcpecho"}, Watches: true}
	var logs []string // a client calls Log one after another, and before it returns a later response
	watch, err := mcp.Connect(t.Context(), tr, &mcp.Options{Handlers: tr.Handlers(), Log: func(_ context.Context, m *mcp.LogMessage) { logs = append(logs, string(m.Data)) }})
	testutil.Must(t, err)
	send("2")
	_, err = watch.Call(t.Context(), Kept, nil)
	testutil.Must(t, err)
	send("3")
	_, err = watch.CallTool(t.Context(), "echo", map[string]any{"text": "a"})
	testutil.Must(t, err)
	watch.Close()
	if !slices.Equal(logs, []string{`"1"`, `"2"`, `"3"`}) {
		t.Errorf("%q", logs)
	}
}

// TestLevelOfTheServer: before 2026-07-28, it is that with the most logs of all callers, also
// after one has left.
func TestLevelOfTheServer(t *testing.T) {
	inFolder(t)
	server := echo(t)
	h := begin(t, server, "level", versions[1])
	set := func(level mcp.LoggingLevel) *mcp.Client {
		c := call(t, "level")
		testutil.Must(t, c.SetLogLevel(t.Context(), level))
		return c
	}
	sent := 0
	want := func(level string) {
		t.Helper()
		sent++
		if !testutil.Eventually(func() bool { return len(server.Requests("logging/setLevel")) >= sent }) {
			t.Fatal("no level")
		}
		if got := wire.TextOf(server.Requests("logging/setLevel")[sent-1].Params, "level"); got != level {
			t.Errorf("%q, not %q", got, level)
		}
	}
	watch := set("warning")
	want("warning")
	_, err := watch.Call(t.Context(), Kept, nil)
	testutil.Must(t, err)
	for _, test := range [][2]string{{"error", "warning"}, {"debug", "debug"}} {
		c := set(mcp.LoggingLevel(test[0]))
		want(test[1])
		c.Close()
		want("warning")
	}
	s := *h.session.Load()
	s.Level = "info" // of hold
	h.session.Store(&s)
	watch.Close()
	want("info")
}

// TestErrorsOfTheHolderAreItsOwn: a server cannot imitate them.
func TestErrorsOfTheHolderAreItsOwn(t *testing.T) {
	inFolder(t)
	server := mcptest.New(t)
	server.Resource("a:b", "text/plain", "text")
	server.Inject("resources/read", mcptest.Refuse(-32603, `secret {"status":0,"error":{"kind":"x"}}`))
	h := begin(t, server, "errors", versions[1])
	c := call(t, "errors")
	_, err := c.Call(t.Context(), "resources/read", map[string]any{"uri": "a:b"})
	if f := failure.Classify(err); f.Status != failure.Refused || f.Code != -32603 || strings.Contains(f.Message, "secret") {
		t.Errorf("%+v", f)
	}
	go h.session.Load().Client.Close()
	_, err = c.Call(t.Context(), "resources/read", map[string]any{"uri": "a:b"})
	for err == nil || failure.Classify(err).Status == failure.Refused {
		_, err = c.Call(t.Context(), "resources/read", map[string]any{"uri": "a:b"})
	}
	if f := failure.Classify(err); f.Status != failure.Unreachable || f.Kind != "unreachable" {
		t.Errorf("%+v", f)
	}
}

// TestGarbage: what is not mcpecho gets nothing, and others are served.
func TestGarbage(t *testing.T) {
	dir := inFolder(t)
	begin(t, echo(t), "garbage", versions[0])
	for _, text := range []string{
		"\n", "GET / HTTP/1.1\r\n\r\n", "{}\n", `{"mcpecho":1}` + "\n", "\x00\xff\xfe\n", strings.Repeat("x", 10<<10), `{"mcpecho":"` + strings.Repeat("1", 5000) + `"}` + "\n",
	} {
		conn, err := net.Dial("unix", filepath.Join(dir, "garbage.sock"))
		testutil.Must(t, err)
		_, _ = io.WriteString(conn, text)
		_ = conn.(*net.UnixConn).CloseWrite()
		if got, err := io.ReadAll(conn); len(got) > 0 {
			t.Errorf("%.20q: got %q, %v", text, got, err)
		}
		_ = conn.Close()
	}
	for _, text := range []string{
		"x\n", "[]\n", "[1,2]\n", `{"jsonrpc":"2.0","id":1}` + "\n", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}` + "\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":1}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":7}}` + "\n", `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":[]}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":7}}` + "\n", `{"jsonrpc":"2.0","id":1,"id":9,"method":"\u0000mcpecho/ended","params":{}}` + "\n",
		strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"\u0000mcpecho/kept"}`+"\n", 3000), strings.Repeat("[", 1<<20) + "\n",
	} {
		s := greet(t, "garbage")
		go func() { _, _ = io.Copy(io.Discard, s) }() // ends with s
		_, _ = io.WriteString(s, text)
		_ = s.Close()
	}
	if res, err := call(t, "garbage").CallTool(t.Context(), "echo", map[string]any{"text": "a"}); err != nil || res.Content[0].Text != "a" {
		t.Error(err)
	}
}

// TestSlowReader: a caller that does not read delays neither others nor the end.
func TestSlowReader(t *testing.T) {
	inFolder(t)
	server := echo(t)
	server.Tool("large", nil, func(*mcptest.Call) (any, error) { return strings.Repeat("x", 1<<18), nil })
	h := begin(t, server, "slow", versions[1])
	s := greet(t, "slow")
	defer s.Close()
	for range 5 {
		_, err := io.WriteString(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large"}}`+"\n")
		testutil.Must(t, err)
	}
	for range 1000 {
		h.receive("notifications/message", mcp.RawMessage(`{"level":"info","data":"secret"}`))
	}
	if res, err := call(t, "slow").CallTool(t.Context(), "echo", map[string]any{"text": "a"}); err != nil || res.Content[0].Text != "a" {
		t.Error(err)
	}
	if len(h.kept) > maxWaiting || bytes.Contains(h.kept[0].params, []byte("secret")) {
		t.Errorf("kept %d, %s", len(h.kept), h.kept[0].params)
	}
}

// TestLogsForACallerThatDoesNotRead: what waits for it is limited in bytes.
func TestLogsForACallerThatDoesNotRead(t *testing.T) {
	inFolder(t)
	h := begin(t, echo(t), "stopped", versions[1])
	s := greet(t, "stopped")
	defer s.Close()
	for range 100 {
		h.receive("notifications/message", mcp.RawMessage(`{"level":"info","data":"`+strings.Repeat("x", 1<<20)+`"}`))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.callers) != 1 {
		t.Errorf("%d callers", len(h.callers))
	}
	for c := range h.callers {
		size := 0
		for c.budget.Take(1 << 20) { // what is left
			size += 1 << 20
		}
		if size = waitSize - size; size > 8<<20 {
			t.Errorf("%d bytes wait", size)
		}
	}
}

// TestFlood: a caller with too many calls is disconnected, and others are served.
func TestFlood(t *testing.T) {
	inFolder(t)
	server := echo(t)
	server.Tool("long", nil, func(c *mcptest.Call) (any, error) { <-c.Context().Done(); return nil, c.Context().Err() })
	begin(t, server, "flood", versions[0])
	s := greet(t, "flood")
	defer s.Close()
	go func() { // ends with s
		for i := range 2 * maxCalls {
			_, _ = io.WriteString(s, `{"jsonrpc":"2.0","id":`+strconv.Itoa(i+1)+`,"method":"tools/call","params":{"name":"long"}}`+"\n")
		}
	}()
	_, _ = io.Copy(io.Discard, s) // until the holder closes it
	if res, err := call(t, "flood").CallTool(t.Context(), "echo", map[string]any{"text": "a"}); err != nil || res.Content[0].Text != "a" {
		t.Error(err)
	}
}

// TestReasonHasNoSecrets: commands that read the reason later do not know them.
func TestReasonHasNoSecrets(t *testing.T) {
	inFolder(t)
	h := begin(t, echo(t), "told", versions[1])
	c := call(t, "told")
	h.End("the server wrote secret")
	h.Close()
	for _, err := range []error{c.Ping(t.Context()), Name{"told", "mcpecho"}.lost(io.EOF)} {
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "the server wrote") {
			t.Error(err)
		}
	}
}

// TestOtherVersion: a caller says to which version the session belongs, and can end it.
func TestOtherVersion(t *testing.T) {
	dir := inFolder(t)
	testutil.Must(t, os.Mkdir(dir, 0o700))
	fake(t, dir, "theirs", `{"jsonrpc":"2.0","id":1,"result":{"version":"99.0.0\u001b[2J"}}`)
	_, err := (&Transport{Name: Name{"theirs", "go run x"}}).Open(t.Context(), jsonrpc.Handler{})
	if f := failure.Classify(err); f.Status != failure.Usage || !strings.Contains(f.Message, `the session @theirs belongs to mcpecho 99.0.0`) || strings.Contains(f.Message, "\x1b") || !strings.HasSuffix(f.Hint, ": go run x release theirs") {
		t.Errorf("%+v", f)
	}
}

// fake answers the first request of each caller with lines.
func fake(t *testing.T, dir, name string, lines ...string) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(dir, name+".sock"))
	testutil.Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with l
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1000))
			_, _ = io.WriteString(conn, strings.Join(lines, "\n")+"\n")
			_ = conn.(*net.UnixConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
}

// TestSessionEndsInTheHandshake: a caller learns the reason.
func TestSessionEndsInTheHandshake(t *testing.T) {
	dir := inFolder(t)
	testutil.Must(t, os.Mkdir(dir, 0o700))
	hello := `{"jsonrpc":"2.0","id":1,"result":{"version":"` + mcp.Version + `"}}`
	fake(t, dir, "refused", `{"jsonrpc":"2.0","id":1,"error":{"code":1099511627780,"message":"ended\u0000\u0000out of luck"}}`)
	fake(t, dir, "killed", hello)
	fake(t, dir, "killed-early")
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "killed.state"), []byte("ended: out of luck"), 0o600))
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "killed-early.state"), []byte("ended: out of luck"), 0o600))
	for _, name := range []string{"refused", "killed", "killed-early"} {
		_, err := mcp.Connect(t.Context(), &Transport{Name: Name{Text: name}}, nil)
		if f := failure.Classify(err); f.Status != failure.Unreachable || f.Kind != "ended" || !strings.Contains(f.Message, "out of luck") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestStoppedHolder: its system accepts a caller, which says that nothing responds.
func TestStoppedHolder(t *testing.T) {
	dir := inFolder(t)
	testutil.Must(t, os.Mkdir(dir, 0o700))
	l, err := net.Listen("unix", filepath.Join(dir, "stopped.sock"))
	testutil.Must(t, err)
	defer l.Close()
	defer func(d time.Duration) { helloTime = d }(helloTime)
	helloTime = time.Millisecond
	_, err = mcp.Connect(t.Context(), &Transport{Name: Name{Text: "stopped"}}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, err := range []error{err, Name{Text: "stopped"}.Release(ctx)} {
		if f := failure.Classify(err); f.Status != failure.Unreachable || f.Kind != "timeout" || !strings.HasPrefix(f.Message, "the process that holds @stopped does not respond") {
			t.Errorf("%+v", f)
		}
	}
}

// TestForeignFolder: a folder that others can use, or that is a link, is not used.
func TestForeignFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: on Windows, the folder is in one that only the user can change")
	}
	dir := inFolder(t)
	refused := func(what string) {
		t.Helper()
		_, err := Name{"x", "mcpecho"}.Hold(t.Context(), "", nil, nil)
		if f := failure.Classify(err); f.Status != failure.Usage || !strings.Contains(f.Message, "is not private") {
			t.Errorf("%s: New: %+v", what, f)
		}
		_, err = (&Transport{Name: Name{Text: "x"}}).Open(t.Context(), jsonrpc.Handler{})
		if f := failure.Classify(err); f.Status != failure.Usage || !strings.Contains(f.Message, "is not private") {
			t.Errorf("%s: Open: %+v", what, f)
		}
	}
	testutil.Must(t, os.Mkdir(dir, 0o700))
	testutil.Must(t, os.Chmod(dir, 0o711))
	refused("mode")
	testutil.Must(t, os.Remove(dir))
	testutil.Must(t, os.Symlink(t.TempDir(), dir))
	refused("link")
	testutil.Must(t, os.Remove(dir))
	testutil.Must(t, os.WriteFile(dir, nil, 0o600))
	refused("file")
	testutil.Must(t, os.Remove(dir))
	if os.Geteuid() == 0 {
		testutil.Must(t, os.Mkdir(dir, 0o700))
		testutil.Must(t, os.Chown(dir, 12345, 12345))
		refused("another account")
		testutil.Must(t, os.Remove(dir))
	}
	// A runtime directory of others is not used either.
	testutil.Must(t, os.Chmod(filepath.Dir(dir), 0o755))
	t.Setenv("TMPDIR", t.TempDir())
	got, err := Name{}.path(false)
	if err != nil || !strings.Contains(got, "mcpecho-"+strconv.Itoa(os.Geteuid())) {
		t.Errorf("%s, %v", got, err)
	}
	// Others can put a folder of theirs in place of one in a shared directory that is not sticky.
	testutil.Must(t, os.Chmod(os.Getenv("TMPDIR"), 0o777))
	refused("shared")
	testutil.Must(t, os.Chmod(os.Getenv("TMPDIR"), 0o777|os.ModeSticky))
	if _, err := (Name{}).path(true); err != nil {
		t.Error(err)
	}
}

// TestNames of sessions.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "a-1": true, strings.Repeat("a", 32): true, strings.Repeat("a", 33): false, "": false, "A": false, "a/b": false, "..": false, "ä": false, "a b": false} {
		if IsName(name) != want {
			t.Errorf("%q", name)
		}
	}
	inFolder(t)
	if names := Names(); names != nil {
		t.Error(names)
	}
	begin(t, echo(t), "b", versions[0])
	begin(t, echo(t), "a", versions[0])
	if names := Names(); strings.Join(names, " ") != "a b" {
		t.Error(names)
	}
}

// TestLongPath of a socket.
func TestLongPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: on Windows, the folder is in one that only the user can change")
	}
	dir := filepath.Join(filepath.Dir(inFolder(t)), strings.Repeat("x", 90))
	testutil.Must(t, os.Mkdir(dir, 0o700))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	if _, err := (Name{"x", "mcpecho"}).Hold(t.Context(), "", nil, nil); err == nil || !strings.Contains(err.Error(), "longer than a system allows") {
		t.Error(err)
	}
}

// TestSubscriptionsOfTwoCallers: one unsubscribes, and the other keeps the resource.
func TestSubscriptionsOfTwoCallers(t *testing.T) {
	inFolder(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			server := mcptest.New(t)
			server.Resource("a:b", "text/plain", "text")
			begin(t, server, "two", version)
			filter := &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}}
			subscribe := func() *mcp.Subscription {
				c := call(t, "two")
				c.Server()
				sub, err := c.Subscribe(t.Context(), filter)
				testutil.Must(t, err)
				return sub
			}
			one, two := subscribe(), subscribe()
			one.Close()
			server.Updated("a:b")
			if change, err := two.Next(t.Context()); err != nil || change.URI != "a:b" {
				t.Errorf("%s: %v, %v", version, change, err)
			}
			two.Close()
		})
	}
}
