package mcp

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// take reports whether the member that has been come to has the given key and
// is to be read. Null is read at once, as it stands for an absent member.
func (c *codec) take(key string) bool {
	if string(c.key) != key {
		return false
	}
	c.key = nil
	return !c.r.Null()
}

// put writes a key if writing is what the codec does and present is true, and
// reports whether the value is to follow.
func (c *codec) put(key string, present bool) bool {
	if !c.writing || !present {
		return false
	}
	c.b = wire.AppendKey(c.b, key)
	return true
}

func (c *codec) string(key string, p *string, must bool) {
	if c.take(key) {
		*p = c.r.String()
	} else if c.put(key, must || *p != "") {
		c.b = wire.AppendString(c.b, *p)
	}
}

// bool is for a flag whose absence means false. A false that was read is
// written again if said is there to remember it.
func (c *codec) bool(key string, p, said *bool) {
	if c.take(key) {
		*p = c.r.Bool()
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

// The next four are for members whose absence means something else than their
// zero value.

func (c *codec) stringPtr(key string, p **string) {
	if c.take(key) {
		s := c.r.String()
		*p = &s
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendString(c.b, **p)
	}
}

func (c *codec) boolPtr(key string, p **bool) {
	if c.take(key) {
		v := c.r.Bool()
		*p = &v
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendBool(c.b, **p)
	}
}

func (c *codec) intPtr(key string, p **int64) {
	if c.take(key) {
		n := c.r.Int()
		*p = &n
	} else if c.put(key, *p != nil) {
		c.b = wire.AppendInt(c.b, **p)
	}
}

func (c *codec) floatPtr(key string, p **float64) {
	if c.take(key) {
		f := c.readFloat(key)
		*p = &f
	} else if c.put(key, *p != nil) {
		c.writeFloat(**p)
	}
}

func (c *codec) readFloat(key string) float64 {
	f := c.r.Float()
	if math.IsInf(f, 0) {
		c.r.Fail(errors.New("JSON: the number in " + strconv.Quote(key) + " is too large"))
		return 0
	}
	return f
}

func (c *codec) writeFloat(f float64) {
	b, err := wire.AppendFloat(c.b, f)
	if err != nil {
		c.fail(err)
		b = append(c.b, "null"...)
	}
	c.b = b
}

// raw is for a value that stays as it came.
func (c *codec) raw(key string, p *json.RawMessage) {
	if c.take(key) {
		*p = c.r.Raw()
	} else if c.put(key, *p != nil) {
		c.writeRaw(*p)
	}
}

// rawOr is like raw for a value that must be there; if it isn't, otherwise is
// written.
func (c *codec) rawOr(key string, p *json.RawMessage, otherwise string) {
	if c.put(key, *p == nil) {
		c.b = append(c.b, otherwise...)
		return
	}
	c.raw(key, p)
}

// rawOrNull is like raw for a value that may be null as well.
func (c *codec) rawOrNull(key string, p *json.RawMessage) {
	if string(c.key) == key {
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

// extra keeps the members that no field has taken. It comes last.
func (c *codec) extra(p *map[string]json.RawMessage) {
	if c.key != nil {
		if *p == nil {
			*p = make(map[string]json.RawMessage)
		}
		key := string(c.key)
		c.key = nil
		(*p)[key] = c.r.Raw()
	} else if c.writing && len(*p) > 0 {
		c.writeMap(*p)
		c.mixed = true
	}
}

// rawMap is for an object whose members stay as they came.
func (c *codec) rawMap(key string, p *map[string]json.RawMessage) {
	if c.take(key) {
		*p = make(map[string]json.RawMessage)
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

func (c *codec) writeMap(m map[string]json.RawMessage) {
	for _, key := range wire.SortedKeys(m) {
		c.b = wire.AppendKey(c.b, key)
		c.writeRaw(m[key])
	}
}

func (c *codec) inputRequests(p *map[string]InputRequest) {
	if c.take("inputRequests") {
		*p = make(map[string]InputRequest)
		if c.emptyArray() {
			return
		}
		for c.r.Object(); c.r.More(); {
			var v InputRequest
			key := string(c.r.Key())
			c.read(&v)
			(*p)[key] = v
		}
	} else if c.put("inputRequests", *p != nil) {
		c.b = append(c.b, '{')
		for _, key := range wire.SortedKeys(*p) {
			v := (*p)[key]
			c.b = wire.AppendKey(c.b, key)
			c.write(&v)
		}
		c.b = append(c.b, '}')
	}
}

// object is for an object that is always written.
func (c *codec) object(key string, v object) {
	if c.take(key) {
		c.read(v)
	} else if c.put(key, true) {
		c.write(v)
	}
}

// pointer is for an object that may be absent.
func pointer[T any, P objectPtr[T]](c *codec, key string, p **T) {
	if c.take(key) {
		*p = new(T)
		c.read(P(*p))
	} else if c.put(key, *p != nil) {
		c.write(P(*p))
	}
}

// stringList is for a list of strings. One string alone is taken for a list of
// it, as the sizes of an icon were before 2025-11-25.
func stringList[T ~string](c *codec, key string, p *[]T, must bool) {
	if c.take(key) {
		*p = []T{}
		if c.r.Kind() == wire.String {
			*p = append(*p, T(c.r.String()))
			return
		}
		for c.r.Array(); c.r.More(); {
			if !c.r.Null() {
				*p = append(*p, T(c.r.String()))
			}
		}
	} else if c.put(key, must || *p != nil) {
		c.b = append(c.b, '[')
		for _, s := range *p {
			c.b = wire.AppendString(wire.AppendComma(c.b), string(s))
		}
		c.b = append(c.b, ']')
	}
}

// list is for a list of objects.
func list[T any, P objectPtr[T]](c *codec, key string, p *[]T, must bool) {
	if c.take(key) {
		*p = []T{}
		for c.r.Array(); c.r.More(); {
			if !c.r.Null() {
				*p = append(*p, *new(T))
				c.read(P(&(*p)[len(*p)-1]))
			}
		}
	} else if c.put(key, must || *p != nil) {
		c.b = append(c.b, '[')
		for i := range *p {
			c.b = wire.AppendComma(c.b)
			c.write(P(&(*p)[i]))
		}
		c.b = append(c.b, ']')
	}
}

// An item is an object in a list that loses one bad item rather than all.
type item[T any] interface {
	objectPtr[T]
	ident() string // what requests name it by
}

// items is for the list that a page is about. An item of the wrong shape is
// left out, and added to bad.
func items[T any, P item[T]](c *codec, key string, p *[]T, bad *[]error) {
	if c.writing {
		list[T, P](c, key, p, must)
		return
	}
	if !c.take(key) {
		return
	}
	*p = []T{}
	i := 0
	for c.r.Array(); c.r.More(); i++ {
		if c.r.Null() {
			continue
		}
		n := len(*p)
		*p = append(*p, *new(T))
		v := P(&(*p)[n])
		err := c.try(v)
		if err == nil && v.ident() == "" {
			err = errNoName
		}
		if err != nil {
			*p = (*p)[:n]
			*bad = append(*bad, &itemError{key, i, err})
		}
	}
}

// An itemError says what is wrong with an item that was left out of a list.
type itemError struct {
	list  string
	index int
	err   error
}

func (e *itemError) Error() string {
	return e.list + "[" + strconv.Itoa(e.index) + "] left out: " + e.err.Error()
}

func (e *itemError) Unwrap() error { return e.err }

var errNoName = errors.New("it has no name")
