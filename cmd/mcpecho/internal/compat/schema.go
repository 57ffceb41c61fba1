package compat

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A side is the use of a schema.
type side string

const (
	input  side = "input"  // of arguments, which a caller sends
	output side = "output" // of structured content, which a caller reads
)

// A comparer compares two schemas of one item.
type comparer struct {
	report   *report
	item     string
	side     side
	old, new *value            // the documents
	sameDefs bool              // references to $defs and definitions have equal targets
	shared   bool              // whether other schemas apply to the same values
	targets  map[*value]*value // of references, by the text of the reference
	seen     map[pair]bool
	left     int // comparisons
	depth    int // of them, inside of each other
	ended    bool
}

// A pair is two schemas that are or were compared. The types are those of their views.
type pair struct {
	old, new           *value
	oldTypes, newTypes types
	shared             bool
}

// A view is a schema, or the part of it for some types.
type view struct {
	*value
	types types // 0 for those of the schema
}

// compareSchemas compares the schemas of an item, which are valid JSON.
func compareSchemas(r *report, item string, s side, old, new *value) {
	c := &comparer{report: r, item: item, side: s, old: old, new: new, targets: make(map[*value]*value), seen: make(map[pair]bool)}
	c.left = 1000 + len(old.raw) + len(new.raw)
	if old.hash == new.hash && !old.masked {
		return
	}
	c.sameDefs = true
	for _, name := range [...]string{"$defs", "definitions"} {
		a, b := old.member(name), new.member(name)
		c.sameDefs = c.sameDefs && same(a, b) && (a == nil || a.refs&otherRefs == 0 && !a.masked)
	}
	if a, b := old.member("$schema"), new.member("$schema"); !same(a, b) {
		if (old.refs|new.refs)&dialects != 0 {
			c.unknown("/$schema", "the dialect changed, and the schema has keywords whose meaning depends on it", a, b)
		} else {
			c.add(Noted, "/$schema", "the dialect changed", a, b)
		}
	}
	c.compare("", view{old, 0}, view{new, 0})
}

// add adds a change at a path in the schema.
func (c *comparer) add(k Kind, path, text string, old, new *value) {
	c.report.addQuoted(Change{Kind: k, Item: c.item, Path: strings.TrimRight(string(c.side)+" "+path, " "), Text: text}, old, new)
}

// narrow adds a change after which less is possible.
func (c *comparer) narrow(path, text string, old, new *value) {
	k := Breaking
	if c.side == output {
		k = OK
	}
	c.add(k, path, text, old, new)
}

// widen adds a change after which more is possible.
func (c *comparer) widen(path, text string, old, new *value) {
	k := OK
	if c.side == output {
		k = Breaking
	}
	c.add(k, path, text, old, new)
}

func (c *comparer) unknown(path, text string, old, new *value) { c.add(Unknown, path, text, old, new) }

// maxDepth limits how deep comparisons nest, which references extend.
const maxDepth = 1000

// compare compares two schemas.
func (c *comparer) compare(path string, old, new view) {
	path = shorten(path)
	c.depth++
	defer func() { c.depth-- }()
	if c.left--; c.left < 0 || c.depth > maxDepth {
		if !c.ended {
			c.unknown(path, "the comparison ends here, as it takes too many steps", nil, nil)
		}
		c.ended = true
		return
	}
	a, okA := c.resolve(c.old, old)
	b, okB := c.resolve(c.new, new)
	c.compareNotes(path, a.notes, b.notes)
	if !okA || !okB {
		if !c.equal(old.value, new.value) && !c.sameRemote(old.value, new.value) {
			c.unknown(path, "a reference cannot be resolved", old.value, new.value)
		}
		return
	}
	old, new = a.view, b.view
	p := pair{old.value, new.value, old.types, new.types, c.shared}
	if c.seen[p] {
		return
	}
	c.seen[p] = true
	if old.types == new.types && c.equal(old.value, new.value) {
		return
	}
	c.left -= old.width() + new.width()
	oldBranches, oldUnion := c.union(old)
	newBranches, newUnion := c.union(new)
	oldParts, oldAll := parts(old)
	newParts, newAll := parts(new)
	switch {
	case !isSchema(old.value) || !isSchema(new.value):
		c.unknown(path, "not a schema", old.value, new.value)
	case old.is("false") && new.is("false"):
	case old.is("false"):
		c.widen(path, "values are allowed where there were none", old.value, new.value)
	case new.is("false"):
		c.narrow(path, "no value is allowed", old.value, new.value)
	case (old.refs|new.refs)&ids != 0 && (old.value != c.old && old.member("$id") != nil || new.value != c.new && new.member("$id") != nil):
		c.unknown(path, "a schema with its own $id changed", old.value, new.value)
	case hasUnevaluated(old.value) || hasUnevaluated(new.value):
		c.unknown(path, "a schema with unevaluatedProperties or unevaluatedItems changed", old.value, new.value)
	case oldUnion || newUnion:
		c.compareUnions(path+"/anyOf", oldBranches, newBranches)
	case oldAll || newAll:
		before := c.shared
		c.shared = true
		c.compareConjuncts(path+"/allOf", oldParts, newParts)
		c.shared = before
	default:
		c.compareKeywords(path, old, new)
	}
}

