package mcp

import (
	"errors"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// stringList is for a list of strings. It reads a single string as a list of
// one, because some servers send the sizes of an icon that way.
func stringList[T ~string](c *codec, key string, p *[]T, always bool) {
	if c.take(key) {
		*p = []T{}
		one := c.r.Kind() == wire.String
		if !one {
			c.r.Array()
		}
		for one || c.more() {
			if !c.r.Null() {
				*p = append(*p, T(c.r.String()))
			}
			if one {
				break
			}
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

// list is for a list of objects.
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
		*p = s
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

var errElements = errors.New("JSON: more than " + strconv.Itoa(maxElements) + " elements in lists")

// more reports whether another element of a list follows.
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
