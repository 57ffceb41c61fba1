package mcp

import (
	"slices"
	"sync"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An object is a protocol type that is an object in JSON. Its fields method
// hands every member to the codec, by key and place. That one description
// serves both directions: writing calls it once, and so does reading as long
// as the members came in the same order, else once more for each that didn't.
type object interface{ fields(c *codec) }

// An objectPtr is the pointer type of an object, for functions that make one.
type objectPtr[T any] interface {
	*T
	object
}

// Whether a member is written even when its value is empty.
const (
	omitEmpty = false
	always    = true
)

// A codec reads or writes one JSON text.
//
// In each direction, null stands for a member that is absent.
type codec struct {
	writing bool
	r       wire.Reader
	key     []byte // of the member that has been come to; nil when a field has taken it
	behind  bool   // fields before the current one have not seen that key
	ended   bool   // no more members follow; always so when writing
	b       []byte
	err     error // what could not be written
	mixed   bool  // the object being written has members from outside
}

// Codecs are used again because fields methods are called through an
// interface, so that a codec, with the large Reader in it, never stays on the
// stack.
var codecs = sync.Pool{New: func() any { return new(codec) }}

func (c *codec) free() {
	*c = codec{}
	codecs.Put(c)
}

// decodeObject reads v. What it holds then shares memory with the text.
func decodeObject(r *wire.Reader, v object) {
	c := codecs.Get().(*codec)
	c.r = *r
	c.read(v)
	*r = c.r
	c.free()
}

// decodeText reads v from a text that holds nothing else. What v holds then
// shares memory with the text, which has come in a message and so is valid.
func decodeText(text []byte, v object) error {
	r := wire.NewReader(text)
	r.Trust()
	if r.Kind() != wire.Object {
		r.Object() // fails: only inside of an object an empty list is taken for one
	}
	decodeObject(&r, v)
	return r.End()
}

// unmarshalObject reads *p from a text that may change afterwards. It changes
// nothing unless all is well, nor for null, as encoding/json asks for.
func unmarshalObject[T any, P objectPtr[T]](data []byte, p P) error {
	r := wire.NewReader(slices.Clone(data))
	if r.Null() {
		return r.End()
	}
	v := new(T)
	decodeObject(&r, P(v))
	if err := r.End(); err != nil {
		return err
	}
	*p = *v
	return nil
}

// appendObject appends v, with null in place of what cannot be written.
func appendObject(b []byte, v object) []byte {
	b, _ = encodeObject(b, v)
	return b
}

func marshalObject(v object) ([]byte, error) { return encodeObject(nil, v) }

func encodeObject(b []byte, v object) ([]byte, error) {
	c := codecs.Get().(*codec)
	c.writing, c.ended, c.b = true, true, b
	c.write(v)
	b, err := c.b, c.err
	c.free()
	return b, err
}

// fail makes err what MarshalJSON returns.
func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// read reads an object.
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
	for c.r.Object(); c.come(); {
		c.behind = false
		v.fields(c)
		if c.key != nil && !c.behind {
			c.key = nil
			c.r.Skip()
		}
	}
	c.key, c.ended = nil, false
}

// come comes to the next member, unless there is one that no field has taken.
// It reports whether there is one now.
func (c *codec) come() bool {
	if c.key == nil && !c.ended {
		if c.r.More() {
			c.key, c.behind = c.r.Key(), true
		} else {
			c.ended = true
		}
	}
	return c.key != nil
}

// at reports whether the member that has been come to has the given key.
func (c *codec) at(key string) bool { return c.come() && string(c.key) == key }

// emptyArray reads an array if it is empty. Servers in PHP write an empty
// object that way.
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
	return true
}

// try reads v and returns nil, or steps over a value that has not the shape
// of a v and returns what is wrong with it. Text that is no JSON stays an
// error of the reader.
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

// write writes an object.
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

// repeats returns an error when an object has a key twice.
func repeats(text []byte) error {
	r := wire.NewReader(text)
	for r.Object(); r.More(); r.Skip() {
		r.Key()
	}
	return r.End()
}

// writeRaw writes a value that somebody else wrote.
func (c *codec) writeRaw(raw RawMessage) {
	b, err := wire.AppendRaw(c.b, raw)
	if err != nil {
		c.fail(err)
		b = append(c.b, "null"...)
	}
	c.b = b
}
