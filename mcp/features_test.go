package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// features are tests of a correct server, with the same results in every
// protocol version and over every transport.
var features = []struct {
	name string
	test func(*testing.T, *mcp.Client)
}{
	{"lists tools", testListTools},
	{"iterates over tools", testTools},
	{"calls a tool", testCallTool},
	{"encodes arguments", testArguments},
	{"refuses what it can't encode", testBadArguments},
	{"returns every kind of content", testContent},
	{"returns the tool's failure", testToolFails},
	{"returns the server's error", testUnknownTool},
	{"lists resources and templates", testListResources},
	{"reads resources", testReadResource},
	{"lists and gets prompts", testPrompts},
	{"pings", testPing},
	{"calls any method", testRawCall},
	{"reports progress", testProgress},
	{"cancels", testCancel},
}

func TestEveryProtocolVersionInMemory(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		for _, f := range features {
			t.Run(version+"/"+f.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := onlyVersion(version)
					f.test(t, connect(t, testserver.New(&o), nil))
				})
			})
		}
	}
}

func TestEveryEraInProcess(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			o := onlyVersion(version)
			tr, stderr := process(&o)
			// On a slow machine Connect would send initialize beside server/discover.
			c, err := mcp.Connect(t.Context(), tr, &mcp.Options{ProbeTimeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range features {
				t.Run(f.name, func(t *testing.T) { f.test(t, c) })
			}
			c.Close()
			if s := stderr.String(); s != "" {
				t.Errorf("protocol violations: %s", s)
			}
		})
	}
}

func testListTools(t *testing.T, c *mcp.Client) {
	tools, err := c.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tools, func(tool *mcp.Tool) bool { return tool.Name == "add" })
	if i < 0 {
		t.Fatalf("no tool add among %d", len(tools))
	}
	const schema = `{"type":"object","properties":{"a":{"type":"number","description":"First number"},` +
		`"b":{"type":"number","description":"Second number"}},"required":["a","b"]}`
	if add := tools[i]; string(add.InputSchema) != schema || add.OutputSchema == nil || !*add.Annotations.ReadOnlyHint {
		t.Errorf("add is %+v", add)
	}
}

func testTools(t *testing.T, c *mcp.Client) {
	want, err := c.ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name != want[i].Name {
			t.Errorf("tool %d is %s, want %s", i, tool.Name, want[i].Name)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d tools, want %d", i, len(want))
	}
}

func testCallTool(t *testing.T, c *mcp.Client) {
	const text = "Grüße, 世界 🙂 \" \\ \n\r\t\x00\u2028 </script>"
	res, err := c.CallTool(t.Context(), "echo", map[string]any{"message": text})
	if err != nil || res.IsError || res.Text() != text {
		t.Errorf("echo returned %+v, %v", res, err)
	}
	res, err = c.CallTool(t.Context(), "add", map[string]any{"a": 1, "b": 0.5})
	if err != nil || string(res.StructuredContent) != `{"sum":1.5}` || res.Text() != "1.5" {
		t.Errorf("add returned %+v, %v", res, err)
	}
	res, err = c.CallTool(t.Context(), "image", nil)
	if err != nil || len(res.Content) != 1 {
		t.Fatalf("image returned %+v, %v", res, err)
	}
	img := res.Content[0]
	if data, err := img.Bytes(); img.Type != mcp.ContentImage || img.MIMEType != "image/png" || err != nil ||
		!strings.HasPrefix(string(data), "\x89PNG") {
		t.Errorf("image is %+v", img)
	}
}

// A pair implements json.Marshaler.
type pair struct{ a, b string }

func (p pair) MarshalJSON() ([]byte, error) {
	return []byte("{\"a\": " + p.a + ",\n\"b\": " + p.b + "}"), nil
}

func testArguments(t *testing.T, c *mcp.Client) {
	for _, args := range []any{
		json.RawMessage(`{"a":1,"b":2}`),
		json.RawMessage("{\r\n  \"a\": 1,\r\n  \"b\": 2\n}\n"),
		pair{"1", "2"},
		&pair{"1", "2"},
		map[string]any{"a": 1, "b": 2.0},
		map[string]any{"a": json.Number("1"), "b": json.RawMessage("2")},
		map[string]any{"a": int8(1), "b": uint64(2), "c": nil, "d": []any{true, "x", nil}, "e": []byte("e"), "f": []int{1}},
		map[string]any{"a": 1, "b": 2, "when": time.Unix(0, 0), "nested": map[string]any{"x": map[string]string{"y": "z"}}},
	} {
		res, err := c.CallTool(t.Context(), "add", args)
		if err != nil || string(res.StructuredContent) != `{"sum":3}` {
			t.Errorf("%#v: %+v, %v", args, res, err)
		}
	}
	for _, args := range []any{nil, map[string]any{}, map[string]any(nil), json.RawMessage(" {} ")} {
		if res, err := c.CallTool(t.Context(), "fail", args); err != nil || !res.IsError {
			t.Errorf("%#v: %+v, %v", args, res, err)
		}
	}
}

