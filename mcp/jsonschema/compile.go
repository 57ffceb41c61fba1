package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp"
)

// ErrDialect is matched by the error for a schema in an unsupported dialect.
var ErrDialect = errors.New("unsupported dialect of JSON Schema")

const (
	// maxDepth limits the nesting of a schema.
	maxDepth = 128

	// maxSubschemas limits the schemas in a schema.
	maxSubschemas = 50_000

	// maxReference limits an id, an anchor and a reference, in bytes.
	maxReference = 8 << 10

	// maxIDs limits all ids of a schema, resolved, in bytes: short ones may have a
	// long base.
	maxIDs = 4 << 20
)

// A Schema is a compiled JSON Schema. The zero value accepts every value.
type Schema struct {
	root  *node
	marks bool // a node needs to know what others have evaluated
	size  int  // estimate of its memory in bytes
}

// The memory of parts of a compiled schema: of a subschema, of a resource with its URI and
// its anchors, of an instruction of a pattern, and of a member in an index.
const perNode, perResource, perProgram, perMember = 300, 600, 200, 50

// Compile compiles a schema until ctx ends. The error matches [ErrDialect] if the
// dialect is not supported. It matches the cause if ctx has ended.
func Compile(ctx context.Context, schema mcp.RawMessage) (*Schema, error) {
	return newCompiler(ctx).compileRoot(schema)
}

func newCompiler(ctx context.Context) *compiler {
	return &compiler{
		budget: newBudget(ctx, "compiling the schema"), nodes: make(map[int32]*node), resources: make(map[string]*resource),
		patterns: make(map[string]*pattern), instructions: maxPatterns, schema: new(Schema),
	}
}

func (c *compiler) compileRoot(schema mcp.RawMessage) (*Schema, error) {
	doc, err := decode(schema, &c.budget)
	if err != nil {
		return nil, err
	}
	raw := value{doc, 0}
	if err := c.dialect(raw); err != nil {
		return nil, err
	}
	res, err := c.resource("", raw)
	if err != nil {
		return nil, err
	}
	if c.schema.root, err = c.compile(raw, res, 0); err != nil {
		return nil, err
	}
	for i := 0; i < len(c.unresolved); i++ { // resolving a reference may add nodes
		if err := c.resolveReferences(c.unresolved[i]); err != nil {
			return nil, err
		}
	}
	c.schema.size = perNode*c.count + perResource*len(c.resources) + perProgram*(maxPatterns-c.instructions) +
		2*(len(schema)+c.ids) + 16*int(raw.next())
	for _, x := range doc.names {
		c.schema.size += perMember * x.width
	}
	return c.schema, c.err
}

// A node is a compiled schema or subschema.
type node struct {
	never bool      // the schema false
	res   *resource // that contains the schema
	kinds kinds     // of the keyword type

	keywords words[value]   // other assertions, as parsed
	counts   words[int]     // limits of lengths
	one      words[*node]   // keywords with one subschema
	many     words[[]*node] // with a list

	properties        map[string]*node
	patternProperties []patternNode
	dependents        []dependentNode
	pattern           *pattern

	ref, dynamic *node  // targets of $ref, and of $dynamicRef or $recursiveRef
	anchor       string // to which $dynamicRef refers
}

// words are the keywords of a node that it has, which are few.
type words[T any] []struct {
	name string
	of   T
}

func (w *words[T]) add(name string, of T) {
	*w = append(*w, struct {
		name string
		of   T
	}{name, of})
}

func (w words[T]) get(name string) (of T) {
	for i := range w {
		if w[i].name == name {
			return w[i].of
		}
	}
	return of
}

type patternNode struct {
	pattern *pattern
	node    *node
}

// A dependentNode applies if the value has a member.
type dependentNode struct {
	name string
	node *node
}

// A resource is a schema with its own URI, the base of the references in it.
type resource struct {
	uri     string
	base    *url.URL
	raw     value
	anchors map[string]*node
	dynamic map[string]*node // of $dynamicAnchor
}

type compiler struct {
	budget
	schema       *Schema
	draft7       bool            // draft-07 or earlier
	nodes        map[int32]*node // by place in the document
	count        int             // of nodes
	resources    map[string]*resource
	ids          int // their length
	unresolved   []*node
	patterns     map[string]*pattern
	instructions int // that patterns may still have
}

// dialect checks $schema.
func (c *compiler) dialect(raw value) error {
	s, err := c.reference(raw.member("$schema"), "$schema")
	if s == "" || err != nil {
		return err
	}
	_, name, _ := strings.Cut(strings.TrimRight(s, "#"), "://json-schema.org/")
	switch name {
	case "draft/2020-12/schema", "draft/2019-09/schema":
	case "draft-07/schema", "draft-06/schema":
		c.draft7 = true
	default:
		return fmt.Errorf("%w: %q", ErrDialect, short(s))
	}
	return nil
}