// width returns the number of values, branches and names in the keywords of a schema, which
// many schemas may refer to.
func (v *value) width() (n int) {
	for _, m := range v.of {
		n += len(m.of)
	}
	return n
}

// parts returns the schemas of a schema that consists of allOf only. Otherwise it
// returns the schema and false.
func parts(v view) (all []view, ok bool) {
	if name, alone := v.alone(); alone && name == "allOf" && v.member(name).isArray() && len(v.member(name).of) > 0 {
		return views(v.member(name)), true
	}
	return []view{v}, false
}

// equal reports whether two schemas are certainly equal, with what they refer to.
func (c *comparer) equal(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.hash == b.hash && !a.masked && a.refs&(otherRefs|ids) == 0 && (a.refs&defRefs == 0 || c.sameDefs)
}

// sameRemote reports whether two schemas are equal and refer to another document.
func (c *comparer) sameRemote(a, b *value) bool {
	return a.hash == b.hash && !a.masked && strings.Contains(a.member("$ref").string(), "://") &&
		(c.old.refs|c.new.refs)&ids == 0 && len(a.keys) == 1
}

func isSchema(v *value) bool { return v.kind == wire.Object || v.kind == wire.Bool }

func hasUnevaluated(v *value) bool {
	return v.member("unevaluatedProperties") != nil || v.member("unevaluatedItems") != nil
}

// annotations are the keywords that do not restrict values.
var annotations = [...]string{"title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly", "default", "x-mcp-header"}

// notes are the values of annotations. Those of a reference hide those of its target.
type notes [len(annotations)]*value

// locations are the keywords that count only where something refers to them.
var locations = []string{"$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"}

// A resolved schema is a view without the references and lists of one schema that
// have nothing beside them.
type resolved struct {
	view
	notes notes
}

// maxHops limits the references that lead to a schema.
const maxHops = 32

// resolve follows references. It reports false if one cannot be followed.
func (c *comparer) resolve(doc *value, v view) (resolved, bool) {
	r := resolved{view: v}
	for range maxHops {
		for i, name := range annotations {
			if r.notes[i] == nil {
				r.notes[i] = r.member(name)
			}
		}
		name, alone := r.alone()
		ref := r.member("$ref")
		switch {
		case name == "$ref" && alone:
			target := c.find(doc, ref)
			if target == nil {
				return r, false
			}
			r.value = target
		case (name == "anyOf" || name == "allOf") && alone && r.member(name).isArray() && len(r.member(name).of) == 1:
			r.value = r.member(name).of[0]
		default:
			return r, ref == nil || c.find(doc, ref) != nil
		}
		if r.value.kind == wire.Bool && r.types != 0 {
			return r, true
		}
	}
	return r, false
}

