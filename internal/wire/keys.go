package wire

// maxKeys bounds the members of an object, as each key is compared with all
// before it. A message that is a constant makes programs smaller.
const maxKeys, tooManyKeys = 512, "more than 512 members in an object"

// keys is a stack of the keys of the objects that are open, innermost last.
// A nil entry stands below the keys of each object.
type keys struct {
	first [16][]byte // enough for most messages, and no allocation
	rest  [][]byte
	n     int
}

func (k *keys) push(key []byte) {
	if k.n < len(k.first) {
		k.first[k.n] = key
	} else {
		k.rest = append(k.rest[:k.n-len(k.first)], key)
	}
	k.n++
}

func (k *keys) at(i int) []byte {
	if i < len(k.first) {
		return k.first[i]
	}
	return k.rest[i-len(k.first)]
}

// add pushes the key of a member of the innermost object, or says why the
// object can't have it.
func (k *keys) add(key []byte) (problem string) {
	i := k.n - 1
	for ; k.at(i) != nil; i-- {
		if string(k.at(i)) == string(key) {
			return "key " + Quote(string(key[:min(len(key), 40)])) + " occurs twice"
		}
	}
	if k.n-1-i == maxKeys {
		return tooManyKeys
	}
	k.push(key)
	return ""
}

func (k *keys) popObject() {
	for k.n--; k.at(k.n) != nil; k.n-- {
	}
}
