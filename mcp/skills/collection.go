package skills

import "strings"

// mapping parses the keys at an indentation.
func (p *parser) mapping(indent, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, p.fail(indent, "too many levels")
	}
	m := make(map[string]any)
	for {
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) || p.lines[p.at].indent < indent {
			return m, nil
		}
		line := p.lines[p.at]
		end := keyEnd(line.text)
		switch {
		case line.indent > indent:
			return nil, p.fail(line.indent, "unexpected indentation")
		case isItem(line.text):
			return nil, p.fail(indent, "a list item where a key should be")
		case end < 0:
			return nil, p.fail(indent, "want a key and a colon")
		}
		key, problem := keyText(line.text[:end])
		if problem != "" {
			return nil, p.fail(indent, problem)
		}
		if _, ok := m[key]; ok {
			return nil, p.fail(indent, "the key occurs twice")
		}
		v, err := p.value(indent, indent+end+1, depth, true)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
}

func isItem(text string) bool {
	return text == "-" || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t")
}

// isKey reports whether a text begins with a key and a colon.
func isKey(text string) bool { return keyEnd(text) >= 0 }

// keyEnd returns the offset of the colon after a key, or -1.
func keyEnd(text string) int {
	if text == "" {
		return -1
	}
	if text[0] == '"' || text[0] == '\'' {
		_, n, err := quoted(text)
		if err != "" {
			return -1
		}
		rest := strings.TrimLeft(text[n:], " ")
		if rest == ":" || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":\t") {
			return len(text) - len(rest)
		}
		return -1
	}
	for i := range len(text) {
		switch {
		case text[i] == '#' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			return -1
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return i
		}
	}
	return -1
}

func keyText(s string) (key, problem string) {
	s = trimBlank(s)
	switch {
	case s == "" || s == "?" || strings.HasPrefix(s, "? "):
		return "", "complex keys are not supported"
	case s == "<<":
		return "", "merge keys are not supported"
	case s[0] == '"' || s[0] == '\'':
		key, n, problem := quoted(s)
		if problem == "" && n < len(s) {
			problem = "text after the quoted key"
		}
		return key, problem
	case isIndicator(s):
		return "", "the key begins with a special character; quote it"
	}
	return s, ""
}

// isIndicator reports whether a plain scalar may not begin so.
func isIndicator(s string) bool {
	if strings.IndexByte(",[]{}#&*!|>'\"%@`", s[0]) >= 0 {
		return true
	}
	return strings.IndexByte("-?:", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ' || s[1] == '\t')
}

// sequence parses the items at an indentation.
func (p *parser) sequence(indent, depth int) ([]any, error) {
	if depth > maxDepth {
		return nil, p.fail(indent, "too many levels")
	}
	list := []any{}
	for {
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) || p.lines[p.at].indent < indent || p.lines[p.at].indent == indent && !isItem(p.lines[p.at].text) {
			return list, nil
		}
		line := p.lines[p.at]
		if line.indent > indent {
			return nil, p.fail(line.indent, "unexpected indentation")
		}
		rest := strings.TrimLeft(line.text[1:], " ")
		if strings.HasPrefix(rest, "\t") {
			return nil, p.fail(indent+1, "a tab as indentation; use spaces")
		}
		var v any
		var err error
		if isItem(rest) || rest != "" && rest[0] != '#' && isKey(rest) && rest[0] != '{' && rest[0] != '[' {
			inner := indent + len(line.text) - len(rest)
			p.lines[p.at].indent, p.lines[p.at].text = inner, rest
			v, err = p.block(inner, depth+1)
		} else {
			v, err = p.value(indent, indent+1, depth, false)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// block parses a mapping or a sequence, whose first line is the current one.
func (p *parser) block(indent, depth int) (any, error) {
	if isItem(p.lines[p.at].text) {
		return p.sequence(indent, depth)
	}
	return p.mapping(indent, depth)
}

// value parses what follows a key or a dash at an indentation: from an offset of
// the current line, or on the next lines.
func (p *parser) value(indent, offset, depth int, inMapping bool) (any, error) {
	raw := p.lines[p.at].raw
	text := strings.TrimLeft(raw[offset:], " \t")
	offset = len(raw) - len(text)
	if text == "" || text[0] == '#' {
		p.at++
		if err := p.skipBlank(); err != nil {
			return nil, err
		}
		if p.at == len(p.lines) {
			return nil, nil
		}
		line := p.lines[p.at]
		switch {
		case line.indent > indent && (isItem(line.text) || isKey(line.text) && line.text[0] != '[' && line.text[0] != '{'):
			return p.block(line.indent, depth+1)
		case line.indent > indent:
			return p.scalar(indent, line.indent, depth)
		case line.indent == indent && inMapping && isItem(line.text):
			return p.sequence(indent, depth+1)
		}
		return nil, nil
	}
	return p.scalar(indent, offset, depth)
}

// endOfValue returns an error if the next line would continue the value.
func (p *parser) endOfValue(indent int) error {
	if err := p.skipBlank(); err != nil {
		return err
	}
	if p.at < len(p.lines) && p.lines[p.at].indent > indent {
		return p.fail(p.lines[p.at].indent, "unexpected indentation")
	}
	return nil
}
