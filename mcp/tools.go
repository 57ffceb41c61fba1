package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Tools returns an iterator over the server's tools. It requests each page when
// the loop reaches it. If a request fails, the iterator yields a nil *Tool and
// the error, and ends.
//
// If the server does not declare tools, the result is empty and, from 2026-07-28 on,
// nothing is sent.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*Tool, error] {
	return c.toolPages(ctx, nil)
}

func (c *Client) toolPages(ctx context.Context, held *int) iter.Seq2[*Tool, error] {
	return func(yield func(*Tool, error) bool) {
		began := time.Now()
		pages(ctx, c, "tools/list", held, fresh[ListToolsResult], func(res *ListToolsResult) ([]*Tool, *Page) {
			tools := c.bind(res.Tools)
			if res.NextCursor == nil {
				c.listEnded(began)
			}
			return tools, &res.Page
		}, yield)
	}
}

func (c *Client) listEnded(began time.Time) {
	if c.tasks != nil {
		c.tasks.listEnded(c, began)
	}
	if forget := c.features.ForgetArguments; forget != nil && !c.era().legacy() {
		forget(began)
	}
}

func (c *Client) bind(tools []*Tool) []*Tool {
	if c.tasks != nil {
		c.tasks.toolsListed(c, tools)
	}
	bindArguments := c.features.BindArguments
	if bindArguments == nil || c.era().legacy() {
		return tools
	}
	n := 0
	for _, t := range tools {
		if err := bindArguments(t.Name, t.InputSchema); err != nil {
			c.discarded(c.failed(newRequest("tools/list", t.Name, nil), err), t.InputSchema)
			continue
		}
		tools[n] = t
		n++
	}
	return tools[:n]
}

// ListTools returns all tools of the server. If it fails, it returns the tools
// received so far and the error.
//
// If the server does not declare tools, the result is empty and, from 2026-07-28 on,
// nothing is sent.
func (c *Client) ListTools(ctx context.Context) ([]*Tool, error) { return all(ctx, c, c.toolPages) }

// A ToolCall describes a call of a tool.
type ToolCall struct {
	Name string // of the tool

	// Arguments is one of these:
	//   - a map[string]any
	//   - a map from string to string, bool, int, float64, []string,
	//     map[string]any or json.RawMessage
	//   - a json.Marshaler
	//   - JSON text as json.RawMessage or []byte
	//   - nil or empty text, which are sent as {}
	//
	// The values of a map[string]any may be nil, strings, booleans, numbers, such
	// maps, values with a MarshalJSON or MarshalText method, and slices of any,
	// string, bool, int, int64, float32, float64, json.RawMessage,
	// map[string]any, map[string]string, []string or []float64. Inside a map,
	// []byte becomes base64. Everything else, such as a struct, is an error;
	// typed.Args encodes it.
	Arguments any

	// Progress is called for each progress notification, in order and one at a
	// time. After Do has returned it is not called, except possibly if the
	// context of Do has ended. Each notification restarts Timeout.
	Progress func(Progress)

	// Timeout replaces Options.Timeout. The default is that; negative means no limit
	// other than Options.MaxTimeout.
	Timeout time.Duration

	// Meta holds additional members of the request's _meta. Its values have the
	// types of those in Arguments.
	Meta map[string]any

	// Header holds header fields, as an http.Header does, for the HTTP requests of
	// this call: its repetitions and the rest of its response, but not its
	// cancellation or its task. They replace the fields of the transport's
	// Options.Header and go to its origin only. If a field is invalid or belongs
	// to the transport, such as Authorization, Cookie, Content-Type or Mcp-Name,
	// the call sends nothing and fails. Other transports ignore Header.
	Header map[string][]string

	// Task is called on the goroutine of Do or Wait with each new state of the
	// task, if the call becomes one. See [Tasks].
	Task func(*Task)
}

// Format implements fmt.Formatter: every verb prints the name of the tool, without
// what Header and Arguments may keep secret. Programs that do not use package fmt do
// not link it.
func (t ToolCall) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.Name)) }

