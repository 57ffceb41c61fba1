package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// ErrDialect is matched by the error for a schema in a dialect that the package
// doesn't know.
var ErrDialect = errors.New("unknown dialect of JSON Schema")

// maxDepth is how deep a schema may nest.
const maxDepth = 128

// A Schema is one that values can be checked against.
type Schema struct{ root *node }

// Compile reads a schema. The error says what is wrong with it.
func Compile(schema mcp.RawMessage) (*Schema, error) {
	raw, err := decode(schema)
	if err != nil {
		return nil, err
	}
	c := &compiler{nodes: make(map[string]*node), resources: make(map[string]*resource)}
	if err := c.dialect(raw); err != nil {
		return nil, err
	}
	res := c.resource("", raw)
	root, err := c.compile(raw, res, "", 0)
	if err != nil {
		return nil, err
	}
	for len(c.unresolved) > 0 { // compiling what references lead to finds more of them
		n := c.unresolved[0]
		c.unresolved = c.unresolved[1:]
		if err := c.resolveReferences(n); err != nil {
			return nil, err
		}
	}
	return &Schema{root}, nil
}

// decode reads a JSON text, with numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

// A node is a schema or a part of one.
type node struct {
	never    bool           // the schema false
	keywords map[string]any // as they came
	res      *resource      // which it is part of

	one   map[string]*node            // the schemas that keywords have
	many  map[string][]*node          // in a list
	named map[string]map[string]*node // by name

	ref, dynamic *node // where $ref leads to, and $dynamicRef or $recursiveRef
	patterns     map[string]*regexp.Regexp
}

// A resource is a schema with a URI of its own, which references inside of it
// are relative to.
type resource struct {
	uri     string
	raw     any
	anchors map[string]*node
	dynamic map[string]*node // those of $dynamicAnchor
}

type compiler struct {
	draft7     bool             // draft-07 or before
	nodes      map[string]*node // by URI and pointer
	resources  map[string]*resource
	unresolved []*node // their references have to be resolved
}

// dialect looks at what the schema says of itself.
func (c *compiler) dialect(raw any) error {
	m, _ := raw.(map[string]any)
	s, ok := m["$schema"].(string)
	if !ok {
		return nil
	}
	_, name, _ := strings.Cut(strings.TrimRight(s, "#"), "://json-schema.org/")
	switch name {
	case "draft/2020-12/schema", "draft/2019-09/schema":
	case "draft-07/schema", "draft-06/schema":
		c.draft7 = true
	default:
		return fmt.Errorf("%w: %q", ErrDialect, s)
	}
	return nil
}

// resource returns the resource with the given URI.
func (c *compiler) resource(uri string, raw any) *resource {
	uri, _, _ = strings.Cut(uri, "#")
	if res := c.resources[uri]; res != nil {
		return res
	}
	res := &resource{uri: uri, raw: raw, anchors: make(map[string]*node), dynamic: make(map[string]*node)}
	c.resources[uri] = res
	return res
}

// Keywords whose values are schemas.
var (
	oneKeywords = []string{"not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema"}
	manyKeywords  = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	namedKeywords = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)

// compile makes a node of what is at a pointer of a resource.
func (c *compiler) compile(raw any, res *resource, pointer string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a schema of more than %d levels", maxDepth)
	}
	m, ok := raw.(map[string]any)
	if !ok {
		b, ok := raw.(bool)
		if !ok {
			return nil, fmt.Errorf("%s#%s is no schema", res.uri, pointer)
		}
		return &node{never: !b, res: res}, nil
	}
	if id, _ := m["$id"].(string); id != "" && !(c.draft7 && (m["$ref"] != nil || id[0] == '#')) {
		uri, err := resolveURI(res.uri, id)
		if err != nil {
			return nil, err
		}
		if uri, _, _ = strings.Cut(uri, "#"); uri != res.uri {
			res, pointer = c.resource(uri, raw), ""
		}
	}
	key := res.uri + "#" + pointer
	if n := c.nodes[key]; n != nil {
		return n, nil
	}
	n := newNode(m, res)
	c.nodes[key] = n
	c.unresolved = append(c.unresolved, n)
	n.addAnchors(c.draft7)
	if c.draft7 && m["$ref"] != nil { // what stands beside it doesn't count, but may be referred to
		n.keywords = map[string]any{"$ref": m["$ref"]}
		return n, c.compileChildren(newNode(m, res), pointer, depth+1)
	}
	n.compilePatterns()
	return n, c.compileChildren(n, pointer, depth+1)
}

func newNode(m map[string]any, res *resource) *node {
	return &node{keywords: m, res: res, one: map[string]*node{}, many: map[string][]*node{}, named: map[string]map[string]*node{}}
}

// name remembers the anchors of a node.
func (n *node) addAnchors(old bool) {
	if s, _ := n.keywords["$anchor"].(string); s != "" {
		n.res.anchors[s] = n
	}
	if s, _ := n.keywords["$dynamicAnchor"].(string); s != "" {
		n.res.anchors[s], n.res.dynamic[s] = n, n
	}
	if b, _ := n.keywords["$recursiveAnchor"].(bool); b { // 2019-09 has but one, without a name
		n.res.dynamic[""] = n
	}
	if s, _ := n.keywords["$id"].(string); old && len(s) > 1 && s[0] == '#' {
		n.res.anchors[s[1:]] = n
	}
}

