package streamhttp

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A stateless server may require a client to repeat arguments of a tool in
// headers: those whose property in the schema of the tool has x-mcp-header.

const annotation = "x-mcp-header"

// A binding describes an argument that is repeated in a header.
type binding struct {
	path   []string // of properties
	header string   // the header name in canonical form
	kind   string   // "string", "integer" or "boolean"
}

// bindArguments finds out which of the arguments that schema describes are
// repeated in the headers of requests with this Binding. It returns an error if
// the schema breaks the rules; the binding must not be used then.
func (c *conn) bindArguments(name string, schema jsonrpc.RawMessage) error {
	bindings, err := findBindings(schema)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetBindingsLocked(name)
	if err != nil || bindings == nil {
		return err
	}
	t := &toolBindings{all: bindings, size: len(name), bound: time.Now()}
	for _, b := range bindings {
		t.size += len(b.header) + 128
		for _, name := range b.path {
			t.size += len(name) + 16
		}
	}
	if !c.bindingBudget.Take(t.size) {
		return errBindings
	}
	c.bindings[strings.Clone(name)] = t
	return nil
}

// forgetArguments forgets the tools that bindArguments was last called with before
// the given time.
func (c *conn) forgetArguments(before time.Time) {
	c.mu.Lock()
	for name, t := range c.bindings {
		if t.bound.Before(before) {
			c.forgetBindingsLocked(name)
		}
	}
	c.mu.Unlock()
}

// forgetBindingsLocked forgets a tool.
func (c *conn) forgetBindingsLocked(name string) {
	if t := c.bindings[name]; t != nil {
		c.bindingBudget.Return(t.size)
		delete(c.bindings, name)
	}
}

// toolBindings are those of a tool.
type toolBindings struct {
	all   []binding
	size  int // about how many bytes they keep
	bound time.Time
}

// maxBindings is how many arguments of a tool may be repeated in headers, and
// maxHeaderName the limit of the length of a header's name.
const maxBindings, maxHeaderName = 128, 256

var errBindings = errors.New("the arguments of all tools with " + annotation + " exceed the limit of the client")

func findBindings(schema []byte) ([]binding, error) {
	if !bytes.Contains(schema, []byte(annotation)) && !bytes.Contains(schema, []byte(`\u`)) {
		return nil, nil // nor with an escaped letter
	}
	f := schemaWalker{r: wire.NewReader(schema)}
	f.schema(nil, true)
	if err := f.r.End(); err != nil {
		return nil, err
	}
	return f.found, f.err
}

// A schemaWalker finds the annotations of a schema.
type schemaWalker struct {
	r     wire.Reader
	found []binding
	err   error // the first violation of a rule
}

//
//go:noinline
func (f *schemaWalker) fail(why string) {
	if f.err == nil {
		f.err = errors.New(annotation + " " + why)
	}
}

// schema walks a schema, or a value that may contain schemas. reachable is true
// for the schema of the property at path, which only properties lead to.
func (f *schemaWalker) schema(path []string, reachable bool) {
	switch f.r.Kind() {
	case wire.Array:
		for f.r.Array(); f.r.More(); {
			f.schema(nil, false)
		}
		return
	case wire.Object:
	default:
		f.r.Skip()
		return
	}
	var name, kind string
	annotated := false
	for f.r.Object(); f.r.More(); {
		switch key := string(f.r.Key()); key {
		case annotation:
			annotated = true
			if f.r.Kind() != wire.String {
				f.fail("is not a string")
				f.r.Skip()
				break
			}
			name = f.r.String()
		case "type":
			kind = f.kind()
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			f.properties(path, reachable && key == "properties")
		case "const", "enum", "default", "examples":
			f.r.Skip() // values, not schemas
		default:
			f.schema(nil, false)
		}
	}
	if annotated {
		f.add(path, name, kind, reachable && path != nil)
	}
}

// kind returns the type of a property, or "" if it has several. It ignores null:
// generators write ["string","null"] for an optional parameter.
func (f *schemaWalker) kind() (kind string) {
	if f.r.Kind() == wire.String {
		return f.r.String()
	}
	if f.r.Kind() != wire.Array {
		f.r.Skip()
		return ""
	}
	n := 0
	for f.r.Array(); f.r.More(); {
		if f.r.Kind() != wire.String {
			f.r.Skip()
			n = 2
		} else if s := f.r.String(); s != "null" {
			kind = s
			n++
		}
	}
	if n > 1 {
		return ""
	}
	return kind
}

// properties walks an object whose values are schemas.
func (f *schemaWalker) properties(path []string, reachable bool) {
	if f.r.Kind() != wire.Object {
		f.r.Skip()
		return
	}
	for f.r.Object(); f.r.More(); {
		name := string(f.r.Key())
		f.schema(append(path[:len(path):len(path)], name), reachable)
	}
}

func (f *schemaWalker) add(path []string, name, kind string, reachable bool) {
	switch {
	case !reachable:
		f.fail("is not on a property of the arguments")
		return
	case !httpx.IsToken(name):
		f.fail("is not a valid header name")
		return
	case kind != "string" && kind != "integer" && kind != "boolean":
		f.fail("is on a property whose type is not string, integer or boolean")
		return
	}
	if len(name) > maxHeaderName || len(f.found) == maxBindings {
		f.fail("is on more than 128 properties, or longer than 256 bytes")
		return
	}
	header := http.CanonicalHeaderKey("Mcp-Param-" + name)
	for _, b := range f.found {
		if strings.EqualFold(b.header, header) {
			f.fail("has the name of another property")
			return
		}
	}
	f.found = append(f.found, binding{path, header, kind})
}

// setParams sets the headers for those arguments that params has.
func setParams(h http.Header, bindings []binding, params []byte) error {
	if len(bindings) == 0 {
		return nil
	}
	return setMembers(h, bindings, wire.Lookup(params, "arguments"), 0)
}

// setMembers sets the headers for the members of raw, which is at path[:depth] of all
// bindings. It reads raw once: a tool can have many bindings.
func setMembers(h http.Header, bindings []binding, raw []byte, depth int) error {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return nil
	}
	byName := make(map[string][]binding)
	for _, b := range bindings {
		byName[b.path[depth]] = append(byName[b.path[depth]], b)
	}
	for r.Object(); r.More(); {
		found := byName[string(r.Key())]
		if found == nil {
			r.Skip()
			continue
		}
		member := r.Raw()
		var deeper []binding
		for _, b := range found {
			if len(b.path) > depth+1 {
				deeper = append(deeper, b)
				continue
			}
			value, ok, err := b.value(member)
			if err != nil {
				return err
			}
			if ok {
				h[b.header] = []string{encodeValue(value)}
			}
		}
		if deeper != nil {
			if err := setMembers(h, deeper, member, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// value returns an argument as text. ok is false if there is none, or one of
// another type, which the server will refuse.
func (b *binding) value(raw []byte) (_ string, ok bool, err error) {
	r := wire.NewReader(raw)
	switch kind := r.Kind(); {
	case kind == wire.String && b.kind == "string":
		return r.String(), true, nil
	case kind == wire.Bool && b.kind == "boolean":
		return strconv.FormatBool(r.Bool()), true, nil
	case kind == wire.Number && b.kind == "integer":
		n := r.Int()
		if r.Err() != nil || n <= -1<<53 || n >= 1<<53 {
			return "", false, errors.New("argument " + strings.Join(b.path, ".") + " is not an integer that a header can hold")
		}
		return strconv.FormatInt(n, 10), true, nil
	}
	return "", false, nil
}
