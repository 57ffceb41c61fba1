package schema

import (
	"slices"
	"strings"
)

// A cycleWalker finds cycles of references whose properties are all required. It follows no
// others: a cycle with an optional property may end there.
type cycleWalker struct {
	*walker
	root     *node
	required []property    // on the way
	began    map[*node]int // 1 + how many they were before a schema, or -1 after it
	later    []member      // schemas that are not on the way, with their paths
}

// A property is a required one of a schema.
type property struct {
	of         *node
	name, path string
}

// breakCycles makes a property of each such cycle optional.
func (w *walker) breakCycles(root *node) {
	if !w.refers || applies[ruleCycle]&w.target == 0 {
		return
	}
	c := cycleWalker{walker: w, root: root, began: make(map[*node]int), later: []member{{"", root}}}
	for i := 0; i < len(c.later); i++ {
		w.path = c.later[i].key
		c.visit(c.later[i].node)
	}
	w.path = ""
}

func (c *cycleWalker) visit(n *node) {
	if began := c.began[n]; began != 0 {
		if last := len(c.required) - 1; began > 0 && last >= began-1 {
			c.relax(c.required[last])
		}
		return
	}
	c.began[n] = 1 + len(c.required)
	if ref, ok := n.get("$ref").text(); ok {
		target, before := c.resolve(ref), c.path
		if target == c.walker.root {
			target = c.root
		}
		if c.path = strings.TrimPrefix(ref, "#"); target != nil {
			c.visit(target)
		}
		c.path = before
	}
	required := n.get("required").texts()
	c.each(n.clone(), func(key, name string, v *node) { // what n requires may change
		switch form := traitsOf(key) & form; {
		case key == "properties" && slices.Contains(required, name):
			c.required = append(c.required, property{n, name, c.path})
			c.visit(v)
			c.required = c.required[:len(c.required)-1]
		case form == schemaList || form == itemsValue:
			c.visit(v)
		default:
			c.later = append(c.later, member{c.path, v})
		}
	})
	c.began[n] = -1
}

// relax makes a property optional.
func (c *cycleWalker) relax(p property) {
	before := c.path
	c.path = p.path
	list := p.of.get("required").texts()
	if i := slices.Index(list, p.name); i >= 0 && c.breaks(ruleCycle) {
		p.of.replace("required", textNodes(slices.Delete(list, i, i+1)))
		if p.of == c.root {
			p.of = c.walker.root
		}
		c.lose(p.of, "required: "+p.name)
	}
	c.path = before
}
