package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// The tests check sentences that the program has chosen and no other test asserts.

const modern, legacy = mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125

func server(t testing.TB, version string) *mcptest.Server {
	s := mcptest.New(t)
	s.ProtocolVersions = []string{version}
	return s
}

func TestVersions(t *testing.T) {
	all := mcp.ProtocolVersions()
	if all[0] != "2026-07-28" || all[len(all)-1] != "2024-11-05" || !slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Error(all)
	}
}

func TestListsOfUndeclaredFeatures(t *testing.T) {
	for _, version := range []string{modern, legacy} {
		s := server(t, version)
		c := s.Connect(nil)
		if list, err := c.ListResources(t.Context()); err != nil || len(list) != 0 || len(s.Requests("resources/list")) != 0 {
			t.Error(list, err)
		}
		if _, err := c.ListTasks(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		for _, err := range c.Tasks(t.Context()) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Error(err)
			}
		}
	}
}

func TestTimeoutCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server(t, legacy)
		s.Tool("t", nil, func(c *mcptest.Call) (any, error) { <-c.Context().Done(); return nil, nil })
		s.Tool("fails", nil, func(c *mcptest.Call) (any, error) { return nil, errors.New("reason") })
		c := s.Connect(nil)
		if _, err := c.Do(t.Context(), &mcp.ToolCall{Name: "t", Timeout: time.Second}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		if len(s.Requests("notifications/cancelled")) != 1 {
			t.Error("the server was not asked to cancel")
		}
		if res, err := c.CallTool(t.Context(), "fails", nil); err != nil || !res.IsError || res.Text() != "reason" {
			t.Error(res, err)
		}
		if c.Close(); c.Err() == nil {
			t.Error("the client is open")
		}
	})
}

func TestForms(t *testing.T) {
	p := &mcp.ElicitParams{RequestedSchema: mcp.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`)}
	if fields, err := p.Fields(); err != nil || len(fields) != 2 || fields[0].Name != "z" || fields[1].Name != "a" {
		t.Error(fields, err)
	}
	if _, err := (&mcp.ElicitParams{RequestedSchema: mcp.RawMessage(`[]`)}).Fields(); err == nil {
		t.Error("a list is a form")
	}
	var res mcp.ElicitResult
	if err := json.Unmarshal([]byte(`{"action":"accept","content":{"i":3,"f":1.5}}`), &res); err != nil || res.Content["i"] != int64(3) || res.Content["f"] != 1.5 {
		t.Error(res, err)
	}
}

func TestHandlersRunConcurrently(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	s := server(t, legacy)
	s.Tool("t", nil, func(c *mcptest.Call) (any, error) { return c.Ask("?") })
	c := s.Connect(&mcp.Options{Handlers: []mcp.Handler{mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		both.Done()
		both.Wait() // for the other one
		return &mcp.CreateMessageResult{Model: "m", Content: []mcp.Content{mcp.TextContent("!")}}, nil
	}}}})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if res, err := c.CallTool(t.Context(), "t", nil); err != nil || res.Text() != "!" {
				t.Error(res, err)
			}
		})
	}
	calls.Wait()
}

func TestModernDoesWithout(t *testing.T) {
	s := server(t, modern)
	c := s.Connect(&mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}}})
	n := len(s.Requests())
	if err := c.RootsChanged(t.Context()); err != nil || len(s.Requests()) != n {
		t.Error(err, s.Requests())
	}
}

func TestEmptyLogLevel(t *testing.T) {
	old := server(t, legacy)
	old.Lenient = true
	if err := old.Connect(nil).SetLogLevel(t.Context(), ""); err == nil {
		t.Error("a legacy server turns log messages off")
	}
	if err := server(t, modern).Connect(nil).SetLogLevel(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

func TestSubscriptionAsksForWhatIsDeclared(t *testing.T) {
	s := server(t, modern)
	s.Tool("t", nil, func(*mcptest.Call) (any, error) { return nil, nil })
	c := s.Connect(nil)
	sub, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if p := string(s.Requests("subscriptions/listen")[0].Params); !strings.Contains(p, "toolsListChanged") || strings.Contains(p, "promptsListChanged") {
		t.Error(p)
	}
	if _, err := c.Subscribe(t.Context(), &mcp.SubscriptionFilter{PromptsListChanged: true}); !errors.Is(err, mcp.ErrNoChanges) {
		t.Error(err)
	}
}

func TestListFailsWithWhatItHas(t *testing.T) {
	s := server(t, modern)
	s.PageSize = 1
	for _, name := range []string{"a", "b"} {
		s.Tool(name, nil, func(*mcptest.Call) (any, error) { return nil, nil })
	}
	c := s.Connect(&mcp.Options{MaxPages: 1})
	if list, err := c.ListTools(t.Context()); len(list) != 1 || !errors.Is(err, mcp.ErrListLimit) {
		t.Error(list, err)
	}
}

func TestTypesOfSchemas(t *testing.T) {
	for _, schema := range []string{`{}`, `[]`, ``, `{"properties":{}}`} {
		if p := (&mcp.Tool{InputSchema: mcp.RawMessage(schema)}).Parameters(); p["type"] != "object" {
			t.Error(schema, p)
		}
	}
	b, err := json.Marshal(mcp.SamplingMessage{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent("x")}})
	if err != nil || string(b) != `{"role":"user","content":{"type":"text","text":"x"}}` {
		t.Error(string(b), err)
	}
	draft7, err := jsonschema.Compile(t.Context(), mcp.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`))
	if err != nil || draft7.Validate(t.Context(), mcp.RawMessage(`[1]`)) == nil {
		t.Error("draft-07 does not know a list of items", err)
	}
}

