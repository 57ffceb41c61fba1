package mcp

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

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
	c.string("name", &t.Name, always)
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

// ToolExecution describes how a tool may be called (2025-11-25).
type ToolExecution struct {
	// TaskSupport is "forbidden", "optional" or "required": whether the tool
	// may be called as a task. Empty means forbidden.
	TaskSupport string

	Extra map[string]RawMessage // members without a field, as received
}

func (t *ToolExecution) fields(c *codec) {
	c.string("taskSupport", &t.TaskSupport, omitEmpty)
	c.extra(&t.Extra)
}

// Parameters decodes InputSchema into maps and slices. It sets "type" to
// "object" if the schema has none or is not a JSON object.
func (t *Tool) Parameters() map[string]any {
	v, _ := Value(t.InputSchema)
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
