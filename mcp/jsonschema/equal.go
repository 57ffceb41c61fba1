package jsonschema

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
)

// equal reports whether two values are equal in JSON Schema's sense. When the budget
// ends, it returns false.
func (c *checker) equal(a, b value) bool {
	if !c.spend(perPart) || a.kind() != b.kind() || a.kind() != numeric && a.count() != b.count() {
		return false
	}
	switch a.kind() {
	case numeric:
		return c.compare(a, b) == 0 && c.err == nil
	case text:
		return a.length() == b.length() && c.spend(a.length()) && a.text() == b.text()
	case boolean:
		return a.isTrue() == b.isTrue()
	case list:
		other := value{b.doc, b.at + 1}
		for _, item := range a.items() {
			if !c.equal(item, other) {
				return false
			}
			other.at = other.next()
		}
	case object:
		if !c.spend(perPart * a.width()) {
			return false
		}
		for name, member := range a.members() {
			if !c.spend(perSearch + name.length()) {
				return false
			}
			if other := b.member(name.text()); other.kind() == absent || !c.equal(member, other) {
				return false
			}
		}
	}
	return true
}

var hashSeed = maphash.MakeSeed()

// hash returns the same number for equal values.
func (c *checker) hash(v value) uint64 {
	if !c.spend(perPart*(1+v.width()) + v.length()) {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(hashSeed)
	h.WriteByte(byte(v.kind()))
	switch v.kind() {
	case numeric:
		d := parse(v)
		add(&h, uint64(int64(d.Sign()*2)+d.Exp*8)) // of fixed length, as digits follow
		h.WriteString(d.Digits)
	case text:
		h.WriteString(v.text())
	case boolean:
		h.WriteByte(byte(v.doc.part(v.at).from))
	case list:
		for _, item := range v.items() {
			add(&h, c.hash(item))
			if c.err != nil {
				break
			}
		}
	case object:
		var sum uint64 // whatever the order of the members
		for name, member := range v.members() {
			var pair maphash.Hash
			pair.SetSeed(hashSeed)
			add(&pair, c.hash(name))
			add(&pair, c.hash(member))
			if sum += pair.Sum64(); c.err != nil {
				break
			}
		}
		add(&h, sum)
	}
	return h.Sum64()
}

func add(h *maphash.Hash, n uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

// checkUnique checks uniqueItems. It compares the items that have the same hash.
func (c *checker) checkUnique(v value) bool {
	type seen struct {
		item value
		i    int
	}
	first := make(map[uint64]seen)
	for i, item := range v.items() {
		h := c.hash(item)
		if !c.spend(perStep) {
			return false
		}
		if same, ok := first[h]; ok && c.equal(same.item, item) {
			return c.fail(v, func() string { return fmt.Sprintf("items %d and %d are equal", same.i, i) })
		}
		first[h] = seen{item, i}
	}
	return c.err == nil
}