// CallTool calls a tool. args is usually a map[string]any and may be nil; see
// [ToolCall].Arguments. To set a timeout or observe progress, use Do.
//
// If the tool itself fails, CallTool returns a result with IsError set and no
// error. Every error is a *[CallError]. It wraps a *[jsonrpc.Error] if the
// server refused the call, and matches [ErrOutcomeUnknown] if the connection
// ended while the call was pending.
//
// If [Tasks] is among the handlers, the server may create a task for the call;
// CallTool then waits until the task ends.
//
// If the server does not declare tools, the request is sent all the same.
func (c *Client) CallTool(ctx context.Context, name string, args any) (*CallToolResult, error) {
	q := newRequest("tools/call", name, (*request).appendNamed)
	q.args = args
	if c.tasks != nil {
		return c.tasks.callTool(ctx, c, q, nil)
	}
	return call(ctx, c, q, fresh[CallToolResult])
}

// Do calls a tool as CallTool does, with the timeout, the _meta, the header and
// the functions in t.
//
// If the server does not declare tools, the request is sent all the same.
func (c *Client) Do(ctx context.Context, t *ToolCall) (*CallToolResult, error) {
	if t == nil {
		return nil, c.failed(newRequest("tools/call", "", nil), errNilCall)
	}
	q := t.request()
	if c.tasks != nil {
		return c.tasks.callTool(ctx, c, q, t.onStatus())
	}
	return call(ctx, c, q, fresh[CallToolResult])
}

var errNilCall = errors.New("the *ToolCall is nil")

func (t *ToolCall) request() *request {
	q := newRequest("tools/call", t.Name, (*request).appendNamed)
	q.args, q.meta, q.header, q.progress, q.timeout = t.Arguments, t.Meta, t.Header, t.Progress, t.Timeout
	return q
}

// onStatus returns Task for a caller that does not know its type, or nil.
func (t *ToolCall) onStatus() func(any) {
	f := t.Task
	if f == nil {
		return nil
	}
	return func(state any) { f(state.(*Task)) }
}

// A Tool is a function that a server offers.
type Tool struct {
	Name        string
	Title       string // for people (2025-06-18); see DisplayName
	Description string // for a model

	InputSchema  RawMessage // the JSON Schema of the arguments, as received
	OutputSchema RawMessage // the JSON Schema of CallToolResult.StructuredContent (2025-06-18); nil if absent

	Annotations *ToolAnnotations // 2025-03-26; nil if absent
	Execution   *ToolExecution   // 2025-11-25 only; nil if absent
	Icons       []Icon           // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Tool) fields(c *codec) {
	c.exact("name", &t.Name)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.raw("inputSchema", &t.InputSchema)
	c.raw("outputSchema", &t.OutputSchema)
	pointer(c, "annotations", &t.Annotations)
	pointer(c, "execution", &t.Execution)
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (t *Tool) ident() string { return t.Name }

// DisplayName returns the first of Title, Annotations.Title and Name that is
// not empty.
func (t *Tool) DisplayName() string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil && t.Annotations.Title != "":
		return t.Annotations.Title
	}
	return t.Name
}

// ToolAnnotations describe how a tool behaves (2025-03-26). They are hints: do
// not rely on the hints of an untrusted server. Nil fields are absent; the
// methods return the specification's defaults for them and may be called on
// nil.
type ToolAnnotations struct {
	Title           string // for people
	ReadOnlyHint    *bool
	DestructiveHint *bool
	IdempotentHint  *bool
	OpenWorldHint   *bool

	Extra map[string]RawMessage // members without a field, as received
}

func (t *ToolAnnotations) fields(c *codec) {
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.boolPtr("readOnlyHint", &t.ReadOnlyHint)
	c.boolPtr("destructiveHint", &t.DestructiveHint)
	c.boolPtr("idempotentHint", &t.IdempotentHint)
	c.boolPtr("openWorldHint", &t.OpenWorldHint)
	c.extra(&t.Extra)
}

// ReadOnly reports whether the tool does not change its environment. The
// default is false.
func (t *ToolAnnotations) ReadOnly() bool {
	return t != nil && hint(t.ReadOnlyHint, false)
}

