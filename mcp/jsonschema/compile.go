package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

// ErrDialect is matched by the error for a schema in an unsupported dialect.
var ErrDialect = errors.New("unsupported dialect of JSON Schema")

// maxDepth limits the nesting of a schema.
const maxDepth = 128

// A Schema is a compiled JSON Schema. The zero value accepts every value.
type Schema struct{ root *node }

// Compile compiles a schema. The error matches [ErrDialect] if the dialect is
// not supported.
func Compile(schema mcp.RawMessage) (*Schema, error) {
	raw, err := decode(schema)
	if err != nil {
		return nil, err
	}
	c := &compiler{nodes: make(map[string]*node), resources: make(map[string]*resource), patterns: maxPatterns}
	if err := c.dialect(raw); err != nil {
		return nil, err
	}
	res := c.resource("", raw)
	root, err := c.compile(raw, res, "", 0)
	if err != nil {
		return nil, err
	}
	for len(c.unresolved) > 0 { // resolving a reference may add nodes
		n := c.unresolved[0]
		c.unresolved = c.unresolved[1:]
		if err := c.resolveReferences(n); err != nil {
			return nil, err
		}
	}
	return &Schema{root}, nil
}

// A node is a compiled schema or subschema.
type node struct {
	never    bool           // the schema false
	keywords map[string]any // as parsed
	res      *resource      // the resource that contains the schema

	one   map[string]*node            // keywords with one subschema
	many  map[string][]*node          // with a list
	named map[string]map[string]*node // with named ones

	ref, dynamic *node // targets of $ref, and of $dynamicRef or $recursiveRef
	patterns     map[string]*pattern
}

// A resource is a schema with its own URI, the base of the references in it.
type resource struct {
	uri     string
	raw     any
	anchors map[string]*node
	dynamic map[string]*node // of $dynamicAnchor
}

type compiler struct {
	draft7     bool             // draft-07 or earlier
	nodes      map[string]*node // by URI and pointer
	resources  map[string]*resource
	unresolved []*node // nodes whose references have not been resolved
	patterns   int     // instructions that patterns may still have
}

// dialect checks $schema.
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

// Keywords with subschemas.
var (
	oneKeywords = []string{"not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems",
		"unevaluatedProperties", "unevaluatedItems", "contentSchema"}
	manyKeywords  = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	namedKeywords = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)

// compile compiles the schema at a JSON pointer in a resource.
func (c *compiler) compile(raw any, res *resource, pointer string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the schema has more than %d levels", maxDepth)
	}
	m, ok := raw.(map[string]any)
	if !ok {
		b, ok := raw.(bool)
		if !ok {
			return nil, fmt.Errorf("%s#%s is not a schema", res.uri, pointer)
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
	if c.draft7 && m["$ref"] != nil { // other keywords are ignored, but references may point into them
		n.keywords = map[string]any{"$ref": m["$ref"]}
		return n, c.compileChildren(newNode(m, res), pointer, depth+1)
	}
	if err := c.addPatterns(n); err != nil {
		return nil, err
	}
	return n, c.compileChildren(n, pointer, depth+1)
}

func newNode(m map[string]any, res *resource) *node {
	return &node{keywords: m, res: res, one: map[string]*node{}, many: map[string][]*node{}, named: map[string]map[string]*node{}}
}

// addAnchors adds the anchors of a node to its resource.
func (n *node) addAnchors(old bool) {
	if s, _ := n.keywords["$anchor"].(string); s != "" {
		n.res.anchors[s] = n
	}
	if s, _ := n.keywords["$dynamicAnchor"].(string); s != "" {
		n.res.anchors[s], n.res.dynamic[s] = n, n
	}
	if b, _ := n.keywords["$recursiveAnchor"].(bool); b { // 2019-09 has only one, without a name
		n.res.dynamic[""] = n
	}
	if s, _ := n.keywords["$id"].(string); old && len(s) > 1 && s[0] == '#' {
		n.res.anchors[s[1:]] = n
	}
}

// compileChildren compiles the subschemas of a node.
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

// addPatterns adds the patterns of a node, which must not be too long.
func (c *compiler) addPatterns(n *node) error {
	var all []string
	if s, ok := n.keywords["pattern"].(string); ok {
		all = append(all, s)
	}
	members, _ := n.keywords["patternProperties"].(map[string]any)
	for s := range members {
		all = append(all, s)
	}
	for _, s := range all {
		if len(s) > maxPattern {
			return fmt.Errorf("a pattern of the schema has more than %d bytes", maxPattern)
		}
		if c.patterns -= patternSize(s); c.patterns < 0 {
			return fmt.Errorf("the patterns of the schema have more than %d instructions", maxPatterns)
		}
		if n.patterns == nil {
			n.patterns = make(map[string]*pattern)
		}
		n.patterns[s] = new(pattern)
	}
	return nil
}

// resolveReferences sets the targets of a node's references.
func (c *compiler) resolveReferences(n *node) (err error) {
	for key, to := range map[string]**node{"$ref": &n.ref, "$dynamicRef": &n.dynamic, "$recursiveRef": &n.dynamic} {
		s, ok := n.keywords[key].(string)
		if !ok {
			continue
		}
		if *to, err = c.findReference(n.res, s); err != nil {
			return err
		}
	}
	return nil
}

// findReference returns the target of a reference.
func (c *compiler) findReference(from *resource, ref string) (*node, error) {
	uri, err := resolveURI(from.uri, ref)
	if err != nil {
		return nil, err
	}
	uri, fragment, _ := strings.Cut(uri, "#")
	res := c.resources[uri]
	if res == nil {
		return nil, fmt.Errorf("reference %q is to another document, which is not fetched", ref)
	}
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return nil, fmt.Errorf("reference %q: %w", ref, err)
	}
	if fragment != "" && fragment[0] != '/' {
		if n := res.anchors[fragment]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("reference %q has no target", ref)
	}
	return c.findPointer(res, fragment, ref)
}

// findPointer returns the node at a JSON pointer.
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
			return nil, fmt.Errorf("reference %q has no target", ref)
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

// resolveURI resolves a reference against a base URI.
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
