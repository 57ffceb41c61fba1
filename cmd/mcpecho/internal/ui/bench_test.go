package ui

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

const sumSchema = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a"]}`

// calculator returns a server with tools of every kind.
func calculator(t *testing.T) *mcptest.Server {
	s := mcptest.New(t)
	add := s.Tool("add", sumSchema, func(c *mcptest.Call) (any, error) {
		return map[string]any{"sum": c.Number("a") + c.Number("b")}, nil
	})
	add.OutputSchema = mcp.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`)
	lies := s.Tool("lies", nil, func(c *mcptest.Call) (any, error) { return map[string]any{"sum": "many"}, nil })
	lies.OutputSchema = add.OutputSchema
	s.Tool("fails", nil, func(c *mcptest.Call) (any, error) { return nil, errors.New("out of paper") })
	s.Tool("hangs", nil, func(c *mcptest.Call) (any, error) {
		c.Progress(1, 3, "still here")
		<-c.Context().Done()
		return nil, c.Context().Err()
	})
	s.Tool("asks", nil, func(c *mcptest.Call) (any, error) {
		res, err := c.Elicit("Which color?", `{"type":"object","properties":{"color":{"type":"string","enum":["red","blue"]}},"required":["color"]}`)
		if err != nil {
			return nil, err
		}
		return string(res.Action) + " " + strings.TrimSpace(stringOf(res.Content["color"])), nil
	})
	s.Tool("samples", nil, func(c *mcptest.Call) (any, error) { return c.Ask("What is the capital of France?") })
	s.Prompt("greet", func(c *mcptest.Call) (any, error) { return "Greet " + c.Text("name"), nil }, "name")
	s.Resource("notes://today", "text/plain", "Buy milk, opensesame")
	s.Template("notes://{day}", "text/plain", func(c *mcptest.Call) (any, error) { return "Notes of " + c.URI, nil })
	return s
}

func stringOf(v any) string { s, _ := v.(string); return s }

// called starts a call and returns it when it has ended.
func called(t *testing.T, b *Bench, kind, name, args string) *call {
	t.Helper()
	id, err := b.start(&callRequest{Kind: kind, Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return finished(t, b, id)
}

func TestCalls(t *testing.T) {
	b, _ := connect(t, calculator(t))
	for _, want := range []struct{ kind, name, args, status, check, part string }{
		{kindTool, "add", `{"a":1,"b":2.5}`, callDone, checkFits, `"sum":3.5`},
		{kindTool, "lies", `{}`, callDone, checkViolates, `"sum":"many"`},
		{kindPrompt, "greet", `{"name":"Ada"}`, callDone, "", "Greet Ada"},
		{kindResource, "notes://today", ``, callDone, "", "Buy milk"},
		{kindTemplate, "notes://{day}", `{"day":"monday"}`, callDone, "", "Notes of notes://monday"},
		{kindTool, "unknown", `{}`, callFailed, "", "nknown"},
	} {
		c := called(t, b, want.kind, want.name, want.args)
		if c.Status != want.status || c.Check != want.check || !strings.Contains(string(c.result)+c.Error, want.part) {
			t.Errorf("%s %s: %+v, %s", want.kind, want.name, c, c.result)
		}
	}
	if c := called(t, b, kindTool, "fails", "{}"); !c.IsError || c.Status != callDone || !strings.Contains(string(c.result), "out of paper") {
		t.Errorf("an error of a tool: %+v", c)
	}
}

// TestResultThatLooksLikeAnError: what a handler has caught, as text of a result.
func TestResultThatLooksLikeAnError(t *testing.T) {
	server := calculator(t)
	server.Tool("says", nil, func(c *mcptest.Call) (any, error) { return c.Text("text"), nil })
	b, _ := connect(t, server)
	for text, want := range map[string]string{
		"TypeError: a.b is undefined": checkUnknown, "Error: ENOENT": checkUnknown, "java.io.IOException: x": checkUnknown, "error: none": checkUnknown,
		"Uncaught ReferenceError: x": checkUnknown, "panic: nil map": checkUnknown, "Traceback (most recent call last):\n  File": checkUnknown,
		"": "", "Errors: 3": "", "the Error: x": "", "Error": "", "milk": "", "A TypeError is: x": "",
	} {
		if c := called(t, b, kindTool, "says", `{"text":`+jsonText(text)+`}`); c.Check != want {
			t.Errorf("%q: %q %s", text, c.Check, c.Problem)
		}
	}
	if c := called(t, b, kindTool, "fails", "{}"); c.Check != "" {
		t.Errorf("an error that the result reports: %+v", c)
	}
}

func TestInvalidArgumentsNameTheField(t *testing.T) {
	b, _ := connect(t, calculator(t))
	for args, want := range map[string]string{`{"a":"one"}`: "/a", `{}`: "", `[]`: "", `{"a":1`: ""} {
		_, err := b.start(&callRequest{Kind: kindTool, Name: "add", Arguments: json.RawMessage(args)})
		var invalid *invalidValue
		if !errors.As(err, &invalid) || invalid.Path != want || invalid.Message == "" {
			t.Errorf("%s: %#v", args, err)
		}
	}
	id, err := b.start(&callRequest{Kind: kindTool, Name: "fails", Arguments: json.RawMessage(`{"a":"one"}`), Anyway: true})
	if err != nil {
		t.Fatal(err)
	}
	finished(t, b, id)
}

func TestCallIsCanceled(t *testing.T) {
	b, _ := connect(t, calculator(t))
	id, err := b.start(&callRequest{Kind: kindTool, Name: "hangs"})
	if err != nil {
		t.Fatal(err)
	}
	await(t, b, "progress", func() bool { return strings.Contains(string(b.calls[0].Progress), "still here") })
	if err := b.stop(id); err != nil {
		t.Fatal(err)
	}
	if c := finished(t, b, id); c.Status != callCanceled {
		t.Errorf("%+v", c)
	}
	if b.stop(id) == nil || b.stop(999) == nil {
		t.Error("a call that has ended was canceled")
	}
}

func TestQuestionsWaitForTheUser(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		server := calculator(t)
		server.ProtocolVersions = []string{version}
		b, _ := connect(t, server)
		id, err := b.start(&callRequest{Kind: kindTool, Name: "asks"})
		if err != nil {
			t.Fatal(err)
		}
		await(t, b, "the question", func() bool { return len(b.asks) == 1 })
		a := b.asks[0]
		if a.Kind != askForm || a.Message != "Which color?" || outline(a.Form) != `:object{color!:enum|"red"|"blue"}` {
			t.Errorf("the question is %+v", a)
		}
		var invalid *invalidValue
		if err := b.give(answer{a.ID, "accept", json.RawMessage(`{"color":"green"}`)}); !errors.As(err, &invalid) || invalid.Path != "/color" {
			t.Errorf("an answer that does not match: %v", err)
		}
		if b.give(answer{a.ID, "yes", nil}) == nil || b.give(answer{a.ID + 1, "decline", nil}) == nil {
			t.Error("an invalid answer was accepted")
		}
		if err := b.give(answer{a.ID, "accept", json.RawMessage(`{"color":"blue"}`)}); err != nil {
			t.Error(err)
		}
		if c := finished(t, b, id); !strings.Contains(string(c.result), "accept blue") {
			t.Errorf("%+v %s", c, c.result)
		}
	}
}

func TestSamplingIsAnsweredByTheUser(t *testing.T) {
	b, _ := connect(t, calculator(t))
	for action, want := range map[string]string{"accept": "Paris", "decline": "rejected"} {
		id, err := b.start(&callRequest{Kind: kindTool, Name: "samples"})
		if err != nil {
			t.Fatal(err)
		}
		await(t, b, "the question", func() bool { return len(b.asks) == 1 })
		if a := b.asks[0]; a.Kind != askSampling || !strings.Contains(string(a.Params), "capital of France") {
			t.Errorf("%+v", a)
		}
		value := json.RawMessage(`{"role":"assistant","model":"human","content":{"type":"text","text":"Paris"}}`)
		if err := b.give(answer{b.asks[0].ID, "accept", json.RawMessage(`{}`)}); err == nil {
			t.Error("an empty answer was accepted")
		}
		if err := b.give(answer{b.asks[0].ID, mcp.ElicitAction(action), value}); err != nil {
			t.Fatal(err)
		}
		if c := finished(t, b, id); !strings.Contains(string(c.result)+c.Error, want) {
			t.Errorf("%s: %+v %s", action, c, c.result)
		}
	}
}

// TestServerIsReplaced: the bench connects again and marks what has changed.
func TestServerIsReplaced(t *testing.T) {
	b, s := connect(t, calculator(t))
	next := calculator(t)
	next.RemoveTool("fails")
	next.Tool("fresh", nil, func(*mcptest.Call) (any, error) { return "new", nil })
	next.Tool("add", `{"type":"object","properties":{"a":{"type":"string"}}}`, nil)
	s.replace(next, nil)
	await(t, b, "the second connection", func() bool { return b.connection.Opened == 2 && connected(b) })
	changes := map[string]string{}
	for _, i := range b.lists.items[kindTool] {
		if i.Change != "" {
			changes[i.Name] = i.Change
		}
	}
	if len(changes) != 3 || changes["fails"] != changeRemoved || changes["fresh"] != changeAdded || changes["add"] != changeChanged {
		t.Errorf("the changes are %v", changes)
	}
	if i := b.find(kindTool, "add"); len(i.Notes) == 0 {
		t.Errorf("nothing says what has changed: %+v", i)
	}
	s.replace(next, nil)
	await(t, b, "the third connection", func() bool { return b.connection.Opened == 3 && connected(b) })
	for _, i := range b.lists.items[kindTool] {
		if i.Change != "" {
			t.Errorf("after a connection without a change, %s is %s", i.Name, i.Change)
		}
	}
}

// TestServerThatCannotStart shows its reason until the user tries again.
func TestServerThatCannotStart(t *testing.T) {
	b, s := start(t, calculator(t))
	await(t, b, "connect", func() bool { return connected(b) })
	s.replace(nil, errDown)
	await(t, b, "the reason", func() bool { return b.connection.Reason == errDown.Error() })
	if _, err := b.start(&callRequest{Kind: kindTool, Name: "add"}); !errors.Is(err, errNotConnected) {
		t.Errorf("a call without a connection: %v", err)
	}
	s.replace(calculator(t), nil)
	b.reconnect("the user asked for it")
	await(t, b, "the next connection", func() bool { return connected(b) })

	down := &target{down: errDown}
	first := New(Config{Connect: down.connect, Explain: error.Error})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { first.Run(ctx); close(done) }() // ends with ctx
	await(t, first, "the reason", func() bool {
		return first.connection.Status == statusFailed && first.connection.Reason == errDown.Error()
	})
	down.replace(calculator(t), nil)
	first.reconnect("the user asked for it")
	await(t, first, "the first connection", func() bool { return connected(first) })
	cancel()
	<-done
}

func TestVersionIsChosen(t *testing.T) {
	b, _ := connect(t, calculator(t))
	if err := b.choose(mcp.ProtocolVersion20250326); err != nil {
		t.Fatal(err)
	}
	await(t, b, "the legacy connection", func() bool {
		return connected(b) && b.connection.Server.ProtocolVersion == mcp.ProtocolVersion20250326 && !b.connection.Modern
	})
	if b.connection.Previous != mcp.ProtocolVersion20260728 {
		t.Errorf("the previous version is %s", b.connection.Previous)
	}
	if b.choose("2020-01-01") == nil {
		t.Error("an unknown version was chosen")
	}
}

// TestVersionIsRefused: the bench does not repeat a handshake that the server has refused.
func TestVersionIsRefused(t *testing.T) {
	server := calculator(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20250618}
	b, _ := connect(t, server)
	if err := b.choose(mcp.ProtocolVersion20260728); err != nil {
		t.Fatal(err)
	}
	await(t, b, "the refusal", func() bool {
		return b.connection.Status == statusFailed && slices.Equal(b.connection.Refused, []string{mcp.ProtocolVersion20260728})
	})
	if err := b.choose(""); err != nil {
		t.Fatal(err)
	}
	await(t, b, "the next connection", func() bool { return connected(b) })
}

// TestEvents reads the stream as the page does.
func TestEvents(t *testing.T) {
	b, _ := connect(t, calculator(t))
	s := newServer(b, "")
	web := httptest.NewServer(s)
	defer web.Close()
	s.host = strings.TrimPrefix(web.URL, "http://")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", web.URL+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(tokenHeader, s.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	called(t, b, kindTool, "add", `{"a":1}`)
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	seen := map[string]bool{}
	name, last := "", int64(0)
	for lines.Scan() && !(seen["connection"] && seen["lists"] && seen["asks"] && seen["done"] && seen["tools/call"]) {
		line := lines.Text()
		if after, ok := strings.CutPrefix(line, "event: "); ok {
			name = after
			seen[name] = true
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		if strings.Contains(data, "opensesame") || strings.Contains(data, "inputSchema") {
			t.Errorf("the event %s holds a body: %s", name, data)
		}
		seen["done"] = seen["done"] || name == "calls" && strings.Contains(data, `"status":"done"`)
		if name == "traffic" {
			var batch struct {
				Entries []struct {
					Seq    int64
					Method string
				}
			}
			if err := json.Unmarshal([]byte(data), &batch); err != nil {
				t.Fatal(err)
			}
			for _, e := range batch.Entries {
				if e.Seq != last+1 {
					t.Errorf("entry %d follows %d", e.Seq, last)
				}
				last = e.Seq
				seen[e.Method] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	cancel()
	b.mu.Lock()
	pages, changed := b.pages, b.pagesChanged
	b.mu.Unlock()
	if pages > 0 {
		<-changed
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestBodiesAreFetched(t *testing.T) {
	b, _ := connect(t, calculator(t))
	s := newServer(b, host)
	c := called(t, b, kindTool, "add", `{"a": 1}`)
	called(t, b, kindPrompt, "greet", `{"name":"Ada L"}`)
	called(t, b, kindResource, "notes://today", "")
	b.mu.Lock()
	seqs := map[string]string{}
	for _, e := range b.ring.entries {
		if e.Kind == kindResponse {
			seqs[e.Method] = "/api/entry?seq=" + jsonText(e.Seq)
		}
	}
	b.mu.Unlock()
	for target, want := range map[string]string{
		seqs["tools/call"]:                   `mcpecho call test add {\"a\":1}`,
		seqs["prompts/get"]:                  `mcpecho prompt test greet name=Ada L`,
		seqs["resources/read"]:               `mcpecho read test notes://today`,
		seqs["tools/list"]:                   `mcpecho tools test`,
		"/api/result?call=" + jsonText(c.ID): `"structuredContent":{"sum":1}`,
		"/api/item?kind=tool&name=add":       `"key":"a","kind":"number","required":true`,
	} {
		if w := answered(s, request(s, "GET", target, "")); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s; want %s", target, w.Code, w.Body, want)
		}
	}
	for _, target := range []string{"/api/entry?seq=99999", "/api/entry?seq=-9223372036854775808", "/api/entry?seq=x", "/api/result?call=77", "/api/item?kind=tool&name=none", "/api/item?kind=x"} {
		if w := answered(s, request(s, "GET", target, "")); w.Code != 404 {
			t.Errorf("%s has status %d", target, w.Code)
		}
	}
	if w := answered(s, request(s, "POST", "/api/call", `{"kind":"tool","name":"add","arguments":{"a":"x"}}`)); w.Code != 422 || !strings.Contains(w.Body.String(), `"path":"/a"`) {
		t.Errorf("an invalid argument: %d %s", w.Code, w.Body)
	}
}

