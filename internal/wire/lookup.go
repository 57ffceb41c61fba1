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