// A failingMarshaler cannot be encoded.
type failingMarshaler struct{}

func (failingMarshaler) MarshalJSON() ([]byte, error) { return nil, errStubborn }

var errStubborn = errors.New("it does not want to")

func testBadArguments(t *testing.T, c *mcp.Client) {
	loop := map[string]any{}
	loop["loop"] = loop
	for _, tt := range []struct {
		args any
		is   error
		says string
	}{
		{struct{ A int }{1}, nil, "struct { A int } has no natural form"},
		{map[string]any{"a": struct{}{}}, nil, `"a": a value of the type `},
		{map[string]any{"a": make(chan int)}, nil, `"a": a value of the type `},
		{map[string]any{"a": func() {}}, nil, "no natural form"},
		{map[string]any{"a": math.NaN()}, nil, "NaN"},
		{map[string]any{"a": math.Inf(1)}, nil, "infinity"},
		{map[string]any{"a": 1i}, nil, "no natural form"},
		{map[int]string{1: "a"}, nil, "no natural form"},
		{map[string]any{"a": json.Number("one")}, nil, "one"},
		{loop, nil, ""},
		{failingMarshaler{}, errStubborn, ""},
		{map[string]any{"a": []any{failingMarshaler{}}}, errStubborn, ""},
		{json.RawMessage(`{"a":`), nil, ""},
		{json.RawMessage(`{"a":1} {}`), nil, ""},
		{json.RawMessage("{\"a\":\"\xff\"}"), nil, ""},
		{json.RawMessage(`[1]`), nil, "object"},
		{[]byte(`[1]`), nil, "object"},
		{[]any{1}, nil, "object"},
		{`{"a":1}`, nil, "for JSON text use json.RawMessage(s)"},
		{1, nil, "object"},
		{(*pair)(nil), nil, "nil pointer"},
	} {
		_, err := c.CallTool(t.Context(), "add", tt.args)
		wantError(t, err, tt.is, tt.says, `tools/call "add"`, "arguments")
		var call *mcp.CallError
		if !errors.As(err, &call) || call.Server == "" || call.Method != "tools/call" || call.Name != "add" {
			t.Errorf("%T: no *CallError with server, method and tool in %#v", tt.args, err)
		}
	}
}

func testContent(t *testing.T, c *mcp.Client) {
	res, err := c.CallTool(t.Context(), "everything", nil)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []mcp.ContentType
	for i := range res.Content {
		kinds = append(kinds, res.Content[i].Type)
	}
	for _, kind := range []mcp.ContentType{mcp.ContentText, mcp.ContentImage, mcp.ContentAudio, mcp.ContentResourceLink, mcp.ContentResource} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no %s among %q", kind, kinds)
		}
	}
	last := res.Content[len(res.Content)-1]
	if want := `{"type":"hologram","format":"unheard-of","data":[1,2.50,{"z":null}]}`; last.Type != "hologram" || string(last.Raw) != want {
		t.Errorf("content of an unknown kind is %+v, want Raw %s", last, want)
	}
}

func testToolFails(t *testing.T, c *mcp.Client) {
	res, err := c.CallTool(t.Context(), "fail", map[string]string{"message": "out of milk"})
	if err != nil || !res.IsError || res.Text() != "out of milk" {
		t.Errorf("fail returned %+v, %v", res, err)
	}
}

func testUnknownTool(t *testing.T, c *mcp.Client) {
	_, err := c.CallTool(t.Context(), "no such tool", nil)
	wantCode(t, err, jsonrpc.CodeInvalidParams)
	wantError(t, err, nil, `server "stdmcp-echo": tools/call "no such tool": Unknown tool: no such tool (code -32602)`)
	var call *mcp.CallError
	if !errors.As(err, &call) || call.Server != "stdmcp-echo" || call.Method != "tools/call" || call.Name != "no such tool" {
		t.Errorf("*CallError is %#v", call)
	}
}

func testListResources(t *testing.T, c *mcp.Client) {
	resources, err := c.ListResources(t.Context())
	if err != nil || len(resources) < 2 || resources[0].URI != "echo://text" || resources[1].MIMEType != "image/png" {
		t.Errorf("resources are %+v, %v", resources, err)
	}
	for r, err := range c.Resources(t.Context()) {
		if err != nil || r.URI != "echo://text" {
			t.Errorf("the first resource is %+v, %v", r, err)
		}
		break
	}
	templates, err := c.ListResourceTemplates(t.Context())
	if err != nil || len(templates) != 1 || templates[0].URITemplate != "echo://greeting/{name}" {
		t.Errorf("templates are %+v, %v", templates, err)
	}
	for r, err := range c.ResourceTemplates(t.Context()) {
		if err != nil || r.Name != "greeting" {
			t.Errorf("the first template is %+v, %v", r, err)
		}
	}
}