// Destructive reports whether the tool may delete or overwrite data, and not
// only add to it. The default is true, except for a tool that is read-only.
func (t *ToolAnnotations) Destructive() bool {
	return !t.ReadOnly() && (t == nil || hint(t.DestructiveHint, true))
}

// Idempotent reports whether repeating a call with the same arguments has no
// further effect. The default is false, except for a tool that is read-only.
func (t *ToolAnnotations) Idempotent() bool {
	return t.ReadOnly() || t != nil && hint(t.IdempotentHint, false)
}

// OpenWorld reports whether the tool interacts with external entities, as a web
// search does. The default is true.
func (t *ToolAnnotations) OpenWorld() bool {
	return t == nil || hint(t.OpenWorldHint, true)
}

func hint(p *bool, otherwise bool) bool {
	if p == nil {
		return otherwise
	}
	return *p
}

// A TaskSupport describes whether a tool may be called as a task (2025-11-25).
type TaskSupport string

// The kinds of support.
const (
	TaskForbidden TaskSupport = "forbidden"
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
)

// ToolExecution describes how a tool may be called (2025-11-25).
type ToolExecution struct {
	TaskSupport TaskSupport // empty means TaskForbidden

	Extra map[string]RawMessage // members without a field, as received
}

func (t *ToolExecution) fields(c *codec) {
	c.string("taskSupport", (*string)(&t.TaskSupport), omitEmpty)
	c.extra(&t.Extra)
}

// Parameters decodes InputSchema into maps and slices. It sets "type" to
// "object" if the schema has none or is not a JSON object.
func (t *Tool) Parameters() map[string]any {
	v, _ := DecodeValue(t.InputSchema)
	m, _ := v.(map[string]any)
	if m == nil {
		m = make(map[string]any)
	}
	if kind, _ := m["type"].(string); kind == "" {
		m["type"] = "object"
	}
	return m
}

// Required returns the names of the arguments that InputSchema requires.
func (t *Tool) Required() (names []string) {
	list, _ := t.Parameters()["required"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// A ListToolsResult is a page of a server's tools.
type ListToolsResult struct {
	Tools []*Tool
	Page
}

func (t *ListToolsResult) fields(c *codec) {
	items(c, "tools", &t.Tools, &t.Page)
	t.Page.fields(c)
}

// A CallToolResult is the result of a tool call.
type CallToolResult struct {
	Content           []Content
	StructuredContent RawMessage // "structuredContent" (2025-06-18), as received; nil if absent
	IsError           bool       // the tool failed; Content describes the error
	Result

	isErrorSaid bool
}

func (t *CallToolResult) fields(c *codec) {
	list(c, "content", &t.Content, always)
	c.rawOrNull("structuredContent", &t.StructuredContent)
	c.bool("isError", &t.IsError, &t.isErrorSaid)
	t.Result.fields(c)
}

// maxQuick is the limit of the length of results that readQuick reads. Longer
// results are rare, and decoding them takes much longer than recognizing them.
const maxQuick = 4 << 10

// readQuick reads a result that is one text and nothing else, as most servers write
// it, and reports whether raw is one. raw has been validated, and t is new.
func (t *CallToolResult) readQuick(raw []byte) bool {
	if len(raw) > maxQuick {
		return false
	}
	rest, kind := wire.After(raw, `{"resultType":"complete",`), "complete"
	if rest == nil {
		rest, kind = wire.After(raw, "{"), ""
	}
	rest = wire.After(rest, `"content":[{"type":"text","text":`)
	r := wire.NewReader(rest)
	r.Trust()
	if r.Kind() != wire.String {
		return false
	}
	text := r.String()
	if string(rest[r.Offset():]) != "}]}" {
		return false
	}
	t.Content, t.ResultType = []Content{{Type: ContentText, Text: text}}, kind
	return true
}

// Text returns the text of the text blocks in Content, separated by line
// breaks.
func (t *CallToolResult) Text() string { return joinText(t.Content) }

func joinText(content []Content) string {
	var text []string
	for i := range content {
		if b := &content[i]; b.Type == "text" && b.Raw == nil {
			text = append(text, b.Text)
		}
	}
	return strings.Join(text, "\n")
}
