package mcp

import (
	"errors"
	"math"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// take reports whether the current member has the given key and a value to
// read. It skips null, which counts as absent.
func (c *codec) take(key string) bool {
	if !c.at(key) {
		return false
	}
	c.key = nil
	if c.hints {
		c.hint, c.mark = true, c.r.Mark()
	}
	if c.r.Null() {
		c.r.Note("a member that is null")
		return false
	}
	return true
}

// put writes a key if the codec is writing and present is true. It reports
// whether the caller must write the value. Inlined in the functions for each
// kind of field, put, putList, room, the codec's at and wire.Grow would add 5 KB to a
// stdio program.
//
//go:noinline
func (c *codec) put(key string, present bool) bool {
	if !c.writing || !present {
		return false
	}
	c.b = wire.AppendKey(c.b, key)
	return true
}

func (c *codec) string(key string, p *string, always bool) {
	if c.take(key) {
		*p = c.r.String()
	} else if c.put(key, always || *p != "") {
		c.b = wire.AppendString(c.b, *p)
	}
}

// exact is for a string that the client sends back to the server. It is always written.
func (c *codec) exact(key string, p *string) {
	if c.take(key) {
		*p = c.r.Exact()
	} else if c.put(key, true) {
		c.b = wire.AppendString(c.b, *p)
	}
}

// bool is for a flag whose absence means false. If said is not nil, it records
// that the flag was present, so that a false is written again.
func (c *codec) bool(key string, p, said *bool) {
	if c.take(key) {
		*p = c.readBool()
		if said != nil {
			*said = true
		}
	} else if c.put(key, *p || said != nil && *said) {
		c.b = wire.AppendBool(c.b, *p)
	}
}

func (c *codec) int(key string, p *int64) {
	if c.take(key) {
		*p = c.r.Int()
	} else if c.put(key, true) {
		c.b = wire.AppendInt(c.b, *p)
	}
}

func (c *codec) float(key string, p *float64) {
	if c.take(key) {
		*p = c.readFloat(key)
	} else if c.put(key, true) {
		c.writeFloat(*p)
	}
}

func (c *codec) exactPtr(key string, p **string) {
	if c.take(key) {
		s := c.r.Exact()
		*p = &s
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendString(c.b, **p)
	}
}

func (c *codec) boolPtr(key string, p **bool) {
	if c.take(key) {
		if v := c.readBool(); c.r.Err() == nil {
			*p = &v
		}
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendBool(c.b, **p)
	}
}

// readBool reads a boolean, which some servers write as a string.
func (c *codec) readBool() bool {
	if c.r.Kind() == wire.String {
		mark := c.r.Mark()
		switch s := c.r.String(); s {
		case "true", "True", "false", "False":
			c.r.Note("a boolean that is a string")
			return s[0]|' ' == 't'
		}
		c.r.Reset(mark)
	}
	return c.r.Bool()
}

func (c *codec) intPtr(key string, p **int64) {
	if c.take(key) {
		n := c.r.Int()
		*p = &n
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendInt(c.b, **p)
	}
}

// hintPtr rounds a fraction toward zero and limits what is out of range, so that a hint
// fails no result.
func (c *codec) hintPtr(key string, p **int64) {
	if c.take(key) {
		const limit = 1 << 53
		f := c.r.Float()
		n := int64(max(-limit, min(f, limit)))
		if float64(n) != f {
			c.r.Note("a number that is not an integer, or is too large")
		}
		*p = &n
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendInt(c.b, **p)
	}
}

func (c *codec) floatPtr(key string, p **float64) {
	if c.take(key) {
		if f := c.readFloat(key); c.r.Err() == nil {
			*p = &f
		}
	} else if c.put(key, *p != nil) {
		c.writeFloat(**p)
	}
}

func (c *codec) readFloat(key string) float64 {
	f := c.r.Float()
	if math.IsInf(f, 0) {
		c.r.Fail(errors.New("JSON: the number in " + wire.Quote(key) + " is too large"))
		return 0
	}
	return f
}

// writeFloat writes a number, and null for an infinite one, which has no JSON.
func (c *codec) writeFloat(f float64) {
	b, err := wire.AppendFloat(c.b, f)
	if err != nil {
		c.fail(err)
		b = append(c.b, "null"...)
	}
	c.b = b
}

func (c *codec) raw(key string, p *RawMessage) {
	if c.take(key) {
		*p = c.r.Raw()
	} else if c.put(key, *p != nil) {
		c.writeRaw(*p)
	}
}

// rawOr is like raw, but writes otherwise if the value is nil.
func (c *codec) rawOr(key string, p *RawMessage, otherwise string) {
	if c.put(key, *p == nil) {
		c.b = append(c.b, otherwise...)
		return
	}
	c.raw(key, p)
}

// rawOrNull is like raw for a value that may also be null.
func (c *codec) rawOrNull(key string, p *RawMessage) {
	if c.at(key) {
		c.key = nil
		*p = c.r.Raw()
	} else if c.put(key, *p != nil) {
		c.writeRaw(*p)
	}
}

func (c *codec) id(key string, p *jsonrpc.ID) {
	if c.take(key) {
		if raw := c.r.Raw(); raw != nil {
			c.r.Fail(p.UnmarshalJSON(raw))
		}
	} else if c.put(key, !p.IsZero()) {
		c.b = append(c.b, p.String()...)
	}
}

// extra keeps the members that no field has taken. Fields methods call it last.
func (c *codec) extra(p *map[string]RawMessage) {
	if c.key != nil && !c.behind {
		if *p == nil {
			*p = make(map[string]RawMessage)
		}
		key := string(c.key)
		c.key = nil
		(*p)[key] = c.r.Raw()
	} else if c.writing && len(*p) > 0 {
		c.writeMap(*p)
		c.mixed = true
	}
}

// rawMap is for an object whose members are kept as received.
func (c *codec) rawMap(key string, p *map[string]RawMessage) {
	if c.take(key) {
		*p = make(map[string]RawMessage)
		if c.emptyArray() {
			return
		}
		for c.r.Object(); c.r.More(); {
			key := string(c.r.Key())
			(*p)[key] = c.r.Raw()
		}
	} else if c.put(key, *p != nil) {
		c.b = append(c.b, '{')
		c.writeMap(*p)
		c.b = append(c.b, '}')
	}
}

func (c *codec) writeMap(m map[string]RawMessage) {
	for _, key := range wire.SortedKeys(m) {
		c.b = wire.AppendKey(c.b, key)
		c.writeRaw(m[key])
	}
}

func (c *codec) object(key string, v object) {
	if c.take(key) {
		c.read(v)
	} else if c.put(key, true) {
		c.write(v)
	}
}

func pointer[T any, P objectPtr[T]](c *codec, key string, p **T) {
	if c.take(key) {
		v := new(T)
		if c.read(P(v)); c.r.Err() == nil {
			*p = v
		}
	} else if c.put(key, *p != nil) {
		c.write(P(*p))
	}
}

// stringList is for a list of strings. It reads a single string as a list of
// one, because some servers send the sizes of an icon that way.
func stringList[T ~string](c *codec, key string, p *[]T, always bool) {
	if c.take(key) {
		s := []T{}
		one := c.r.Kind() == wire.String
		if one {
			c.r.Note("a string in place of a list of strings")
		} else {
			c.r.Array()
		}
		for one || c.more() {
			if !c.r.Null() {
				s = append(s, T(c.r.String()))
			}
			if one {
				break
			}
		}
		if c.r.Err() == nil {
			*p = s
		}
	} else if c.putList(key, always || *p != nil) {
		for _, s := range *p {
			c.b = wire.AppendString(wire.AppendComma(c.b), string(s))
		}
		c.endList()
	}
}

// items is for the list of a page. It omits invalid items and appends their
// errors to page.bad.
func items[T any, P itemPtr[T]](c *codec, key string, p *[]*T, page *Page) {
	pointers[T, P](c, key, p, always, &page.bad)
	page.n = len(*p)
}

// Functions for lists contain only code that depends on the type of the elements,
// because the compiler copies it for each type.

// pointers is for a list of pointers to objects. The objects that it reads
// share a few arrays. It does not write nil.
func pointers[T any, P objectPtr[T]](c *codec, key string, p *[]*T, always bool, bad *[]error) {
	if c.takeList(key) {
		list, start := []*T{}, c.r.Offset()
		var free []T // the rest of the last array
		for i := 0; c.more(); i++ {
			if n := len(list); len(free) == 0 {
				free = make([]T, c.room(n, start)-n)
			}
			if c.element(P(&free[0]), key, i, bad) {
				list, free = append(list, &free[0]), free[1:]
			} else {
				clear(free[:1])
			}
		}
		*p = list
	} else if c.putList(key, always || *p != nil) {
		for _, v := range *p {
			if v != nil {
				c.putElement(P(v))
			}
		}
		c.endList()
	}
}

func list[T any, P objectPtr[T]](c *codec, key string, p *[]T, always bool) {
	if c.takeList(key) {
		s, start := []T{}, c.r.Offset()
		for i := 0; c.more(); i++ {
			last := len(s)
			if last == cap(s) {
				more := make([]T, c.room(last, start))
				copy(more, s)
				s = more
			}
			s = s[:last+1]
			if !c.element(P(&s[last]), key, i, nil) {
				s = s[:last] // null
			}
		}
		if c.r.Err() == nil {
			*p = s
		}
	} else if s := *p; c.putList(key, always || s != nil) {
		for i := range s {
			c.putElement(P(&s[i]))
		}
		c.endList()
	}
}

// maxElements is the limit of the elements of all lists in a text. An element of 3
// bytes can be a Content, which takes 480 bytes of memory.
const maxElements = 128 << 10

// errElements names maxElements. A constant needs no code that sets it.
const errElements = diag.Message("JSON: more than 131072 elements in lists")

func (c *codec) more() bool {
	if !c.r.More() {
		return false
	}
	if c.elements++; c.elements > maxElements {
		c.r.Fail(errElements)
	}
	return c.r.Err() == nil
}

// sample is the number of elements from which room estimates the length of a
// list.
const sample = 8

// room returns the capacity for a list of which n elements have been read.
// After a sample it estimates the length of the list from the length of the
// remaining text.
//
//go:noinline
func (c *codec) room(n, start int) int {
	room := max(1, 2*n)
	if n == sample {
		room = sample + 1 + c.r.Left()/max(256, (c.r.Offset()-start)/sample)
	}
	return min(room, maxElements)
}

// element reads element i of a list and reports whether to keep it. Only if bad
// is not nil may it omit an invalid element.
func (c *codec) element(v object, list string, i int, bad *[]error) bool {
	if c.r.Null() {
		return false
	}
	if bad == nil {
		c.read(v)
		return true
	}
	err := c.try(v)
	if err == nil && v.(item).ident() == "" {
		err = errNoName
	}
	if err != nil {
		*bad = append(*bad, diag.Error(list+"["+strconv.Itoa(i)+"] left out: "+err.Error(), nil, err))
	}
	return err == nil
}

func (c *codec) takeList(key string) bool {
	if !c.take(key) {
		return false
	}
	c.r.Array()
	return true
}

//go:noinline
func (c *codec) putList(key string, present bool) bool {
	if !c.put(key, present) {
		return false
	}
	c.b = append(c.b, '[')
	return true
}

func (c *codec) putElement(v object) {
	c.b = wire.AppendComma(c.b)
	c.write(v)
}

//go:noinline
func (c *codec) endList() { c.b = append(c.b, ']') }

// An item is an object with a name, URI or id by which requests refer to it.
type item interface {
	object
	ident() string
}

type itemPtr[T any] interface {
	*T
	item
}

var errNoName = errors.New("it has no name or URI")
