package jsonschema

// mark notes that a keyword has evaluated the i-th member or item of a value.
func (c *checker) mark(i int) {
	if c.marking {
		c.marks = append(c.marks, int32(i))
	}
}

// An evaluated has a bit for each member or item.
type evaluated []uint64

// evaluated returns what the marks from start on say of a value.
func (c *checker) evaluated(v value, start int) evaluated {
	words := v.count()/64 + 1
	if !c.spend(words + len(c.marks) - start) {
		return nil
	}
	e := make(evaluated, words)
	for _, i := range c.marks[start:] {
		e[i/64] |= 1 << (i % 64)
	}
	return e
}

func (e evaluated) has(i int) bool { return e != nil && e[i/64]&(1<<(i%64)) != 0 }