func TestOutcomeUnknown(t *testing.T) {
	s := server(t, legacy)
	s.Tool("t", nil, func(*mcptest.Call) (any, error) { return nil, nil })
	s.Inject("t", mcptest.Crash())
	if _, err := s.Connect(nil).CallTool(t.Context(), "t", nil); !errors.Is(err, mcp.ErrOutcomeUnknown) {
		t.Error(err)
	}
}

func TestCachedServerOverHTTP(t *testing.T) {
	s := server(t, modern)
	s.Tool("t", nil, func(*mcptest.Call) (any, error) { return "ok", nil })
	site := s.StartHTTP(nil)
	known := s.Connect(nil).CachedServer()
	n := len(s.Requests())
	c, err := mcp.Connect(t.Context(), streamhttp.New(site.URL, &streamhttp.Options{Client: site.Client}), &mcp.Options{CachedServer: known})
	if err != nil || len(s.Requests()) != n || c.Server().Name != known.Name {
		t.Fatal(err, s.Requests())
	}
	defer c.Close()
	if res, err := c.CallTool(t.Context(), "t", nil); err != nil || res.Text() != "ok" {
		t.Error(res, err)
	}
}

func TestContextsOfTraces(t *testing.T) {
	type key struct{}
	var kept context.Context
	s := server(t, modern)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	c, err := mcp.Connect(ctx, s, &mcp.Options{Trace: &mcp.Trace{EraChosen: func(ctx context.Context, _ mcp.ServerInfo) { kept = ctx }}})
	if err != nil {
		t.Fatal(err)
	}
	if cancel(); kept.Value(key{}) != "value" || kept.Err() != nil {
		t.Error("the context ends with that of Connect", kept.Err())
	}
	if c.Close(); kept.Err() == nil {
		t.Error("the context outlives the client")
	}
}

func TestHeaderOfInterceptor(t *testing.T) {
	s := server(t, modern)
	var got []string
	h := s.Handler(nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got = append(got, req.Header.Get("X-Team"))
		h.ServeHTTP(w, req)
	}))
	defer site.Close()
	blue := func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		call.SetHeader("X-Team", "blue")
		return call.Send(ctx)
	}
	c, err := mcp.Connect(t.Context(), streamhttp.New(site.URL+"/mcp", nil), &mcp.Options{Interceptors: []mcp.Interceptor{blue}})
	if err != nil || !slices.Contains(got, "blue") {
		t.Fatal(got, err)
	}
	c.Close()
}

