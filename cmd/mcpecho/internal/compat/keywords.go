package compat

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/decimal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// types are the types of values that a schema permits.
type types uint8

const (
	nulls types = 1 << iota
	booleans
	integers
	fractions // numbers that are not integers
	strs
	arrays
	objects

	allTypes = objects<<1 - 1
)

var typeNames = map[string]types{
	"null": nulls, "boolean": booleans, "integer": integers, "number": integers | fractions, "string": strs, "array": arrays, "object": objects,
}

// kinds returns the types of the keyword type, and false if a name is unknown.
func (v view) kinds() (types, bool) {
	t := v.member("type")
	switch {
	case v.types != 0:
		return v.types, true
	case t == nil:
		return allTypes, true
	case t.kind == wire.String:
		return typeNames[t.text], typeNames[t.text] != 0
	case t.kind != wire.Array:
		return 0, false
	}
	all := types(0)
	for _, name := range t.of {
		one := typeNames[name.string()]
		if one == 0 {
			return 0, false
		}
		all |= one
	}
	return all, true
}

func typeOf(v *value) types {
	switch v.kind {
	case wire.Null:
		return nulls
	case wire.Bool:
		return booleans
	case wire.Number:
		if d, ok := decimal.Parse(v.text); ok && d.IsWhole() {
			return integers
		}
		return fractions
	case wire.String:
		return strs
	case wire.Array:
		return arrays
	}
	return objects
}

// values returns the values that enum and const permit, and those of a type among t.
// It reports whether the schema has one of the keywords.
func (v view) values(t types) (list []*value, ok bool) {
	enum, one := v.member("enum"), v.member("const")
	switch {
	case one != nil && enum.isArray():
		if slices.ContainsFunc(enum.of, func(e *value) bool { return same(e, one) }) {
			list = append(list, one)
		}
	case one != nil:
		list = append(list, one)
	case enum.isArray():
		list = slices.Clone(enum.of)
	default:
		return nil, false
	}
	return slices.DeleteFunc(list, func(e *value) bool { return typeOf(e)&t == 0 }), true
}

// compared are the keywords that compareKeywords compares by their meaning. All others
// are Unknown if they change.
var compared = []string{
	"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"minItems", "maxItems", "uniqueItems", "items", "minProperties", "maxProperties", "properties", "required", "additionalProperties",
	"allOf", "anyOf", "$ref",
}

// compareKeywords compares two schemas that may have several keywords.
func (c *comparer) compareKeywords(path string, old, new view) {
	defer func(before bool) { c.shared = before }(c.shared)
	for _, name := range [...]string{"allOf", "anyOf", "$ref", "oneOf", "not", "if", "dependentSchemas", "dependencies"} {
		c.shared = c.shared || old.member(name) != nil || new.member(name) != nil
	}
	c.compareOthers(path, old, new)
	both := c.compareTypes(path, old, new)
	if both&(integers|fractions) != 0 {
		c.compareNumbers(path, old, new)
	}
	if both&strs != 0 {
		c.compareCounts(path, old, new, "minLength", "maxLength")
	}
	if both&arrays != 0 {
		c.compareCounts(path, old, new, "minItems", "maxItems")
		c.compareArrays(path, old, new)
	}
	if both&objects != 0 {
		c.compareCounts(path, old, new, "minProperties", "maxProperties")
		c.compareObjects(path, old, new)
	}
	c.compareLists(path, old, new)
}

// compareOthers compares the keywords whose meaning the package does not know.
func (c *comparer) compareOthers(path string, old, new view) {
	if old.value == new.value {
		return
	}
	for i, key := range old.keys {
		if isOther(key) && !c.equal(old.of[i], new.member(key)) {
			c.unknown(join(path, key), key+" changed", old.of[i], new.member(key))
		}
	}
	for i, key := range new.keys {
		if isOther(key) && old.member(key) == nil {
			c.unknown(join(path, key), key+" was added", nil, new.of[i])
		}
	}
}

func isOther(key string) bool {
	return !slices.Contains(compared, key) && !slices.Contains(annotations[:], key) && !slices.Contains(locations, key)
}

