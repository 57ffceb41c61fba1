package wire

// Lookup returns the value at path in nested objects, or nil if there is none or
// one of the objects is invalid. The value shares memory with text.
func Lookup(text []byte, path ...string) []byte {
	for _, name := range path {
		r := NewReader(text)
		if r.Kind() != Object {
			return nil
		}
		text = nil
		for r.Object(); r.More(); {
			if string(r.Key()) == name {
				text = r.Raw()
			} else {
				r.Skip()
			}
		}
		if r.Err() != nil {
			return nil
		}
	}
	return text
}

// After returns the text after start, or nil if the text does not begin with
// start.
func After(text []byte, start string) []byte {
	if len(text) < len(start) || string(text[:len(start)]) != start {
		return nil
	}
	return text[len(start):]
}

// Skip reads the next value, whatever it is, and drops it.
func (r *Reader) Skip() {
	if k := r.Kind(); r.trusted && k >= Array {
		if n := extent(view(r.data[r.pos:])); n > 0 {
			r.pos += n
			r.fresh = false
			return
		}
	}
	outer := r.depth
	for r.skip(); r.depth > outer && r.err == nil; {
		// Most texts have no white space, and a comma or a bracket here.
		if r.pos < len(r.data) && r.data[r.pos] == ',' && !r.fresh {
			r.pos++
		} else if !r.next() {
			continue
		}
		if r.inObject() {
			r.member()
		}
		r.skip()
	}
}

func (r *Reader) skip() {
	switch k := r.Kind(); k {
	case String:
		r.scanString()
	case Array, Object:
		r.openKind(k)
	case Number:
		r.scanNumber()
	case Bool:
		r.Bool()
	case Null:
		r.literal("null")
	default:
		if r.err == nil {
			r.unexpected()
		}
	}
}

// Raw reads the next value and returns its text, which has been validated.
func (r *Reader) Raw() []byte {
	r.Kind() // steps over white space
	start := r.pos
	r.Skip()
	if r.err != nil {
		return nil
	}
	return r.data[start:r.pos:r.pos]
}

// extent returns the length of the array or object at the start of a valid
// text, or 0 if it has no end there.
func extent(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i += stringLen(text[i:]) - 1
		}
	}
	return 0
}

// TextOf returns the string at path, as Lookup finds it, or "" if there is none.
func TextOf(text []byte, path ...string) string {
	r := NewReader(Lookup(text, path...))
	if r.Kind() != String {
		return ""
	}
	return r.String()
}
