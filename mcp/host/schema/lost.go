package schema

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
)

// lose notes what a schema does not say any more: in its description, or in that of the
// tool.
func (w *walker) lose(n *node, what string) {
	if n == w.root {
		n = nil
	} else if n.get("description") == nil {
		n.set("description", quoted(""))
	}
	if w.lost == nil {
		w.lost = make(map[*node][]string)
	}
	w.lost[n] = append(w.lost[n], what)
	if at := len(w.findings) - 1; at >= 0 {
		w.findings[at].lost = append(w.findings[at].lost, what)
	}
}

// describeLost adds to the descriptions in the schema what was lost: all of it at once, because
// a description can be long.
func (w *walker) describeLost() {
	for n, lost := range w.lost {
		if n != nil {
			n.describe(lost)
			delete(w.lost, n)
		}
	}
}

// loseKeyword notes a keyword that goes, if its value is short.
func (w *walker) loseKeyword(n *node, key string, v *node) {
	if value := w.text(v); len(value) <= maxLost {
		if s, ok := v.text(); ok {
			value = s
		}
		w.lose(n, key+": "+value)
	} else {
		w.lose(n, key+" is more than fits here")
	}
}

const maxLost = 200 // bytes of the value of a keyword in a description

// loseOthers notes the keywords of a part of the root that are not in its view.
func (w *walker) loseOthers(part *node) {
	for i, key := range part.names() {
		switch key {
		case "type", "properties", "patternProperties", "required", "additionalProperties", "$ref", "allOf", "anyOf", "oneOf":
		default:
			if traitsOf(key)&annotation == 0 {
				w.loseKeyword(w.root, key, part.items[i])
			}
		}
	}
}

// loseVariants notes which members each variant of a union requires.
func (w *walker) loseVariants(variants []view) {
	const most = 300
	var list []string
	for _, v := range variants {
		var words []string
		for _, name := range v.required {
			c := v.properties.get(name).get("const")
			if applies[ruleArguments]&w.target != 0 && !w.fits(name) {
				name = argnames.Alias(name)
			}
			if c != nil && c.raw != "" {
				name += "=" + c.raw
			}
			words = append(words, name)
		}
		if len(words) == 0 {
			words = []string{"none"}
		}
		list = append(list, strings.Join(words, ", "))
	}
	if list = unique(list); len(list) < 2 {
		return
	}
	what := "Required arguments: " + strings.Join(list, "; or ") + "."
	if len(what) > most {
		what = "The arguments that are required depend on each other."
	}
	w.lose(w.root, what)
}
