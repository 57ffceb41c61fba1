package mcp

import (
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An object is a protocol type whose JSON is an object. Its fields method
// passes the key and the address of each field to the codec and serves both
// directions. Writing calls it once. Reading calls it once if the members
// arrive in the order of the fields, and once more for each member that does
// not.
type object interface{ fields(c *codec) }

// An objectPtr is the pointer type of an object, for functions that allocate
// one.
type objectPtr[T any] interface {
	*T
	object
}

// Values of the parameter always: whether to write a member with an empty
// value.
const (
	omitEmpty = false
	always    = true
)

// A codec reads or writes one JSON text. A null member counts as absent.
type codec struct {
	writing  bool
	r        wire.Reader
	key      []byte // of the current member; nil when a field has taken it
	behind   bool   // the fields before the current one have not seen key
	ended    bool   // no more members follow; always true when writing
	elements int    // of lists that have been read; see maxElements
	b        []byte
	err      error // the first error of writing; the reader has its own
	inResult bool  // in the content of a tool_result, which has no others
	mixed    bool  // the object being written has members from Extra, which may repeat a key
	hinting
}

// A hinting is how the members of an object are read that only describe something: a
// value of another shape is skipped, and fails neither the object nor the result.
type hinting struct {
	hints bool // set by fields methods before the fields that are hints
	hint  bool // a hint has been read from mark on
	mark  wire.Mark
}

// Codecs are pooled: fields methods are called through an interface, so a
// codec, which contains a large Reader, always escapes to the heap.
var codecs = sync.Pool{New: func() any { return new(codec) }}

func (c *codec) free() {
	*c = codec{}
	codecs.Put(c)
}

// decodeObject reads v, which then shares memory with the text.
func decodeObject(r *wire.Reader, v object) {
	c := codecs.Get().(*codec)
	c.r = *r
	c.read(v)
	*r = c.r
	c.free()
}

// decodeText reads v from a text that holds nothing else, and then shares
// memory with it. The text must be part of a message, which the connection has
// validated.
func decodeText(text []byte, v object) error {
	r := wire.NewReader(text)
	r.Trust()
	return decodeWhole(&r, v)
}

func decodeWhole(r *wire.Reader, v object) error {
	if r.Kind() != wire.Object {
		r.Object() // fails; an empty list stands for an object only in a member
	}
	decodeObject(r, v)
	return r.End()
}

// decode reads v from a copy of data. It does nothing for null, as
// json.Unmarshaler requires.
func decode(data []byte, v object) error {
	r := wire.NewReader(slices.Clone(data))
	if !r.Null() {
		decodeObject(&r, v)
	}
	return r.End()
}

// appendObject appends v, with null for values that cannot be encoded.
func appendObject(b []byte, v object) []byte {
	b, _ = encodeObject(b, v)
	return b
}

func encode(v object) ([]byte, error) { return encodeObject(nil, v) }

func encodeObject(b []byte, v object) ([]byte, error) {
	c := codecs.Get().(*codec)
	c.writing, c.ended, c.b = true, true, b
	c.write(v)
	b, err := c.b, c.err
	c.free()
	return b, err
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *codec) read(v object) {
	if t, ok := v.(*Content); ok {
		c.readContent(t)
		return
	}
	c.readMembers(v)
}

func (c *codec) readMembers(v object) {
	if c.emptyArray() {
		return
	}
	around := c.hinting
	for c.r.Object(); c.come(); {
		c.behind, c.hints = false, false
		v.fields(c)
		failed := c.hint && c.r.Err() != nil
		if failed {
			c.r.Reset(c.mark)
			c.r.Note("a member of another type, which was skipped")
			c.hint, c.ended = false, false
		}
		if failed || c.key != nil && !c.behind {
			c.key = nil
			c.r.Skip()
		}
	}
	c.key, c.ended, c.hinting = nil, false, around
}

// come reads the key of the next member, unless no field has taken the current
// one. It reports whether there is a current member.
func (c *codec) come() bool {
	if c.key == nil && !c.ended {
		if c.r.More() {
			c.key, c.behind, c.hint = c.r.Key(), true, false
		} else {
			c.ended = true
		}
	}
	return c.key != nil
}

// at reports whether the current member has the given key.
//
//go:noinline
func (c *codec) at(key string) bool { return c.come() && string(c.key) == key }

// emptyArray reads an array if it is empty. PHP servers write an empty object
// that way.
func (c *codec) emptyArray() bool {
	if c.r.Kind() != wire.Array {
		return false
	}
	mark := c.r.Mark()
	c.r.Array()
	if c.r.More() || c.r.Err() != nil {
		c.r.Reset(mark)
		return false
	}
	c.r.Note(emptyArray)
	return true
}

const emptyArray = "an empty array in place of an object"

// try skips a value that does not have the shape of v, and returns the error. Invalid
// JSON remains an error of the reader.
func (c *codec) try(v object) error {
	mark := c.r.Mark()
	c.readMembers(v)
	err := c.r.Err()
	if err == nil {
		return nil
	}
	c.r.Reset(mark)
	c.r.Skip()
	return err
}

func (c *codec) write(v object) {
	if t, ok := v.(*Content); ok && t.Raw != nil {
		c.writeRaw(t.Raw)
		return
	}
	start := len(c.b)
	c.b = append(c.b, '{')
	v.fields(c)
	c.b = append(c.b, '}')
	if c.mixed {
		c.mixed = false
		c.fail(repeats(c.b[start:]))
	}
}

func repeats(text []byte) error {
	r := wire.NewReader(text)
	for r.Object(); r.More(); r.Skip() {
		r.Key()
	}
	return r.End()
}

// writeRaw writes JSON from the server or the program, which it validates. Invalid
// JSON becomes null.
func (c *codec) writeRaw(raw RawMessage) {
	b, err := wire.AppendRaw(c.b, raw)
	if err != nil {
		c.fail(err)
		b = append(c.b, "null"...)
	}
	c.b = b
}

// MarshalJSON of each protocol type has a value receiver, so that encoding/json also
// finds it for values in maps and interfaces. It returns an error for a raw field with
// invalid JSON, and for a key of Extra that is that of a field. UnmarshalJSON sets the
// members that the text has, as encoding/json does with a struct.

func (t Implementation) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Implementation) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Icon) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Icon) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Annotations) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Annotations) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Result) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Result) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Page) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Page) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Tool) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Tool) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ToolAnnotations) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ToolAnnotations) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ToolExecution) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ToolExecution) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ListToolsResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ListToolsResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t CallToolResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *CallToolResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Content) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Content) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ResourceContents) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ResourceContents) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Resource) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Resource) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ResourceTemplate) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ResourceTemplate) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ListResourcesResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ListResourcesResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ListResourceTemplatesResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ListResourceTemplatesResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ReadResourceResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ReadResourceResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Prompt) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Prompt) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t PromptArgument) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *PromptArgument) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t PromptMessage) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *PromptMessage) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ListPromptsResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ListPromptsResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t GetPromptResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *GetPromptResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ServerCapabilities) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ServerCapabilities) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ResourcesCapability) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ResourcesCapability) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t CreateMessageParams) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *CreateMessageParams) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t SamplingMessage) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *SamplingMessage) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t CreateMessageResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *CreateMessageResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ModelPreferences) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ModelPreferences) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ModelHint) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ModelHint) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ToolChoice) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ToolChoice) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Root) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Root) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ElicitParams) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ElicitParams) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t PrimitiveSchema) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *PrimitiveSchema) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t EnumItems) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *EnumItems) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t EnumOption) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *EnumOption) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t ElicitResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *ElicitResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Task) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Task) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t TasksCapability) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *TasksCapability) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t InputRequest) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *InputRequest) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Progress) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Progress) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t LogMessage) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *LogMessage) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t SubscriptionFilter) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *SubscriptionFilter) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Reference) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Reference) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t CompleteResult) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *CompleteResult) UnmarshalJSON(b []byte) error { return decode(b, t) }

func (t Completion) MarshalJSON() ([]byte, error)  { return encode(&t) }
func (t *Completion) UnmarshalJSON(b []byte) error { return decode(b, t) }