// alone returns the only keyword of a schema that restricts values, if it has one.
func (v view) alone() (name string, ok bool) {
	if v.types != 0 {
		return "", false
	}
	for _, key := range v.keys {
		if slices.Contains(annotations[:], key) || slices.Contains(locations, key) && key != "$id" {
			continue
		}
		if name != "" {
			return "", false
		}
		name = key
	}
	return name, name != ""
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// find returns the target of a reference in a document, or nil. It looks for each once,
// as a long reference may itself be the target of many.
func (c *comparer) find(doc, ref *value) *value {
	target, known := c.targets[ref]
	if !known {
		target = find(doc, ref)
		c.targets[ref] = target
	}
	return target
}

// find returns the target of a local reference, or nil.
func find(doc, ref *value) *value {
	pointer, ok := strings.CutPrefix(ref.string(), "#")
	if !ok || ref.masked || strings.Contains(pointer, "%") || pointer != "" && pointer[0] != '/' {
		return nil
	}
	v := doc
	if pointer == "" {
		return v
	}
	for i, step := range strings.Split(pointer[1:], "/") {
		if i > 0 && v.member("$id") != nil || !v.isObject() && !v.isArray() {
			return nil
		}
		if v.kind == wire.Array {
			v = item(v, step)
		} else {
			v = v.member(unescape.Replace(step))
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// item returns an item of a list by its number in a pointer, or nil.
func item(list *value, step string) *value {
	n := 0
	for _, c := range []byte(step) {
		if n = n*10 + int(c-'0'); c < '0' || c > '9' || n >= len(list.of) {
			return nil
		}
	}
	if step == "" || n >= len(list.of) {
		return nil
	}
	return list.of[n]
}

func (c *comparer) compareNotes(path string, old, new notes) {
	for i, name := range annotations {
		a, b := old[i], new[i]
		isMasked := a != nil && a.masked || b != nil && b.masked
		if same(a, b) && !(isMasked && name == "default") {
			continue
		}
		at := path + "/" + name
		switch {
		case name == "default" && c.side == input && isMasked:
			c.unknown(at, "a default is masked in the recording", a, b)
		case name == "default" && c.side == input:
			c.unknown(at, "the default changed", a, b)
		case name == "x-mcp-header" && c.side == input:
			c.add(Breaking, at, "the header of the argument changed, which breaks callers over modern HTTP", a, b)
		case same(a, b):
		case name == "default":
			c.add(OK, at, "the default changed", a, b)
		default:
			c.add(Noted, at, "the "+name+" changed", a, b)
		}
	}
}

// union returns the branches of a schema that consists of anyOf only. Otherwise it
// returns the schema, a view for each of its types, and false.
func (c *comparer) union(v view) (branches []view, ok bool) {
	if name, alone := v.alone(); alone && name == "anyOf" && v.member(name).isArray() && len(v.member(name).of) > 0 {
		for _, branch := range v.member(name).of {
			branches = append(branches, view{branch, 0})
		}
		return branches, true
	}
	if list := v.member("type"); v.types == 0 && list.isArray() && len(list.of) > 1 && v.member("enum") == nil && v.member("const") == nil {
		for _, name := range list.of {
			if t := typeNames[name.string()]; t != 0 {
				branches = append(branches, view{v.value, t})
			} else {
				return []view{v}, false
			}
		}
		return branches, false
	}
	return []view{v}, false
}

// compareUnions compares two lists of which a value matches at least one schema.
func (c *comparer) compareUnions(path string, old, new []view) {
	c.comparePairs(path, "a branch", old, new, c.narrow, c.widen)
}

// compareConjuncts compares two lists of which a value matches every schema.
func (c *comparer) compareConjuncts(path string, old, new []view) {
	c.comparePairs(path, "a condition", old, new, c.widen, c.narrow)
}

// comparePairs compares the schemas of two lists, and calls a function for one without a
// partner.
func (c *comparer) comparePairs(path, what string, old, new []view, removed, added func(path, text string, old, new *value)) {
	taken := make([]bool, len(new))
	for i, j := range c.match(old, new) {
		if j < 0 {
			removed(path, what+" was removed", old[i].value, nil)
			continue
		}
		taken[j] = true
		c.compare(join(path, itoa(j)), old[i], new[j])
	}
	for j := range new {
		if !taken[j] {
			added(path, what+" was added", nil, new[j].value)
		}
	}
}

// match pairs schemas: those that are equal, then those whose types are equal, then
// those that have a type in common. It returns the partner of each, or -1.
func (c *comparer) match(old, new []view) []int {
	partner := make([]int, len(old))
	byHash := make(map[uint64][]int)
	for j := range new {
		if new[j].types == 0 {
			byHash[new[j].hash] = append(byHash[new[j].hash], j)
		}
	}
	taken := make([]bool, len(new))
	for i := range old {
		partner[i] = -1
		if same := byHash[old[i].hash]; len(same) > 0 && old[i].types == 0 {
			partner[i], byHash[old[i].hash] = same[0], same[1:]
			taken[same[0]] = true
		}
	}
	oldTypes, newTypes := c.typesOf(c.old, old), c.typesOf(c.new, new)
	for _, matches := range [...]func(a, b types) bool{
		func(a, b types) bool { return a == b },
		func(a, b types) bool { return a&b != 0 },
	} {
		for i := range old {
			for j := range new {
				if partner[i] >= 0 || c.left < 0 {
					break
				}
				if c.left--; !taken[j] && matches(oldTypes[i], newTypes[j]) {
					partner[i], taken[j] = j, true
				}
			}
		}
	}
	return partner
}

func (c *comparer) typesOf(doc *value, of []view) []types {
	all := make([]types, len(of))
	for i, v := range of {
		r, _ := c.resolve(doc, v)
		all[i], _ = r.kinds()
	}
	return all
}