// compareTypes compares the keywords type, enum and const. It returns the types that
// both schemas permit.
func (c *comparer) compareTypes(path string, old, new view) types {
	was, ok := old.kinds()
	is, ok2 := new.kinds()
	oldType, newType := old.member("type"), new.member("type")
	if !ok || !ok2 {
		if !same(oldType, newType) {
			c.unknown(path+"/type", "a type that is not one of JSON Schema", oldType, newType)
		}
		was, is = allTypes, allTypes
	}
	oldValues, oldEnum := old.values(was)
	newValues, newEnum := new.values(is)
	if a, b := enumOf(old), enumOf(new); a != nil && a.masked || b != nil && b.masked {
		c.unknown(path+"/enum", "a value is masked in the recording", a, b)
		return was & is
	}
	if oldEnum {
		was = typesOfValues(oldValues)
	}
	if newEnum {
		is = typesOfValues(newValues)
	}
	gone, added := was&^is, is&^was
	switch {
	case oldEnum && newEnum:
		c.compareValues(path+"/enum", oldValues, newValues)
	case newEnum:
		if added != 0 {
			c.widen(path+"/type", "more types are allowed", oldType, newType)
		}
		c.narrow(path+"/enum", "only some values are allowed", nil, enumOf(new))
	case oldEnum:
		if gone != 0 {
			c.narrow(path+"/type", "fewer types are allowed", oldType, newType)
		}
		c.widen(path+"/enum", "all values are allowed", enumOf(old), nil)
	case gone != 0 && added != 0:
		c.add(Breaking, path+"/type", "the type changed", oldType, newType)
	case gone != 0:
		c.narrow(path+"/type", "fewer types are allowed", oldType, newType)
	case added != 0:
		c.widen(path+"/type", "more types are allowed", oldType, newType)
	}
	return was & is
}

// enumOf returns the value of const or enum, or nil.
func enumOf(v view) *value {
	if one := v.member("const"); one != nil {
		return one
	}
	return v.member("enum")
}

func typesOfValues(list []*value) (t types) {
	for _, v := range list {
		t |= typeOf(v)
	}
	return t
}

// compareValues compares two lists of values.
func (c *comparer) compareValues(path string, old, new []*value) {
	for _, v := range missing(old, new) {
		c.narrow(path, "a value is not allowed any more", v, nil)
	}
	for _, v := range missing(new, old) {
		c.widen(path, "a value was added", nil, v)
	}
}

// missing returns the values of list that are not in other.
func missing(list, other []*value) (none []*value) {
	in := make(map[uint64]bool, len(other))
	for _, v := range other {
		in[v.hash] = true
	}
	for _, v := range list {
		if !in[v.hash] {
			in[v.hash] = true
			none = append(none, v)
		}
	}
	return none
}

// A bound is the stricter one of two limits of a number. The zero value is none.
type bound struct {
	name      string
	at        *value
	limit     decimal.Number
	exclusive bool
}

// bound returns the bound of the keywords name and exclusive; sign is 1 for a minimum
// and -1 for a maximum. It reports false for values that are not numbers.
func (v view) bound(name, exclusive string, sign int) (b bound, ok bool) {
	for _, key := range [...]string{name, exclusive} {
		at := v.member(key)
		if at == nil {
			continue
		}
		d, valid := decimal.Parse(at.text)
		if at.kind != wire.Number || !valid {
			return b, false
		}
		if one := (bound{key, at, d, key == exclusive}); b.at == nil || one.compare(b, sign) > 0 {
			b = one
		}
	}
	return b, true
}

// compare returns a positive number if b is stricter than a.
func (b bound) compare(a bound, sign int) int {
	switch {
	case b.at == nil && a.at == nil:
		return 0
	case a.at == nil:
		return 1
	case b.at == nil:
		return -1
	}
	order := b.limit.Compare(a.limit) * sign
	if order == 0 && b.exclusive != a.exclusive {
		order = -1
		if b.exclusive {
			order = 1
		}
	}
	return order
}

func (c *comparer) compareNumbers(path string, old, new view) {
	for _, k := range [...]struct {
		name, exclusive string
		sign            int
	}{{"minimum", "exclusiveMinimum", 1}, {"maximum", "exclusiveMaximum", -1}} {
		a, ok := old.bound(k.name, k.exclusive, k.sign)
		b, ok2 := new.bound(k.name, k.exclusive, k.sign)
		if !ok || !ok2 {
			if !same(old.member(k.name), new.member(k.name)) || !same(old.member(k.exclusive), new.member(k.exclusive)) {
				c.unknown(join(path, k.name), "a bound that is not a number", old.member(k.name), new.member(k.name))
			}
			continue
		}
		name := b.name
		if name == "" {
			name = a.name
		}
		switch order := b.compare(a, k.sign); {
		case order > 0:
			c.narrow(join(path, name), "the "+k.name+" is stricter", a.at, b.at)
		case order < 0:
			c.widen(join(path, name), "the "+k.name+" is less strict", a.at, b.at)
		}
	}
	switch a, b := old.member("multipleOf"), new.member("multipleOf"); {
	case same(a, b):
	case a == nil && b.kind == wire.Number:
		c.narrow(path+"/multipleOf", "only multiples are allowed", a, b)
	case b == nil && a.kind == wire.Number:
		c.widen(path+"/multipleOf", "not only multiples are allowed", a, b)
	default:
		c.unknown(path+"/multipleOf", "multipleOf changed", a, b)
	}
}

