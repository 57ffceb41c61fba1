package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A walker finds what a provider would reject in a schema, and mends it.
type walker struct {
	root   *node
	target target
	found  func(r ruleID, path string) // for each rule that the schema breaks; may be nil
	path   []string                    // of the schema that is being walked
	broken bool                        // the schema breaks a rule
	budget int                         // bytes of schemas that may still be merged
	ids    map[string]*node            // schemas by $id and anchor; nil until it is needed
	bases  []*node                     // schemas with an $id
	moved  map[*node]string            // references to targets that are now definitions of the root
	lost   string                      // what the mended schema does not say, for the description of the tool
}

// mend returns the schema as the provider accepts it.
func (w *walker) mend(root *node) (*node, error) {
	if w.root = root; root.isObject() {
		w.schema(root)
	}
	root, err := w.renameArguments(w.mendRoot(root))
	if err != nil {
		return nil, err
	}
	if w.budget < 0 {
		return nil, ErrTooComplex
	}
	return root, nil
}

// breaks reports whether the provider has a rule, which the value at a path below the
// current schema breaks.
func (w *walker) breaks(r ruleID, below ...string) bool {
	if applies[r]&w.target == 0 {
		return false
	}
	if w.broken = true; w.found != nil {
		path := ""
		for _, list := range [...][]string{w.path, below} {
			for _, part := range list {
				path += "/" + escape.Replace(part)
			}
		}
		w.found(r, path)
	}
	return true
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (w *walker) below(n *node, path ...string) {
	if n.isObject() {
		w.path = append(w.path, path...)
		w.schema(n)
		w.path = w.path[:len(w.path)-len(path)]
	}
}

// schema mends a schema and those in it.
func (w *walker) schema(n *node) {
	for i := 0; i < len(n.keys); {
		key, v := n.keys[i], n.items[i]
		if r, better := w.keyword(n, key, v); r != fine && w.breaks(r, key) {
			if better == nil {
				n.remove(key)
			} else {
				n.items[i] = better
			}
		}
		if i < len(n.keys) && n.keys[i] == key { // else it was removed
			i++
		}
	}
	if n.get("items") == nil && isKind(n.get("type"), "array") && w.breaks(ruleItems) {
		n.set("items", object())
	}
	if w.target&strict != 0 && (isKind(n.get("type"), "object") || n.get("properties") != nil) {
		w.strictObject(n)
	}
}

// isKind reports whether the value of type is a type, or a list with it.
func isKind(v *node, kind string) bool {
	if v == nil || !v.array {
		s, ok := v.text()
		return ok && s == kind
	}
	return slices.Contains(v.texts(), kind)
}

// strictObject finds what strict schemas require of objects.
func (w *walker) strictObject(n *node) {
	if v := n.get("additionalProperties"); v == nil || v.raw != "false" {
		w.breaks(ruleStrictClosed)
	}
	required := n.get("required").texts()
	if p := n.get("properties"); p.isObject() {
		for _, name := range p.keys {
			if !slices.Contains(required, name) {
				w.breaks(ruleStrictRequired, "properties", name)
			}
		}
	}
}

// keyword checks a keyword and walks the schemas in it. If it breaks a rule, it returns
// the value to use instead, or nil if the keyword goes.
func (w *walker) keyword(n *node, key string, v *node) (ruleID, *node) {
	ok := true
	switch key {
	case "type":
		return kindOf(v)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if ok = v.isObject(); ok {
			w.members(n, key, v)
		}
	case "items":
		if v.array {
			if len(v.items) > 0 && n.get("prefixItems") == nil && applies[ruleDraft]&w.target != 0 {
				n.set("prefixItems", v)
			}
			if rest := n.get("additionalItems"); rest.isSchema() {
				return ruleDraft, rest
			}
			return ruleDraft, nil
		}
		ok = w.one(key, v)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains", "contentSchema":
		ok = w.one(key, v)
	case "not", "if", "then", "else":
		if ok = w.one(key, v); ok {
			w.breaks(ruleStrictKeyword, key)
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if ok = v.array && len(v.items) > 0; ok {
			w.list(key, v)
		}
		if ok && (key == "allOf" || key == "oneOf") {
			w.breaks(ruleStrictKeyword, key)
		}
	case "enum":
		return enumOf(v)
	case "required":
		return namesOf(v)
	case "dependentRequired":
		if ok = v.isObject(); ok {
			for i, name := range v.keys {
				if r, better := namesOf(v.items[i]); r != fine && w.breaks(r, key, name) {
					if better == nil {
						better = &node{array: true}
					}
					v.items[i] = better
				}
			}
			w.breaks(ruleStrictKeyword, key)
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if v.raw == "true" { // draft-04
			bound := "minimum"
			if key == "exclusiveMaximum" {
				bound = "maximum"
			}
			if v = n.get(bound); !v.isNumber() {
				v = nil
			}
			return ruleDraft, v
		}
		ok = v.isNumber()
	case "minimum", "maximum":
		ok = v.isNumber()
	case "multipleOf":
		ok = v.isNumber() && v.raw[0] != '-' && strings.Trim(v.raw, "0.") != ""
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		ok = v.isCount()
	case "uniqueItems", "readOnly", "writeOnly", "deprecated":
		ok = v.raw == "true" || v.raw == "false"
	case "title", "description", "$comment", "format", "contentEncoding", "contentMediaType":
		_, ok = v.text()
	case "$schema":
		if _, ok = v.text(); ok {
			return ruleSchemaKeyword, nil
		}
	case "$id":
		var id string
		if id, ok = v.text(); ok {
			if at := strings.IndexByte(id, '#'); at >= 0 && at < len(id)-1 { // draft-06
				if at == 0 && n.get("$anchor") == nil && isAnchor(id[1:]) && w.breaks(ruleDraft, key) {
					n.set("$anchor", quoted(id[1:]))
				}
				ok = false
			}
		}
	case "$anchor", "$dynamicAnchor":
		var name string
		if name, ok = v.text(); ok {
			ok = isAnchor(name)
		}
	case "examples":
		ok = v.array
	case "pattern":
		var p string
		if p, ok = v.text(); ok && !isPattern(p) {
			if w.breaks(rulePattern, key) {
				n.remove(key)
				n.describe("Pattern: " + p)
				return fine, nil
			}
		}
	case "$ref", "$dynamicRef":
		return w.reference(n, key, v)
	}
	if ok {
		return fine, nil
	}
	return ruleDraft, nil
}

// one walks a keyword whose value is a schema.
func (w *walker) one(key string, v *node) bool {
	w.below(v, key)
	return v.isSchema()
}

// list walks a keyword whose value is a list of schemas.
func (w *walker) list(key string, v *node) {
	for i, item := range v.items {
		switch {
		case item.isObject():
			w.below(item, key, strconv.Itoa(i))
		case !item.isSchema() && w.breaks(ruleDraft, key, strconv.Itoa(i)):
			v.items[i] = object()
		}
	}
}

// members walks a keyword whose value has schemas as members.
func (w *walker) members(n *node, key string, v *node) {
	for i := 0; i < len(v.keys); i++ {
		name, item := v.keys[i], v.items[i]
		switch {
		case key == "patternProperties" && !isPattern(name) && w.breaks(rulePattern, key, name):
			v.remove(name)
			i--
			n.describe("Names may match the pattern " + name)
			n.set("additionalProperties", scalar("true"))
		case item.isObject():
			if r := item.get("required"); r != nil && r.raw == "true" && key == "properties" && w.breaks(ruleDraft, key, name, "required") {
				item.remove("required") // draft-03
				n.require(name)
			}
			w.below(item, key, name)
		case !item.isSchema() && w.breaks(ruleDraft, key, name):
			v.items[i] = object()
		}
	}
}

// require adds a name to those that n requires.
func (n *node) require(name string) {
	if list := n.get("required").texts(); !slices.Contains(list, name) {
		n.set("required", textNodes(append(list, name)))
	}
}

// describe adds a text to the description of n.
func (n *node) describe(text string) {
	old, _ := n.get("description").text()
	if old = strings.TrimSpace(old); old != "" {
		text = old + "\n" + text
	}
	n.set("description", quoted(text))
}

func (n *node) isNumber() bool {
	return n != nil && n.raw != "" && (n.raw[0] == '-' || n.raw[0] >= '0' && n.raw[0] <= '9')
}

// isCount reports whether n is an integer that is not negative.
func (n *node) isCount() bool {
	whole, fraction, _ := strings.Cut(n.raw, ".")
	return whole != "" && strings.Trim(whole, "0123456789") == "" && strings.Trim(fraction, "0") == ""
}

// isAnchor reports whether JSON Schema allows a name of an anchor.
func isAnchor(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return s != "" && strings.IndexByte(letters, s[0]) >= 0 && strings.Trim(s, letters+"0123456789-.") == ""
}

// kindName returns the type of JSON Schema that a name means, or "".
func kindName(s string) string {
	switch s = strings.ToLower(s); s {
	case "string", "integer", "number", "boolean", "array", "object", "null":
		return s
	case "str", "text":
		return "string"
	case "int", "int32", "int64", "long":
		return "integer"
	case "float", "double", "decimal", "float32", "float64":
		return "number"
	case "bool":
		return "boolean"
	case "list", "tuple":
		return "array"
	case "dict", "map", "struct":
		return "object"
	case "none":
		return "null"
	}
	return ""
}

// kindOf checks the value of the keyword type. An unknown type could be any.
func kindOf(v *node) (ruleID, *node) {
	if s, ok := v.text(); ok {
		switch kind := kindName(s); kind {
		case s:
			if s != "" {
				return fine, nil
			}
		case "":
		default:
			return ruleDraft, quoted(kind)
		}
	}
	if !v.array || len(v.items) == 0 {
		return ruleDraft, nil
	}
	good := true
	var kinds []string
	for _, item := range v.items {
		s, _ := item.text()
		kind := kindName(s)
		if kind == "" {
			return ruleDraft, nil
		}
		again := slices.Contains(kinds, kind)
		if good = good && kind == s && !again; !again {
			kinds = append(kinds, kind)
		}
	}
	if good {
		return fine, nil
	}
	return ruleDraft, textNodes(kinds)
}

// enumOf checks the value of the keyword enum.
func enumOf(v *node) (ruleID, *node) {
	if !v.array {
		return ruleDraft, nil
	}
	if len(v.items) == 0 {
		return ruleEnum, nil
	}
	texts := make([]string, len(v.items))
	for i, item := range v.items {
		texts[i] = item.raw
	}
	wire.SortStrings(texts)
	for i := range texts[1:] {
		if texts[i] == texts[i+1] {
			if list := distinct(v.items); len(list) < len(v.items) {
				return ruleEnum, &node{array: true, items: list}
			}
			break
		}
	}
	return fine, nil
}

// distinct returns values without those that occur again.
func distinct(list []*node) []*node {
	seen := make(map[string]bool, len(list))
	var out []*node
	for _, n := range list {
		text := n.raw
		if text == "" {
			text = string(n.append(nil))
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, n)
		}
	}
	return out
}

// namesOf checks a list of names.
func namesOf(v *node) (ruleID, *node) {
	if !v.array {
		return ruleDraft, nil
	}
	if len(v.items) == 1 {
		if _, ok := v.items[0].text(); ok {
			return fine, nil
		}
	}
	if list := unique(v.texts()); len(list) < len(v.items) {
		return ruleDraft, textNodes(list)
	}
	return fine, nil
}

// reference checks a reference.
func (w *walker) reference(n *node, key string, v *node) (ruleID, *node) {
	ref, ok := v.text()
	if !ok {
		return ruleDraft, nil
	}
	target := w.resolve(ref)
	switch {
	case target == nil:
		return ruleReference, nil
	case w.target&(gemini|vertex) == 0 || key != "$ref":
		return fine, nil
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ref != "#" && (!ok || strings.Contains(name, "/")) && w.breaks(ruleDefinitions, key) {
		v = quoted(w.define(target))
		n.set(key, v)
	}
	for _, other := range n.keys {
		if other[:min(len(other), 1)] != "$" && w.breaks(ruleSiblings, key) {
			alone := object()
			alone.set("$ref", v)
			n.remove(key)
			group := "anyOf"
			if n.get(group) != nil {
				if group = "allOf"; n.get(group) != nil {
					alone.set("allOf", n.get(group))
				}
			}
			n.set(group, &node{array: true, items: []*node{alone}})
			break
		}
	}
	return fine, nil
}

// define adds a target of references to the definitions of the root, and returns its
// reference.
func (w *walker) define(target *node) string {
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
	name := ""
	for i := len(w.moved) + 1; name == "" || defs.get(name) != nil; i++ {
		name = "d" + strconv.Itoa(i)
	}
	w.moved[target] = "#/$defs/" + name
	w.budget -= len(target.append(nil))
	defs.set(name, target)
	return w.moved[target]
}

// unescape replaces the escapes in a part of a reference (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$", "%22", `"`, "%25", "%", "%5B", "[", "%5D", "]", "%20", " ", "%5E", "^", "%7C", "|")

// resolve returns the schema that a reference means, or nil if it is not in the schema.
// It never fetches documents.
func (w *walker) resolve(ref string) *node {
	document, fragment, _ := strings.Cut(ref, "#")
	if document == "" && (fragment == "" || fragment[0] == '/') {
		if n := pointer(w.root, fragment); n != nil {
			return n
		}
	}
	if w.ids == nil {
		w.ids = make(map[string]*node)
		w.index(w.root, "")
	}
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
		if n := pointer(base, fragment); n != nil {
			return n
		}
	}
	return nil
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

// join returns a reference relative to the directory of base.
func join(base, ref string) string {
	if strings.Contains(ref, ":") {
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
			n = n.get(unescape.Replace(part))
		}
	}
	if !n.isSchema() {
		return nil
	}
	return n
}

// isPattern reports whether the engines of providers without lookaround accept a regular
// expression. Their syntax is that of Python without lookaround and references to groups.
func isPattern(p string) bool {
	depth, repeatable := 0, false
	for i := 0; i < len(p); {
		c := p[i]
		i++
		switch c {
		case '\\':
			n, _ := escapeLen(p[i:], false)
			if n == 0 {
				return false
			}
			i += n
			repeatable = true
		case '[':
			n := classLen(p[i:])
			if n == 0 {
				return false
			}
			i += n
			repeatable = true
		case '(':
			depth++
			repeatable = false
			if i < len(p) && p[i] == '?' {
				switch rest := p[i:]; {
				case strings.HasPrefix(rest, "?:"):
					i += 2
				default:
					return false
				}
			}
		case ')':
			if depth--; depth < 0 {
				return false
			}
			repeatable = true
		case '*', '+', '?':
			if !repeatable {
				return false
			}
			if i < len(p) && p[i] == '?' {
				i++
			}
			repeatable = false
		case '{':
			if n := repeatLen(p[i:]); n > 0 {
				if !repeatable {
					return false
				}
				if i += n; i < len(p) && p[i] == '?' {
					i++
				}
				repeatable = false
			} else {
				repeatable = true
			}
		case '|':
			repeatable = false
		case '^':
			repeatable = false
		default:
			repeatable = true
		}
	}
	return depth == 0
}

// escapeLen returns the length of an escape after its backslash, or 0 if it is unknown,
// and the character that it stands for, or -1 if it stands for several.
func escapeLen(p string, inClass bool) (n int, char rune) {
	if p == "" {
		return 0, 0
	}
	hex := func(n int) (int, rune) {
		if len(p) <= n {
			return 0, 0
		}
		v, err := strconv.ParseUint(p[1:n+1], 16, 32)
		if err != nil {
			return 0, 0
		}
		return n + 1, rune(v)
	}
	switch c := p[0]; {
	case strings.IndexByte("dDwWsS", c) >= 0:
		return 1, -1
	case c == 'b' || c == 'B' && !inClass:
		return 1, '\b'
	case strings.IndexByte("ntrfv", c) >= 0:
		return 1, map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v'}[c]
	case c == '0' && (len(p) == 1 || p[1] < '0' || p[1] > '9'):
		return 1, 0
	case c == 'x':
		return hex(2)
	case c == 'u':
		return hex(4)
	case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
		return 0, 0
	default:
		return 1, rune(c)
	}
}

// classLen returns the length of a class after its bracket, or 0 if it is not valid.
func classLen(p string) int {
	i := 0
	if i < len(p) && p[i] == '^' {
		i++
	}
	start, last, ranging := i, rune(-2), false // the last character, -1 for a set of them, -2 for none
	for i < len(p) {
		if p[i] == ']' {
			if i == start {
				return 0
			}
			return i + 1
		}
		var char rune
		if p[i] == '\\' {
			n, c := escapeLen(p[i+1:], true)
			if n == 0 {
				return 0
			}
			char = c
			i += n + 1
		} else {
			for _, char = range p[i:] {
				break
			}
			i += len(string(char))
		}
		switch {
		case ranging:
			if last < 0 || char < last {
				return 0
			}
			last, ranging = -2, false
		case char == '-' && last != -2 && i < len(p) && p[i] != ']' && p[i-2:i] != `\-`:
			ranging = true
		default:
			last = char
		}
	}
	return 0
}

// repeatLen returns the length of the bounds of a repetition after their brace, or 0 if
// the brace stands for itself.
func repeatLen(p string) int {
	at := strings.IndexByte(p, '}')
	if at <= 0 {
		return 0
	}
	low, high, comma := strings.Cut(p[:at], ",")
	if strings.Trim(low+high, "0123456789") != "" || low == "" && (high == "" || !comma) {
		return 0
	}
	return at + 1
}

// unique returns list without what occurs again.
func unique(list []string) []string {
	if len(list) < 2 {
		return list
	}
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