func TestErrorsOfSSE(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) })
	mux.Handle("/elsewhere", http.RedirectHandler("https://example.com/", http.StatusFound))
	mux.HandleFunc("/leads", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte("event: endpoint\ndata: https://example.com/message\n\n"))
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	open := func(path string) error {
		_, err := sse.New(site.URL+path, nil).Open(t.Context(), jsonrpc.Handler{})
		return err
	}
	var status *httperr.StatusError
	var redirect *httperr.RedirectError
	var origin *httperr.OriginError
	if err := open("/page"); !errors.As(err, &status) {
		t.Error(err)
	}
	if err := open("/elsewhere"); !errors.As(err, &redirect) {
		t.Error(err)
	}
	if err := open("/leads"); !errors.As(err, &origin) {
		t.Error(err)
	}
}

func TestStreamhttpOpensWithoutTheServer(t *testing.T) {
	conn, err := streamhttp.New("http://127.0.0.1:1/mcp", nil).Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for _, bad := range []*streamhttp.Transport{streamhttp.New("not a url", nil), streamhttp.New("http://127.0.0.1:1/", &streamhttp.Options{Header: http.Header{"a b": {"c"}}})} {
		if _, err := bad.Open(t.Context(), jsonrpc.Handler{}); err == nil {
			t.Errorf("%v opens", bad)
		}
	}
}

func TestIDs(t *testing.T) {
	for _, response := range []string{`{"jsonrpc":"2.0","id":"1","result":{}}`, `{"jsonrpc":"2.0","id":1.0,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"null"}}`} {
		near, far := jsonrpc.Pipe()
		go func() {
			if _, err := far.Read(); err == nil {
				far.Write([]byte(response + "\n"))
			}
		}()
		c := jsonrpc.NewConn(near, jsonrpc.Handler{Dropped: func(err error, data []byte) { t.Errorf("%s: %v", data, err); near.Close() }})
		_, err := c.Call(t.Context(), &jsonrpc.Request{Method: "m"})
		var refused *jsonrpc.Error
		if err != nil && (!errors.As(err, &refused) || refused.Message != "null") {
			t.Error(response, err)
		}
		c.Close()
	}
}

func TestStdio(t *testing.T) {
	if !stdio.Stream(nil).Features().SingleUse || stdio.Dial(nil).Features().SingleUse {
		t.Error("Features")
	}
	t.Setenv("STDMCP_SECRET", "secret")
	t.Setenv("LANG", "C")
	var out bytes.Buffer
	tr := stdio.Command("sh", "-c", "env >&2; yes word")
	tr.Stderr = &out
	conn, err := tr.Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Call(t.Context(), &jsonrpc.Request{Method: "m"})
	if !errors.Is(err, jsonrpc.ErrClosed) || !errors.Is(err, stdio.ErrNotJSON) {
		t.Error(err)
	}
	conn.Close()
	if s := out.String(); strings.Contains(s, "STDMCP_SECRET") || !strings.Contains(s, "LANG=C") {
		t.Error(s)
	}
}

func TestStores(t *testing.T) {
	key := oauth.StoreKey{Issuer: "i", Resource: "r", Client: "c"}
	for _, s := range []oauth.Store{oauth.NewMemory(), oauth.NewFile(filepath.Join(t.TempDir(), "f"))} {
		for _, want := range []string{`{"a":1}`, ""} {
			var data []byte
			if want != "" {
				data = []byte(want)
			}
			if err := s.Save(t.Context(), key, data); err != nil {
				t.Error(err)
			}
			if got, err := s.Load(t.Context(), key); err != nil || string(got) != want || want == "" && got != nil {
				t.Errorf("%s, %v, want %s", got, err, want)
			}
		}
	}
}

func TestResultsOfResources(t *testing.T) {
	s := server(t, modern)
	if s.String() != "mcptest" {
		t.Error(s.String())
	}
	for _, v := range []any{"x", []byte("x"), mcp.ResourceContents{URI: "u", Text: "x"}, []mcp.ResourceContents{{URI: "u", Text: "x"}},
		&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{URI: "u", Text: "x"}}}} {
		s.Resource("u", "", func(*mcptest.Call) (any, error) { return v, nil })
		res, err := s.Connect(nil).ReadResource(t.Context(), "u")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := res.Contents[0].Bytes(); err != nil || string(b) != "x" {
			t.Errorf("%T: %q, %v", v, b, err)
		}
	}
}
