package mcp

import (
	"errors"
	"math"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// take reports whether the current member has the given key and a value to
// read. It skips null, which counts as absent. take and put have so many
// callers that inlining them would cost more than the calls.
//
//go:noinline
func (c *codec) take(key string) bool {
	if !c.at(key) {
		return false
	}
	c.key = nil
	return !c.r.Null()
}

// put writes a key if the codec is writing and present is true. It reports
// whether the caller must write the value.
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

// bool is for a flag whose absence means false. If said is not nil, it records
// that the flag was present, so that a false is written again.
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

// The next five are for members whose absence differs from the zero value.

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

// hintPtr is like intPtr for a number that is only a hint: it rounds a fraction
// toward zero and limits what is out of range, so that a hint fails no result.
func (c *codec) hintPtr(key string, p **int64) {
	if c.take(key) {
		const limit = 1 << 53
		n := int64(max(-limit, min(c.r.Float(), limit)))
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
		c.r.Fail(errors.New("JSON: the number in " + wire.Quote(key) + " is too large"))
		return 0
	}
	return f
}

func (c *codec) writeFloat(f float64) { c.appended(wire.AppendFloat(c.b, f)) }

// raw is for a value that is kept as received.
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

// object is for an object that is always written.
func (c *codec) object(key string, v object) {
	if c.take(key) || c.put(key, true) {
		c.readOrWrite(v)
	}
}

// pointer is for an object that may be absent.
func pointer[T any, P objectPtr[T]](c *codec, key string, p **T) {
	if c.take(key) {
		*p = new(T)
	} else if !c.put(key, *p != nil) {
		return
	}
	c.readOrWrite(P(*p))
}

func (c *codec) readOrWrite(v object) {
	if c.writing {
		c.write(v)
	} else {
		c.read(v)
	}
}
