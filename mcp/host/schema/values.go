package schema

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// check returns the rule that the value of a keyword breaks, if it has no schemas, and the
// value to use instead, or nil.
func check(n *node, key string, v *node) (ruleID, *node) {
	s, ok := v.text()
	switch kind := traitsOf(key) & form; kind {
	case text:
		if !ok && v.raw != "" && v.raw != "null" {
			return ruleDraft, quoted(v.raw)
		}
	case number, count, bound:
		return numberOf(n, key, v, kind)
	case flag:
		if s == "true" || s == "false" {
			return ruleDraft, scalar(s)
		}
		ok = v.isFlag()
	case typeValue:
		return kindOf(v)
	case enumValue:
		return enumOf(v)
	case names:
		return namesOf(v)
	case anchor:
		ok = isAnchor(s)
	case examples:
		ok = v.array
	case patternValue:
		if ok && !isPattern(s) {
			return rulePattern, nil
		}
	default:
		ok = true
	}
	if !ok {
		return ruleDraft, nil
	}
	return fine, nil
}

func (n *node) isFlag() bool { return n != nil && (n.raw == "true" || n.raw == "false") }

func (n *node) isNumber() bool {
	return n != nil && n.raw != "" && (n.raw[0] == '-' || n.raw[0] >= '0' && n.raw[0] <= '9')
}

func numberOf(n *node, key string, v *node, kind trait) (ruleID, *node) {
	rule := fine
	if s, ok := v.text(); ok && wire.Valid([]byte(s)) == nil {
		v, rule = scalar(s), ruleDraft
	}
	if kind == bound && v.raw == "true" { // draft-04
		v, rule = n.get("m"+key[len("exclusiveM"):]), ruleDraft
	}
	if !v.isNumber() {
		return ruleDraft, nil
	}
	whole, fraction, _ := strings.Cut(v.raw, ".")
	switch {
	case kind == count && (strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0") != ""),
		key == "multipleOf" && (v.raw[0] == '-' || strings.Trim(v.raw, "0.") == ""):
		return ruleDraft, nil
	}
	return rule, v
}

// isAnchor reports whether JSON Schema allows a name of an anchor.
func isAnchor(s string) bool {
	return s != "" && strings.IndexByte(argnames.Letters, s[0]) >= 0 && strings.Trim(s, argnames.Letters+argnames.Digits+".-") == ""
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
		if item.raw == "null" {
			s = item.raw
		}
		kind := kindName(s)
		if kind == "" {
			return ruleDraft, nil
		}
		again := slices.Contains(kinds, kind)
		if good = good && kind == s && item.raw != "null" && !again; !again {
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
		if v.raw != "" && v.raw != "null" {
			return ruleDraft, &node{array: true, items: []*node{v}}
		}
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

// distinct is distinct for values that may be large and be here often.
func (w *walker) distinct(list []*node) []*node {
	for _, n := range list {
		if w.budget -= n.sizeTo(maxNodes); w.budget < 0 {
			return list
		}
	}
	return distinct(list)
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

// isKind reports whether the value of type is a type, or a list with it.
func isKind(v *node, kind string) bool {
	if v == nil || !v.array {
		s, _ := v.text()
		return s == kind
	}
	return slices.Contains(v.texts(), kind)
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
