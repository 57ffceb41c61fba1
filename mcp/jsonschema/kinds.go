package jsonschema

import "fmt"

// kinds are the kinds of values that the keyword type allows, by their bits, with two
// more.
type kinds uint16

const (
	integer kinds = 1 << 8
	unknown kinds = 1 << 9 // a type that no value has
)

func kindsOf(name string) kinds {
	for k := null; k <= object; k++ {
		if name == kindNames[k] {
			return 1 << k
		}
	}
	if name == "integer" {
		return integer
	}
	return unknown
}

func (k kinds) String() string {
	var names []string
	for i := null; i <= object; i++ {
		if k&(1<<i) != 0 {
			names = append(names, i.String())
		}
	}
	if k&integer != 0 {
		names = append(names, "integer")
	}
	if k&unknown != 0 {
		names = append(names, "an unknown type")
	}
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("one of %v", names)
}

// addType adds the keyword type, which is a name or a list of names.
func (c *compiler) addType(n *node, raw value) error {
	switch raw.kind() {
	case text:
		n.kinds = kindsOf(raw.text())
	case list:
		n.kinds = unknown
		for _, one := range raw.items() {
			if !c.spend(perPart) {
				return c.err
			}
			if one.kind() == text {
				n.kinds |= kindsOf(one.text())
			}
		}
		if n.kinds != unknown {
			n.kinds &^= unknown
		}
	}
	return nil
}

func (c *checker) isKind(v value, want kinds) bool {
	if want&(1<<v.kind()) != 0 {
		return true
	}
	return v.kind() == numeric && want&integer != 0 && c.spend(v.length()) && parse(v).IsWhole()
}