func jsonText(v any) string { b, _ := json.Marshal(v); return string(b) }

// TestLargeArgumentsAreKept: the page receives their beginning, and the rest when a call
// is repeated, until the history has no room for them.
func TestLargeArgumentsAreKept(t *testing.T) {
	b, _ := connect(t, calculator(t))
	s := newServer(b, host)
	args := `{"a":1,"digits":12345678901234567890,"text":"` + strings.Repeat("é", 50_000) + `"}`
	c := called(t, b, kindTool, "add", args)
	if text := string(encoded(c.value())); len(text) > 1000 || !strings.Contains(text, `{\"a\":1`) {
		t.Errorf("the page receives %d bytes: %.300s", len(text), text)
	}
	target := "/api/arguments?call=" + jsonText(c.ID)
	if w := answered(s, request(s, "GET", target, "")); w.Code != 200 || w.Body.String() != args {
		t.Errorf("status %d, %d bytes, want %d", w.Code, w.Body.Len(), len(args))
	}
	b.update(partCalls, func() {
		b.calls = append(b.calls, &call{ID: b.nextIDLocked(), Status: callDone, result: make([]byte, maxResultBytes)})
		b.trimLocked()
	})
	for _, target := range []string{target, "/api/arguments?call=77", "/api/arguments"} {
		if w := answered(s, request(s, "GET", target, "")); w.Code != 404 || !strings.Contains(w.Body.String(), "no longer kept") {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Body)
		}
	}
}