// compareCounts compares limits of a length or a number of members.
func (c *comparer) compareCounts(path string, old, new view, least, most string) {
	for _, name := range [...]string{least, most} {
		a, b := old.member(name), new.member(name)
		x, ok := count(a)
		y, ok2 := count(b)
		order := y.Compare(x) // of two limits
		if name == most {
			switch order = -order; {
			case a == nil && b == nil:
				order = 0
			case a == nil:
				order = 1
			case b == nil:
				order = -1
			}
		}
		switch {
		case same(a, b):
		case !ok || !ok2:
			c.unknown(join(path, name), "a limit that is not a count", a, b)
		case order > 0:
			c.narrow(join(path, name), name+" is stricter", a, b)
		case order < 0:
			c.widen(join(path, name), name+" is less strict", a, b)
		}
	}
}

// count returns a limit, which is 0 if it is absent. It reports whether it is a count.
func count(v *value) (decimal.Number, bool) {
	if v == nil {
		return decimal.Number{}, true
	}
	d, ok := decimal.Parse(v.text)
	return d, ok && v.kind == wire.Number && !d.Negative && d.IsWhole()
}

func (c *comparer) compareArrays(path string, old, new view) {
	a, b := old.member("uniqueItems"), new.member("uniqueItems")
	switch {
	case a.is("true") == b.is("true"):
		if !same(a, b) && (a != nil && a.kind != wire.Bool || b != nil && b.kind != wire.Bool) {
			c.unknown(path+"/uniqueItems", "uniqueItems is not a boolean", a, b)
		}
	case b.is("true"):
		c.narrow(path+"/uniqueItems", "items must be unique", a, b)
	default:
		c.widen(path+"/uniqueItems", "items may be equal", a, b)
	}
	a, b = old.member("items"), new.member("items")
	if a.isArray() || b.isArray() {
		if !c.equal(a, b) {
			c.unknown(path+"/items", "a list of schemas changed", a, b)
		}
		return
	}
	c.compareOptional(path+"/items", a, b)
}

// compareOptional compares two schemas that permit everything if they are absent.
func (c *comparer) compareOptional(path string, a, b *value) {
	if a == nil {
		a = anything
	}
	if b == nil {
		b = anything
	}
	if a != b {
		c.compare(path, view{a, 0}, view{b, 0})
	}
}

// compareLists compares allOf, a reference that is not alone, and anyOf.
func (c *comparer) compareLists(path string, old, new view) {
	if old.value == new.value {
		return
	}
	a, b := old.conjuncts(), new.conjuncts()
	if len(a)+len(b) > 0 {
		c.compareConjuncts(path+"/allOf", a, b)
	}
	x, y := old.member("anyOf"), new.member("anyOf")
	switch {
	case x == nil && y == nil:
	case x == nil && y.isArray():
		c.narrow(path+"/anyOf", "a value must match one of several schemas", nil, y)
	case y == nil && x.isArray():
		c.widen(path+"/anyOf", "a value need not match one of several schemas any more", x, nil)
	case x.isArray() && y.isArray():
		c.compareUnions(path+"/anyOf", views(x), views(y))
	case !same(x, y):
		c.unknown(path+"/anyOf", "anyOf is not a list", x, y)
	}
}

// conjuncts returns the schemas that all must match.
func (v view) conjuncts() []view {
	list := views(v.member("allOf"))
	if ref := v.member("$ref"); ref != nil {
		alone := &value{kind: wire.Object, keys: []string{"$ref"}, of: []*value{ref}, hash: ref.hash, refs: refsOf("$ref", ref), raw: `{"$ref":` + ref.raw + "}"}
		list = append(list, view{alone, 0})
	}
	return list
}

func views(list *value) (all []view) {
	if list != nil {
		for _, v := range list.of {
			all = append(all, view{v, 0})
		}
	}
	return all
}

// isMaskedName reports whether a recording hides a name.
func isMaskedName(name string) bool { return strings.Contains(name, diag.Mask) }
