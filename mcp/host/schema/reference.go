package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
)

// define adds a target of references to the definitions of the root, and returns its
// reference.
func (w *walker) define(target *node) string {
	if target == w.root {
		return "#"
	}
	if ref := w.moved[target]; ref != "" {
		return ref
	}
	if w.moved == nil {
		w.moved = make(map[*node]string)
	}
	defs := w.root.get("$defs")
	if !defs.isObject() {
		defs = object()
		w.root.set("$defs", defs)
	}
	if i := slices.Index(defs.items, target); i >= 0 && !strings.ContainsAny(defs.keys[i], "~/%") {
		return "#/$defs/" + defs.keys[i]
	}
	name := ""
	for i := len(w.moved) + 1; name == "" || defs.get(name) != nil; i++ {
		name = "d" + strconv.Itoa(i)
	}
	w.moved[target] = "#/$defs/" + name
	w.budget -= len(target.append(nil))
	defs.set(name, target)
	return w.moved[target]
}

// resolve returns the schema that a reference means, or nil if it is not in the schema.
// It never fetches documents.
func (w *walker) resolve(ref string) *node {
	document, fragment, _ := strings.Cut(ref, "#")
	if document == "" && (fragment == "" || fragment[0] == '/') {
		if n := pointer(w.root, fragment); n != nil {
			return n
		}
	}
	w.indexAll()
	bases := w.bases
	if document != "" {
		bases = []*node{w.ids[document]}
		if id, _ := w.root.get("$id").text(); bases[0] == nil {
			bases[0] = w.ids[join(id, document)]
		}
	} else if fragment != "" && fragment[0] != '/' {
		return w.ids["#"+fragment]
	}
	for _, base := range bases {
		if w.budget -= perName + len(fragment); w.budget < 0 {
			break
		}
		if n := pointer(base, fragment); n != nil {
			return n
		}
	}
	return nil
}

func (w *walker) indexAll() {
	if w.ids == nil {
		w.ids = make(map[string]*node)
		w.index(w.root, "")
	}
}

// index collects the schemas with an $id or an anchor.
func (w *walker) index(n *node, base string) {
	if id, ok := n.get("$id").text(); ok && id != "" {
		if id[0] == '#' {
			w.ids[id] = n
		} else {
			base = join(base, strings.TrimSuffix(id, "#"))
			w.ids[base] = n
			w.bases = append(w.bases, n)
		}
	}
	for _, key := range [...]string{"$anchor", "$dynamicAnchor"} {
		if name, ok := n.get(key).text(); ok {
			w.ids["#"+name] = n
		}
	}
	for _, item := range n.items {
		w.index(item, base)
	}
}

// maxID limits the base of references, in bytes: a schema may have thousands.
const maxID = 4 << 10

// join returns a reference relative to the directory of base.
func join(base, ref string) string {
	if len(base) > maxID || strings.Contains(ref, ":") {
		return ref
	}
	if ref != "" && ref[0] == '/' {
		if at := strings.Index(base, "://"); at >= 0 {
			host, _, _ := strings.Cut(base[at+3:], "/")
			return base[:at+3] + host + ref
		}
	}
	return base[:strings.LastIndexByte(base, '/')+1] + ref
}

// pointer returns the schema at a JSON Pointer, or nil.
func pointer(n *node, path string) *node {
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" && path == "" {
			break
		}
		if n != nil && n.array {
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		} else {
			n = n.get(argnames.Unescape(part))
		}
	}
	if !n.isSchema() {
		return nil
	}
	return n
}
