package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/mcp"
)

// errNames is the error for arguments whose names cannot be told apart any more.
var errNames = errors.New("the provider rejects names of arguments, and the schema has others like the names that replace them")

// Arguments returns the arguments of a call with the names that the server gave them:
// definitions for some providers have others. A host does this for its own tools, so that
// only programs that call other tools need it.
func Arguments(t Tool, input mcp.RawMessage) (mcp.RawMessage, error) {
	if t == nil {
		return nil, errors.New("schema: the tool is nil")
	}
	args, err := argnames.Restore(t.InputSchema(), input)
	if err != nil {
		return nil, &toolError{t.Name(), err}
	}
	return args, nil
}

// fits reports whether the provider accepts the name of an argument.
func (w *walker) fits(name string) bool {
	if w.target == vertex {
		return argnames.FitsVertex(name)
	}
	return argnames.Fits(name)
}

// renameArguments renames the properties of the root that the provider rejects.
func (w *walker) renameArguments(root *node) (*node, error) {
	var bad []string
	properties := root.get("properties")
	before := w.enter("properties")
	for _, name := range properties.names() {
		if !w.fits(name) && w.breaksAt(ruleArguments, name) {
			bad = append(bad, name)
		}
	}
	w.path = before
	if bad == nil {
		return root, nil
	}
	rn := renamer{walker: w, aliases: make(map[string]string, len(bad)), inner: root.clone()}
	for _, key := range [...]string{"$defs", "definitions", "$id", "$schema"} {
		rn.inner.remove(key)
	}
	used := make(map[string]bool)
	for _, name := range bad {
		alias := argnames.Alias(name)
		if used[alias] || properties.get(alias) != nil {
			return nil, errNames
		}
		used[alias], rn.aliases[name] = true, alias
	}
	root = rn.schema(root, 0)
	w.root = root
	rn.references(root)
	return root, nil
}

// A renamer renames properties of one object.
type renamer struct {
	*walker
	aliases map[string]string // by name
	inner   *node             // the object with its own names, for arguments that contain it: the host restores none in there
}

// schema returns a schema of the object with other names.
func (rn *renamer) schema(n *node, depth int) *node {
	if !n.isObject() || depth > 16 || !rn.take(n) {
		return n
	}
	n = n.clone()
	for i := 0; i < len(n.keys); i++ {
		switch v := n.items[i]; n.keys[i] {
		case "required":
			n.items[i] = rn.list(v)
		case "properties", "dependentRequired", "dependentSchemas", "dependencies":
			of := rn.keys(v)
			for j, item := range of.items {
				if item.array {
					of.items[j] = rn.list(item)
				} else if n.keys[i] != "properties" {
					of.items[j] = rn.schema(item, depth+1)
				}
			}
			n.items[i] = of
		case "allOf", "anyOf", "oneOf":
			v = v.clone()
			for j, s := range v.items {
				v.items[j] = rn.schema(s, depth+1)
			}
			n.items[i] = v
		case "if", "then", "else", "not":
			n.items[i] = rn.schema(v, depth+1)
		case "$ref":
			// Other objects may use the target, too.
			ref, _ := v.text()
			if target := rn.resolve(ref); target.isObject() && target != rn.root {
				all := &node{array: true, items: []*node{rn.schema(target, depth+1)}}
				if old := n.get("allOf"); old != nil {
					all.items = append(all.items, old.items...)
				}
				n.remove("$ref")
				n.set("allOf", all)
				i--
			}
		}
	}
	return n
}

// keys returns an object whose members have other names.
func (rn *renamer) keys(n *node) *node {
	n = n.clone()
	for i, key := range n.keys {
		if alias := rn.aliases[key]; alias != "" {
			n.keys[i] = alias
		}
	}
	return n
}

func (rn *renamer) list(n *node) *node {
	names := n.texts()
	for i, name := range names {
		if alias := rn.aliases[name]; alias != "" {
			names[i] = alias
		}
	}
	return textNodes(names)
}

// references changes references to renamed properties, and to the whole object.
func (rn *renamer) references(n *node) {
	for i, v := range n.items {
		if !n.array && (n.keys[i] == "enum" || n.keys[i] == "const" || n.keys[i] == "default" || n.keys[i] == "examples") {
			continue
		}
		if ref, ok := v.text(); ok && !n.array && n.keys[i] == "$ref" {
			if rn.resolve(ref) == rn.root {
				first := rn.moved[rn.inner] == ""
				if n.items[i] = quoted(rn.define(rn.inner)); first {
					rn.references(rn.inner)
				}
				continue
			}
			parts := strings.Split(ref, "/")
			if len(parts) > 2 && parts[0] == "#" && parts[1] == "properties" {
				if alias := rn.aliases[argnames.Unescape(parts[2])]; alias != "" {
					parts = slices.Clone(parts)
					parts[2] = alias
					n.items[i] = quoted(strings.Join(parts, "/"))
				}
			}
		}
		rn.references(v)
	}
}