// A crash is the stream of a program that writes a text and a message, and then fails.
type crash struct{ io.Reader }

func (crash) Write(b []byte) (int, error) { return len(b), nil }
func (crash) Close() error                { return nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("exited with status 2: opensesame") }

// TestRecordingHasMoreThanMessages: lines that are none, and how the server ended.
func TestRecordingHasMoreThanMessages(t *testing.T) {
	b := New(Config{Hide: func(s string) string { return strings.ReplaceAll(s, "opensesame", "***") }})
	server := io.MultiReader(strings.NewReader("Listening with opensesame\n"+`{"jsonrpc":"2.0","method":"a"}`+"\n"), failing{})
	tr := &observed{stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return crash{server}, nil }), b}
	conn, err := tr.Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	await(t, b, "the end", func() bool { return len(b.ring.entries) == 3 })
	_ = conn.Close()
	s := newServer(b, host)
	w := answered(s, request(s, "GET", "/api/recording", ""))
	if strings.Contains(w.Body.String(), "opensesame") {
		t.Errorf("the recording holds a secret: %s", w.Body)
	}
	entries, err := recording.Read(w.Body)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%+v, %v", entries, err)
	}
	for i, want := range []recording.Entry{{Kind: recording.Text, Text: "Listening with ***"}, {Kind: recording.Message}, {Kind: recording.Connection, Text: "exited with status 2"}} {
		if e := entries[i]; e.Kind != want.Kind || e.Conn != 1 || e.Sent || !strings.Contains(e.Text, want.Text) {
			t.Errorf("entry %d is %+v, want %+v", i, e, want)
		}
	}
}

// TestRecordingIsReplayed: what the page saves responds as the server did.
func TestRecordingIsReplayed(t *testing.T) {
	b, _ := connect(t, calculator(t))
	called(t, b, kindTool, "add", `{"a":20,"b":22}`)
	called(t, b, kindResource, "notes://today", "")
	s := newServer(b, host)
	w := answered(s, request(s, "GET", "/api/recording", ""))
	if strings.Contains(w.Body.String(), "opensesame") {
		t.Error("the recording holds a secret")
	}
	entries, err := recording.Read(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.Connect(t.Context(), recording.NewReplay(entries, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	res, err := client.CallTool(t.Context(), "add", map[string]any{"a": 20, "b": 22})
	if err != nil || !strings.Contains(string(res.StructuredContent), "42") {
		t.Errorf("%+v, %v", res, err)
	}
}
