package skills

// maxDepth is how deep lists and objects of frontmatter may nest.
const maxDepth = 32

// collection parses the items of a sequence, or the keys of a mapping and their
// values, at the column of the first one. brackets are those of JSON.
func (p *parser) collection(depth int, brackets string) {
	if depth > maxDepth {
		p.fail(p.at, "too many levels")
	}
	p.put(word, brackets[:1])
	indent, items := p.column(), brackets == "[]"
	for {
		if !items {
			if p.key("\n"); !p.is(':') {
				p.fail(p.at, "want a key and a colon")
			}
		}
		p.at++
		p.value(indent, depth, !items)
		p.skip()
		switch column := p.column(); {
		case p.next() == 0 || column < indent || column == indent && items && !p.is('-'):
			p.put(end, brackets[1:])
			return
		case column > indent:
			p.fail(p.at, "unexpected indentation")
		}
	}
}

// is reports whether a dash that begins an item is next, or a colon that ends a key.
func (p *parser) is(c byte) bool { return p.next() == c && p.isBlank(1) }

// maxKey is the specification's limit of keys, in bytes rather than characters.
const maxKey = 1024

// key parses a key up to one of stops or a colon.
func (p *parser) key(stops string) {
	start := p.at
	var key string
	problem := ""
	if c := p.next(); c == '"' || c == '\'' {
		key = p.quoted()
		p.blanks()
	} else if key = p.plainText(stops); key == "" || key == "<<" {
		problem = "not supported as a key"
	}
	if p.at-start > maxKey || p.line > start {
		problem = "the key is longer than a line or 1024 bytes"
	}
	p.put(name, key)
	if p.stop > 0 && len(p.json) >= p.stop {
		problem = p.problem
	}
	if problem != "" {
		p.fail(start, problem)
	}
}

// value parses what follows a key or a dash at an indentation, on the line or on the
// next ones.
func (p *parser) value(indent, depth int, inMapping bool) {
	line := p.line
	p.skip()
	start, length, c, item := p.at, len(p.json), p.next(), p.is('-')
	inline := p.line == line
	line = p.line
	if c == 0 || !inline && p.column() <= indent && !(inMapping && item && p.column() == indent) {
		p.put(word, "null")
		return
	}
	inline = inline && inMapping // where no collection begins but in brackets
	switch {
	case item && !inline:
		p.collection(depth+1, "[]")
		return
	case c == '|' || c == '>':
		p.block(indent)
		return
	case isOneOf(c, "[{\"'"):
		p.flow(depth)
		p.blanks()
	default:
		p.scalar(indent)
	}
	if p.is(':') && p.line == line && !inline && c != '[' && c != '{' {
		p.at, p.json = start, p.json[:length]
		p.collection(depth+1, "{}")
		return
	}
	if p.comment(); p.next() != '\n' {
		p.fail(p.at, "unexpected text; quote a text with a colon")
	}
}

// stops end a plain scalar in a list or an object.
const stops = "\n,[]{}"

// flow parses a quoted scalar, or a value in a list or an object.
func (p *parser) flow(depth int) {
	start, c := p.at, p.next()
	if c == '"' || c == '\'' {
		p.put(text, p.quoted())
		return
	}
	if c != '[' && c != '{' {
		p.resolve(start, p.plainText(stops))
		return
	}
	if depth >= maxDepth {
		p.fail(start, "too many levels")
	}
	p.put(word, p.text[start:start+1])
	closing := c + 2 // the other bracket
	for {
		p.at++
		if p.skip(); p.next() != closing {
			if c == '[' {
				p.flow(depth + 1)
			} else {
				p.key(stops)
				p.skip()
				colon := p.next() == ':'
				if colon {
					p.at++
					p.skip()
				}
				if colon && !isOneOf(p.next(), ",}") {
					p.flow(depth + 1)
				} else {
					p.put(word, "null")
				}
			}
			if p.skip(); p.next() == ',' {
				continue
			}
		}
		if p.next() != closing {
			p.fail(p.at, "want a comma or the end")
		}
		p.at++
		p.put(end, p.text[p.at-1:p.at])
		return
	}
}