func testReadResource(t *testing.T, c *mcp.Client) {
	res, err := c.ReadResource(t.Context(), "echo://text")
	if err != nil || len(res.Contents) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if part := res.Contents[0]; part.IsBlob || part.MIMEType != "text/plain" ||
		part.Text != "Hello from a resource.\nThis is its second line: Grüße, 世界 🙂\n" {
		t.Errorf("text is %+v", part)
	}
	res, err = c.ReadResource(t.Context(), "echo://picture")
	if err != nil || len(res.Contents) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if data, err := res.Contents[0].Bytes(); !res.Contents[0].IsBlob || err != nil || !strings.HasPrefix(string(data), "\x89PNG") {
		t.Errorf("picture is %+v, %v", res.Contents[0], err)
	}
	res, err = c.ReadResource(t.Context(), "echo://greeting/Ada")
	if err != nil || res.Contents[0].Text != "Hello, Ada!" {
		t.Errorf("greeting is %+v, %v", res, err)
	}
	_, err = c.ReadResource(t.Context(), "echo://nothing")
	wantError(t, err, nil, `resources/read "echo://nothing"`)
	code := int64(jsonrpc.CodeInvalidParams)
	if c.Server().ProtocolVersion != modern {
		code = mcp.CodeResourceNotFound
	}
	wantCode(t, err, code)
}

func testPrompts(t *testing.T, c *mcp.Client) {
	prompts, err := c.ListPrompts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(prompts, func(p *mcp.Prompt) bool { return p.Name == "review" })
	if i < 0 || len(prompts[i].Arguments) != 1 || prompts[i].Arguments[0].Name != "language" || !*prompts[i].Arguments[0].Required {
		t.Errorf("prompts are %+v", prompts)
	}
	for p, err := range c.Prompts(t.Context()) {
		if err != nil || p.Name != "hello" {
			t.Errorf("the first prompt is %+v, %v", p, err)
		}
		break
	}
	res, err := c.GetPrompt(t.Context(), "review", map[string]string{"language": "go"})
	if err != nil || len(res.Messages) != 2 || res.Messages[0].Role != mcp.RoleUser ||
		res.Messages[0].Content.Text != "Please review this go program." || res.Messages[1].Content.Resource == nil {
		t.Errorf("review is %+v, %v", res, err)
	}
	if res, err := c.GetPrompt(t.Context(), "hello", nil); err != nil || len(res.Messages) != 1 {
		t.Errorf("hello is %+v, %v", res, err)
	}
	_, err = c.GetPrompt(t.Context(), "review", nil)
	wantCode(t, err, jsonrpc.CodeInvalidParams)
	wantError(t, err, nil, `prompts/get "review"`)
}

func testPing(t *testing.T, c *mcp.Client) {
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, c.Ping(ctx), context.Canceled)
}

func testRawCall(t *testing.T, c *mcp.Client) {
	params := map[string]any{
		"ref":      map[string]any{"type": "ref/prompt", "name": "review"},
		"argument": map[string]any{"name": "language", "value": "g"},
		"_meta":    map[string]any{"example.com/trace": "t"},
	}
	raw, err := c.Call(t.Context(), "completion/complete", params)
	if err != nil || !strings.Contains(string(raw), `"completion":{"values":["go"],"total":1,"hasMore":false}`) {
		t.Errorf("completion/complete returned %s, %v", raw, err)
	}
	if raw, err = c.Call(t.Context(), "prompts/list", nil); err != nil || !strings.Contains(string(raw), `"review"`) {
		t.Errorf("prompts/list returned %s, %v", raw, err)
	}
	_, err = c.Call(t.Context(), "prompts/list", json.RawMessage(`[1]`))
	wantError(t, err, nil, "prompts/list", "params")
	_, err = c.Call(t.Context(), "prompts/list", json.RawMessage(`{"_meta":1}`))
	wantError(t, err, nil, "prompts/list", "params")
	_, err = c.Call(t.Context(), "prompts/list", map[string]any{"x": make(chan int)})
	wantError(t, err, nil, "prompts/list", "params", `"x"`)
	wantError(t, c.Notify(t.Context(), "notifications/x", 1), nil, "notifications/x", "params")
}

func testProgress(t *testing.T, c *mcp.Client) {
	var got []float64
	res, err := c.Do(t.Context(), &mcp.ToolCall{
		Name:      "slow",
		Arguments: map[string]any{"seconds": 0.02, "steps": 5},
		Progress: func(p mcp.Progress) {
			if p.Total == nil || *p.Total != 5 || !strings.HasPrefix(p.Message, "step ") {
				t.Errorf("progress is %+v", p)
			}
			got = append(got, p.Progress)
		},
	})
	if err != nil || !strings.HasPrefix(res.Text(), "Done") {
		t.Errorf("slow returned %+v, %v", res, err)
	}
	if !slices.Equal(got, []float64{1, 2, 3, 4, 5}) {
		t.Errorf("progress was %v", got)
	}
}

func testCancel(t *testing.T, c *mcp.Client) {
	why := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	_, err := c.CallTool(ctx, "slow", map[string]any{"seconds": 60})
	wantError(t, err, why, `tools/call "slow"`)
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