// parts compiles the schemas in a node.
func (c *compiler) compileChildren(n *node, pointer string, depth int) (err error) {
	m := n.keywords
	for _, key := range oneKeywords {
		if raw, ok := m[key]; ok {
			if n.one[key], err = c.compile(raw, n.res, pointer+"/"+key, depth); err != nil {
				return err
			}
		}
	}
	if raw, ok := m["items"]; ok { // a list until 2019-09
		if list, ok := raw.([]any); ok {
			if n.many["items"], err = c.list(list, n.res, pointer+"/items", depth); err != nil {
				return err
			}
		} else if n.one["items"], err = c.compile(raw, n.res, pointer+"/items", depth); err != nil {
			return err
		}
	}
	for _, key := range manyKeywords {
		if list, ok := m[key].([]any); ok {
			if n.many[key], err = c.list(list, n.res, pointer+"/"+key, depth); err != nil {
				return err
			}
		}
	}
	for _, key := range namedKeywords {
		if members, ok := m[key].(map[string]any); ok {
			if n.named[key], err = c.members(members, n.res, pointer+"/"+key, depth); err != nil {
				return err
			}
		}
	}
	if members, ok := m["dependencies"].(map[string]any); ok { // schemas, and lists of names
		schemas := make(map[string]any)
		for name, raw := range members {
			if _, list := raw.([]any); !list {
				schemas[name] = raw
			}
		}
		n.named["dependencies"], err = c.members(schemas, n.res, pointer+"/dependencies", depth)
	}
	return err
}

func (c *compiler) list(list []any, res *resource, pointer string, depth int) ([]*node, error) {
	nodes := make([]*node, len(list))
	for i, raw := range list {
		n, err := c.compile(raw, res, pointer+"/"+strconv.Itoa(i), depth)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	return nodes, nil
}

func (c *compiler) members(members map[string]any, res *resource, pointer string, depth int) (map[string]*node, error) {
	nodes := make(map[string]*node, len(members))
	for name, raw := range members {
		n, err := c.compile(raw, res, pointer+"/"+pointerEscaper.Replace(name), depth)
		if err != nil {
			return nil, err
		}
		nodes[name] = n
	}
	return nodes, nil
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// compilePatterns compiles those patterns of a node that package regexp knows.
func (n *node) compilePatterns() {
	var all []string
	if s, ok := n.keywords["pattern"].(string); ok {
		all = append(all, s)
	}
	members, _ := n.keywords["patternProperties"].(map[string]any)
	for s := range members {
		all = append(all, s)
	}
	for _, s := range all {
		if re, err := regexp.Compile(s); err == nil {
			if n.patterns == nil {
				n.patterns = make(map[string]*regexp.Regexp)
			}
			n.patterns[s] = re
		}
	}
}

// link finds what the references of a node lead to.
func (c *compiler) resolveReferences(n *node) (err error) {
	for key, to := range map[string]**node{"$ref": &n.ref, "$dynamicRef": &n.dynamic, "$recursiveRef": &n.dynamic} {
		if s, ok := n.keywords[key].(string); ok {
			if *to, err = c.findReference(n.res, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns what a reference leads to.
func (c *compiler) findReference(from *resource, ref string) (*node, error) {
	uri, err := resolveURI(from.uri, ref)
	if err != nil {
		return nil, err
	}
	uri, fragment, _ := strings.Cut(uri, "#")
	res := c.resources[uri]
	if res == nil {
		return nil, fmt.Errorf("%q leads out of the schema", ref)
	}
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return nil, fmt.Errorf("%q: %w", ref, err)
	}
	if fragment != "" && fragment[0] != '/' {
		if n := res.anchors[fragment]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("%q leads nowhere", ref)
	}
	return c.findPointer(res, fragment, ref)
}

// at returns the node that a pointer leads to.
func (c *compiler) findPointer(res *resource, pointer, ref string) (*node, error) {
	raw, path := res.raw, ""
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		name := pointerUnescaper.Replace(step)
		var ok bool
		switch v := raw.(type) {
		case map[string]any:
			raw, ok = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				raw = v[i]
			}
		}
		if !ok {
			return nil, fmt.Errorf("%q leads nowhere", ref)
		}
		path += "/" + pointerEscaper.Replace(name)
		if m, _ := raw.(map[string]any); m != nil {
			if id, _ := m["$id"].(string); id != "" && path != pointer {
				if uri, err := resolveURI(res.uri, id); err == nil && c.resources[uri] != nil {
					res, path = c.resources[uri], ""
				}
			}
		}
	}
	return c.compile(raw, res, path, 0)
}

// resolve returns what ref stands for in a resource.
func resolveURI(base, ref string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	r, err := b.Parse(ref)
	if err != nil {
		return "", err
	}
	return r.String(), nil
}
