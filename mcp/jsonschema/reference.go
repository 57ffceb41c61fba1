package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// reference returns the text of a keyword that names a schema or refers to one, and
// nothing if it is not a text.
func (c *compiler) reference(raw value, keyword string) (string, error) {
	if raw.kind() != text {
		return "", nil
	}
	s := raw.text()
	if len(s) > maxReference {
		return "", fmt.Errorf("%s of the schema has %d bytes, more than %d", keyword, len(s), maxReference)
	}
	if !c.spend(len(s)) {
		return "", c.err
	}
	return s, nil
}

// invalid returns the error for a reference that package url refuses, whose errors quote all
// of it.
func invalid(what, ref string, err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s %q: %s", what, short(ref), short(err.Error()))
}

func (c *compiler) resource(uri string, raw value) (*resource, error) {
	if res := c.resources[uri]; res != nil {
		return res, nil
	}
	if len(uri) > maxReference {
		return nil, fmt.Errorf("an $id of the schema has %d bytes when it is resolved, more than %d", len(uri), maxReference)
	}
	if c.ids += len(uri); c.ids > maxIDs {
		return nil, fmt.Errorf("the $ids of the schema have more than %d bytes when they are resolved", maxIDs)
	}
	base, err := url.Parse(uri)
	if err != nil {
		return nil, invalid("$id", uri, err)
	}
	res := &resource{uri: uri, base: base, raw: raw}
	c.resources[uri] = res
	return res, nil
}

// resourceOf returns the resource of a schema that is in another one: its own, if it
// has an id. If the schema is alone, other keywords than $ref are ignored.
func (c *compiler) resourceOf(raw value, in *resource, alone bool) (*resource, error) {
	id, err := c.reference(raw.member("$id"), "$id")
	if err != nil || id == "" || c.draft7 && (alone || id[0] == '#') {
		return in, err
	}
	uri, _, err := c.resolve(in, id)
	switch {
	case c.err != nil:
		return nil, c.err
	case err != nil:
		return nil, invalid("$id", id, err)
	case uri == in.uri:
		return in, nil
	}
	return c.resource(uri, raw)
}

// resolve resolves a reference in a resource. It returns the URI without a fragment,
// and the fragment, decoded.
func (c *compiler) resolve(in *resource, ref string) (uri, fragment string, err error) {
	if ref[0] == '#' {
		fragment, err = url.PathUnescape(ref[1:])
		return in.uri, fragment, err
	}
	// Each byte is parsed, joined and escaped, and until Go 1.26 each ".." copies them.
	if !c.spend(perStep + 8*(len(in.uri)+len(ref))*(1+strings.Count(ref, "../")/32)) {
		return "", "", c.err
	}
	u, err := in.base.Parse(ref)
	if err != nil {
		return "", "", err
	}
	fragment = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	return u.String(), fragment, nil
}

func (c *compiler) addAnchors(n *node, raw value) error {
	anchor, err := c.reference(raw.member("$anchor"), "$anchor")
	dynamic, err2 := c.reference(raw.member("$dynamicAnchor"), "$dynamicAnchor")
	id, _ := c.reference(raw.member("$id"), "$id")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !c.draft7 || len(id) < 2 || id[0] != '#' {
		id = "#"
	}
	for _, name := range []string{anchor, dynamic, id[1:]} {
		if name != "" {
			put(&n.res.anchors, name, n)
		}
	}
	if dynamic != "" {
		put(&n.res.dynamic, dynamic, n)
	}
	if raw.member("$recursiveAnchor").isTrue() { // 2019-09 has only one, without a name
		put(&n.res.dynamic, "", n)
	}
	return nil
}

func put(m *map[string]*node, name string, n *node) {
	if *m == nil {
		*m = make(map[string]*node)
	}
	(*m)[name] = n
}

// resolveReferences sets the targets of a node's references.
func (c *compiler) resolveReferences(n *node) error {
	for _, name := range []string{"$ref", "$recursiveRef", "$dynamicRef"} {
		ref, err := c.reference(n.keywords.get(name), name)
		if err != nil {
			return err
		}
		if n.keywords.get(name).kind() != text {
			continue
		}
		target, err := c.findReference(n.res, ref)
		if err != nil {
			return err
		}
		if name == "$ref" {
			n.ref = target
			continue
		}
		n.dynamic = target
		_, n.anchor, _ = strings.Cut(n.keywords.get("$dynamicRef").text(), "#")
	}
	return nil
}

func (c *compiler) findReference(from *resource, ref string) (*node, error) {
	uri, fragment := from.uri, ""
	if ref != "" {
		var err error
		if uri, fragment, err = c.resolve(from, ref); err != nil && c.err == nil {
			return nil, invalid("reference", ref, err)
		}
	}
	res := c.resources[uri]
	if c.err != nil {
		return nil, c.err
	}
	if res == nil {
		return nil, fmt.Errorf("reference %q is to another document, which is not fetched", short(ref))
	}
	if fragment != "" && fragment[0] != '/' {
		if n := res.anchors[fragment]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("reference %q has no target", short(ref))
	}
	return c.findPointer(res, fragment, ref)
}

func (c *compiler) findPointer(res *resource, pointer, ref string) (*node, error) {
	at := res.raw
	for pointer != "" {
		var step string
		step, pointer = cutStep(pointer[1:])
		if at = c.step(at, pointerUnescaper.Replace(step)); c.err != nil {
			return nil, c.err
		}
		if at.kind() == absent {
			return nil, fmt.Errorf("reference %q has no target", short(ref))
		}
		if n := c.nodes[at.at]; n != nil {
			res = n.res // what follows may have another base
		}
	}
	return c.compile(at, res, 0)
}

// cutStep returns the first step of a pointer, and the rest with its slash.
func cutStep(pointer string) (step, rest string) {
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		return pointer[:i], pointer[i:]
	}
	return pointer, ""
}

// step returns a member or an item by its name in a pointer.
func (c *compiler) step(in value, name string) value {
	if !c.spend(perSearch + len(name)) {
		return value{}
	}
	if in.kind() == object {
		return in.member(name)
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return value{}
	}
	for i, item := range in.items() {
		if i == n {
			return item
		}
		if !c.spend(2) {
			break
		}
	}
	return value{}
}