func (c *compiler) compile(raw value, res *resource, depth int) (*node, error) {
	if n := c.nodes[raw.at]; n != nil {
		return n, nil
	}
	if c.count++; c.count > maxSubschemas {
		return nil, fmt.Errorf("the schema has more than %d subschemas", maxSubschemas)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the schema has more than %d levels", maxDepth)
	}
	n := &node{res: res}
	switch raw.kind() {
	case boolean:
		n.never = !raw.isTrue()
		c.nodes[raw.at] = n
		return n, nil
	case object:
	default:
		return nil, errors.New(diag.Printable(short(res.uri)+"#"+raw.path(), 0) + " is not a schema")
	}
	if !c.spend(perStep + perPart*raw.width()) {
		return nil, c.err
	}
	alone := c.draft7 && raw.member("$ref").kind() == text // other keywords are ignored, but references may point into them
	res, err := c.resourceOf(raw, res, alone)
	if err != nil {
		return nil, err
	}
	n.res = res
	c.nodes[raw.at] = n
	c.unresolved = append(c.unresolved, n)
	if err := c.addAnchors(n, raw); err != nil {
		return nil, err
	}
	to := n
	if alone {
		n.keywords.add("$ref", raw.member("$ref"))
		to = &node{res: res}
	}
	for name, keyword := range raw.members() {
		if err := c.add(to, name.text(), keyword, depth+1); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// add adds a keyword to a node. It ignores a keyword whose value has the wrong type.
func (c *compiler) add(n *node, name string, raw value, depth int) error {
	switch name {
	case "type":
		return c.addType(n, raw)
	case "enum", "const", "required", "dependentRequired", "uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"$ref", "$dynamicRef", "$recursiveRef":
		n.keywords.add(name, raw)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return c.addCount(n, name, raw)
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems",
		"contentSchema":
		return c.addOne(n, name, raw, depth)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return c.addMany(n, name, raw, depth)
	case "items": // a list until 2019-09
		if raw.kind() == list {
			return c.addMany(n, name, raw, depth)
		}
		return c.addOne(n, name, raw, depth)
	case "properties":
		n.properties = make(map[string]*node)
		return c.addMembers(n, raw, depth, func(name string, sub *node) { n.properties[name] = sub })
	case "$defs", "definitions":
		return c.addMembers(n, raw, depth, func(string, *node) {})
	case "dependencies", "dependentSchemas":
		if name == "dependencies" { // has lists of names, too
			n.keywords.add(name, raw)
		}
		return c.addMembers(n, raw, depth, func(name string, sub *node) { n.dependents = append(n.dependents, dependentNode{name, sub}) })
	case "pattern":
		return c.addPattern(n, raw)
	case "patternProperties":
		return c.addMembers(n, raw, depth, func(name string, sub *node) {
			n.patternProperties = append(n.patternProperties, patternNode{c.pattern(name), sub})
		})
	}
	return c.err
}

func (c *compiler) addCount(n *node, name string, raw value) error {
	if !c.spend(len(raw.text())) {
		return c.err
	}
	if d := parse(raw); raw.kind() == numeric && !d.Negative {
		n.counts.add(name, floor(d, math.MaxInt32))
	}
	return nil
}

func (c *compiler) addOne(n *node, name string, raw value, depth int) error {
	sub, err := c.compile(raw, n.res, depth)
	n.one.add(name, sub)
	if strings.HasPrefix(name, "unevaluated") {
		c.schema.marks = true
	}
	return err
}

func (c *compiler) addMany(n *node, name string, raw value, depth int) error {
	if raw.kind() != list {
		return nil
	}
	nodes := make([]*node, 0, min(raw.count(), maxSubschemas))
	for _, item := range raw.items() {
		sub, err := c.compile(item, n.res, depth)
		if err != nil {
			return err
		}
		nodes = append(nodes, sub)
	}
	n.many.add(name, nodes)
	return nil
}

// addMembers compiles the schemas that a keyword names. Lists are not among them.
func (c *compiler) addMembers(n *node, raw value, depth int, add func(name string, sub *node)) error {
	for name, member := range raw.members() {
		if !c.spend(perPart + len(name.text())) {
			break
		}
		if member.kind() == list {
			continue
		}
		sub, err := c.compile(member, n.res, depth)
		if err != nil {
			return err
		}
		add(name.text(), sub)
	}
	return c.err
}

func (c *compiler) addPattern(n *node, raw value) error {
	if raw.kind() == text {
		n.pattern = c.pattern(raw.text())
	}
	return c.err
}

// pattern returns the pattern with a text, which must not be too long. Schemas share
// it.
func (c *compiler) pattern(s string) *pattern {
	if len(s) > maxPattern {
		c.stop(fmt.Errorf("a pattern of the schema has %d bytes, more than %d", len(s), maxPattern))
		return nil
	}
	p := c.patterns[s]
	if p == nil && c.spend(len(s)) {
		p = &pattern{text: s, size: patternSize(s)}
		c.patterns[s] = p
		if c.instructions -= perPattern + p.size; c.instructions < 0 {
			c.stop(fmt.Errorf("the patterns of the schema have more than %d instructions", maxPatterns))
		}
	}
	return p
}
